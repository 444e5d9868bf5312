#!/bin/sh
# librask.so exports nothing but rask_ and raski_ names that the public headers declare, and lacks
# nothing that its libraries do not have.
# usage: exports_test.sh SOURCE_DIR BUILD_DIR
set -eu
source=$1
library=$2/librask.so
failed=0
names=$(nm -D --defined-only "$library" | awk '{print $3}' | sed 's/@.*//')
[ -n "$names" ] || { echo "$library exports nothing" >&2; exit 1; }
for name in $names; do
    case $name in
    rask_* | raski_*) ;;
    *)
        echo "exported, but of a foreign name: $name" >&2
        failed=1
        continue
        ;;
    esac
    if ! grep -qwr -- "$name" "$source/include/rask"; then
        echo "exported, but in no public header: $name" >&2
        failed=1
    fi
done
lacking=$(ldd -r "$library" 2>&1 | grep 'undefined symbol' || true)
[ -z "$lacking" ] || { echo "$lacking" >&2; failed=1; }
soname=$(readelf -d "$library" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')
[ "$soname" = librask.so.0 ] || { echo "soname is '$soname', not librask.so.0" >&2; failed=1; }
exit $failed
