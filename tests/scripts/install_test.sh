#!/bin/sh
# What make install gives is what a stranger needs: the program of README.md compiles with
# cc my_job.c $(pkg-config --cflags --libs rask), with gcc and clang, against the shared and the static
# library, without warnings, and counts words.
# usage: install_test.sh SOURCE_DIR BUILD_DIR
set -eu
export LC_ALL=C
source=$1
build=$2
work=$build/install-test
rm -rf "$work"
mkdir -p "$work"
cd "$work"

fail() {
    echo "install: $*" >&2
    exit 1
}

# A staged installation: everything below DESTDIR, nothing of DESTDIR in the files.
DESTDIR=$work/stage cmake --install "$build" --prefix /opt/rask >/dev/null
[ -f stage/opt/rask/include/rask/rask.h ] || fail "DESTDIR is not honoured"
! grep -rq "$work" stage/opt/rask/lib/pkgconfig || fail "rask.pc names DESTDIR"
! find stage/opt/rask -name '*_test*' | grep -q . || fail "tests are installed"

prefix=$work/prefix
cmake --install "$build" --prefix "$prefix" >/dev/null
for file in bin/rask lib/librask.a lib/librask.so lib/librask.so.0 lib/pkgconfig/rask.pc \
    include/rask/rask.h share/man/man1/rask.1; do
    [ -e "$prefix/$file" ] || fail "$file is not installed"
done
version=$("$prefix/bin/rask" --version) || fail "rask --version fails"
echo "$version"
export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
pkg-config --exists rask || fail "pkg-config does not find rask"

# The first C program of README.md, in which <rask/rask.h> is included.
awk '/^```c/ {inside = 1; text = ""; next}
     /^```/ {if (inside && text ~ /rask_execute/) {printf "%s", text; exit} inside = 0}
     inside {text = text $0 "\n"}' "$source/README.md" >my_job.c
grep -q rask_execute my_job.c || fail "README.md shows no whole program"
printf 'To be, or not to be:\nthat is the question.\n' >text.txt

check() { # COMPILER HOW FLAGS...: compiles and runs my_job.c
    compiler=$1 how=$2
    shift 2
    program=job-$compiler-$how
    $compiler -Wall -Wextra -Werror -O2 -o "$program" my_job.c "$@" || fail "$program: does not compile"
    "./$program" text.txt >"$program.out" 2>"$program.err" || {
        cat "$program.err" >&2
        fail "$program: exit $?"
    }
    # 10 words, a running count for each: "to" and "be" come twice
    [ "$(wc -l <"$program.out")" -eq 10 ] || fail "$program: not 10 lines: $(cat "$program.out")"
    for word in to be; do
        grep -q "$word.*2" "$program.out" || fail "$program: '$word' was not counted to 2"
    done
    grep -q 'question.*1' "$program.out" || fail "$program: 'question' is missing"
}
for compiler in gcc clang; do
    check $compiler shared $(pkg-config --cflags --libs rask)
    ldd "job-$compiler-shared" | grep -q "$prefix/lib.*librask.so.0" ||
        fail "job-$compiler-shared does not use the installed librask.so"
    check $compiler static $(pkg-config --cflags rask) "$prefix/lib/librask.a" \
        $(pkg-config --libs libuv yaml-0.1 jansson zlib libzstd) -pthread -lm
done
echo "ok"
