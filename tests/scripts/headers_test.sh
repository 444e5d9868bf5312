#!/bin/sh
# Every public header compiles alone, in C with gcc and clang and in C++ with g++, without warnings.
# usage: headers_test.sh SOURCE_DIR BUILD_DIR
set -eu
source=$1
failed=0
check() { # HEADER COMMAND...
    header=$1
    shift
    if ! echo "#include <rask/$header>" | "$@" -Wall -Wextra -Wpedantic -Werror \
        -I "$source/include" -fsyntax-only -; then
        echo "rask/$header does not compile alone: $*" >&2
        failed=1
    fi
}
for path in "$source"/include/rask/*.h; do
    header=$(basename "$path")
    for compiler in gcc clang; do
        check "$header" $compiler -x c -std=c17
        check "$header" $compiler -x c -std=gnu17
    done
    check "$header" g++ -x c++ -std=c++17
    check "$header" clang++ -x c++ -std=c++17
done
exit $failed
