#!/bin/sh
# SPDX-License-Identifier: MIT
# licence.sh ROOT: every source file has the SPDX line among its first three.
set -eu
cd "$1"
bad=0
for file in $(find . \( -path ./build -o -path ./.git -o -path ./.cache -o -path '*/subprojects' \) -prune -o -type f \
    \( -name '*.hpp' -o -name '*.cpp' -o -name '*.cu' -o -name '*.h' -o -name '*.sh' -o -name '*.cmake' -o -name '*.in' -o \
    -name CMakeLists.txt -o -name meson.build -o -path './scripts/*' -o -path './.ci/*' \) -print | LC_ALL=C sort); do
    if ! head -n 3 "$file" | grep -q 'SPDX-License-Identifier: MIT'; then
        echo "$file: no line 'SPDX-License-Identifier: MIT' among its first three"
        bad=1
    fi
done
exit $bad
