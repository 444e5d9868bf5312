# For the scripts here that run rask as a user types it, sourced as their first step (with their
# arguments SOURCE_DIR BUILD_DIR): $rask, an empty folder to work in that goes away, and check. The
# script ends with: exit $failed
rask=$2/rask
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
failed=0

# check NAME EXIT_CODE TEXT COMMAND...: runs it, compares the exit code, and looks for TEXT (a fixed
# string) in standard output and error together. out and err are left for more checks.
check() {
    name=$1 code=$2 text=$3
    shift 3
    actual=0
    "$@" >out 2>err || actual=$?
    if [ "$actual" -ne "$code" ]; then
        echo "$name: exit code $actual instead of $code" >&2
        cat out err >&2
        failed=1
    elif ! cat out err | grep -qF -e "$text"; then
        echo "$name: \"$text\" is not in:" >&2
        cat out err >&2
        failed=1
    fi
}
