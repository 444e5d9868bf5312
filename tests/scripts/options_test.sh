#!/bin/sh
# What docs/configuration.md calls honoured or planning only is read by some module.
# usage: options_test.sh SOURCE_DIR BUILD_DIR
set -eu
cd "$1"
failed=0
count=0
for key in $(sed -n 's/^| `\([^`]*\)` |.*| \(\*\*honoured\*\*\|planning only\) |.*/\1/p' \
    docs/configuration.md); do
    count=$((count + 1))
    id=RASKI_OPTION_$(echo "$key" | sed 's/\([a-z]\)\([A-Z]\)/\1_\2/g; s/[.-]/_/g' |
        tr '[:lower:]' '[:upper:]')
    case $key in
    pipeline.global-job-parameters) continue ;; # read by users' functions, through rask_option
    io.tmp.dirs) id=raski_configuration_temporary_directory ;;
    esac
    if ! find src -name '*.c' ! -name '*_test.c' ! -path 'src/config/*' -exec grep -lw \
        -e "\"$key\"" -e "$id" {} + | grep -q .; then
        echo "$key: no module reads it; its status in src/config/options is wrong" >&2
        failed=1
    fi
done
[ $count -gt 10 ] || { echo "only $count options found in docs/configuration.md" >&2; failed=1; }
exit $failed
