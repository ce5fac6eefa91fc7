# SPDX-License-Identifier: MIT
# Sourced by the tests that make a Debian with nothing but what it must have, by debootstrap from this machine's package sources. They define
# `cannot WORDS`, which ends them where this machine can make none.
namespaces='unshare --mount --pid --fork --kill-child'

# debian_sources: lines `suite component address` of the distribution itself; what others publish for it is none of a bare machine.
debian_sources() {
    apt-get indextargets --format '$(ORIGIN) $(RELEASE) $(COMPONENT) $(REPO_URI)' 'Created-By: Packages' 2>/dev/null |
        awk -v id="$ID" -v suite="$VERSION_CODENAME" 'tolower($1) == id && ($2 == suite || index($2, suite "-") == 1) { print $2, $3, $4 }' | sort -u
}

# find_debian COMMAND...: sets `address`, from where one is made. COMMAND makes sure of debootstrap, or says what is missing.
find_debian() {
    [ "$(id -u)" = 0 ] || cannot 'only root can make and enter such a machine: sudo'
    "$@" || cannot 'see above'
    $namespaces --mount-proc true 2>/dev/null || cannot 'this system lets root mount nothing, as containers do'
    . /etc/os-release
    [ -n "$(debian_sources)" ] || apt-get update >/dev/null 2>&1 || true
    address=$(debian_sources | awk -v suite="$VERSION_CODENAME" '$1 == suite && $2 == "main" { print $3; exit }')
    [ -n "$address" ] || cannot "apt knows no source of ${PRETTY_NAME:-this system}"
}

# make_debian FOLDER [OPTION...]: makes it there, of this machine's release or of that which `suite` names; the options are debootstrap's.
make_debian() {
    folder=$1
    shift
    ${apart-} debootstrap --variant=minbase "$@" "${suite:-$VERSION_CODENAME}" "$folder" "$address"
}
