#!/bin/sh
# clang-format over the project's C files: rewrites them, or with --check says which are not formatted.
# Left to the hand: public headers of macros with unbalanced braces, which clang-format takes apart, and
# the examples, which are printed in documents.
set -eu
cd "$(dirname "$0")/.."
git ls-files -co --exclude-standard '*.c' '*.h' |
    grep -vE '^(include/rask/(function|record|stream|broadcast|connectors|join|multi|async|state|testing|time|window|detail/foreach)\.h|examples/)' |
    while IFS= read -r file; do [ ! -f "$file" ] || echo "$file"; done |
    if [ "${1:-}" = --check ]; then
        xargs clang-format --dry-run -Werror
    else
        xargs clang-format -i
    fi
