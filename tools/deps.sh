#!/bin/sh
# Sees to it that the Debian packages for a purpose are there: build, test, bench or all.
# Quiet and quick when nothing is missing; installs through apt-get when root, else prints the one
# command to run. RASK_NO_DEPS=1 trusts the machine (other distributions, libraries of one's own).
set -eu
export LC_ALL=C
build="gcc libc6-dev cmake ninja-build pkg-config libuv1-dev libyaml-dev libjansson-dev zlib1g-dev libzstd-dev librocksdb-dev libcmocka-dev"
test="$build g++ clang clang-format clang-tidy binutils python3 python3-pip git"
bench="$build python3"
case ${1:-all} in
build) want=$build ;;
test) want=$test ;;
bench) want=$bench ;;
all) want=$test ;;
*)
    echo "usage: $0 [build|test|bench|all]" >&2
    exit 2
    ;;
esac

[ -z "${RASK_NO_DEPS:-}" ] || exit 0
if ! command -v dpkg-query >/dev/null 2>&1; then
    exit 0 # not Debian: CMake names what it does not find
fi
have=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' $want 2>/dev/null | sed -n 's/^installed //p' || true)
missing=
for package in $want; do
    printf '%s\n' "$have" | grep -qx "$package" || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" -ne 0 ]; then
    echo "Rask needs packages that are not installed. Run this, then try again:" >&2
    echo "  sudo apt-get install -y --no-install-recommends$missing" >&2
    exit 1
fi
echo "installing$missing"
log=$(mktemp)
install() {
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing \
        </dev/null >"$log" 2>&1
}
# The package lists of a fresh image are empty or old: refresh them only when that is needed.
if ! install; then
    apt-get update -qq </dev/null >"$log" 2>&1 || true
    if ! install; then
        cat "$log" >&2
        echo "could not install:$missing" >&2
        rm -f "$log"
        exit 1
    fi
fi
rm -f "$log"
