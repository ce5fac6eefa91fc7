#!/bin/sh
# SPDX-License-Identifier: MIT
# The page of claims follows from the tables behind it: nobody has changed a number by hand, in either.
set -eu
cd "$(dirname "$0")/../../../.."
command -v python3 >/dev/null || { echo "no python3 here" && exit 1; }
scripts/claims --check
claims=$(grep -c '^| \(goal\|[ACD][0-9]*b\{0,1\}\) | \*\*' docs/claims.md)
[ "$claims" = 20 ] || { echo "docs/claims.md has $claims claims, want 20" && exit 1; }
echo "20 claims follow from their tables"
