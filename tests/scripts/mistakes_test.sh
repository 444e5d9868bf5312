#!/bin/sh
# The compilers say what is wrong with wrong programs (tests/mistakes).
set -eu
exec python3 "$1/tests/mistakes/check.py" "$1/include"
