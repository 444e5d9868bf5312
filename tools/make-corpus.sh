#!/bin/sh
# Makes a corpus of real English technical prose from the distribution's documentation packages,
# through the ordinary apt client.
#   usage: make-corpus.sh DIR [small]
# Result: DIR/corpus.txt (about 34 MB: the kernel's documents, Perl's manual, the Debian Reference;
# small: 9 MB, without the kernel's) and DIR/corpus.meta (package versions and the SHA-256).
# The same packages give the same bytes.
set -eu
export LC_ALL=C
out=${1:?usage: make-corpus.sh DIR [small]}
[ ! -s "$out/corpus.txt" ] || exit 0
packages="perl-doc debian-reference-en debian-reference-common"
[ "${2:-}" = small ] || packages="linux-doc-6.1 $packages"
mkdir -p "$out/deb" "$out/files"
chmod 777 "$out/deb" # apt downloads as a user of its own
fetch() {
    apt-get download -qq "$1" </dev/null 2>../apt.log
}
(
    cd "$out/deb"
    for package in $packages; do
        if ! ls "$package"_*.deb >/dev/null 2>&1; then
            echo "fetching $package (a Debian package of English text)"
            # The package lists of a fresh image are empty or old: refresh them when that is needed.
            if ! fetch "$package"; then
                apt-get update -qq </dev/null >/dev/null 2>&1 || true
                if ! fetch "$package"; then
                    cat ../apt.log >&2
                    exit 1
                fi
            fi
        fi
    done
)
for package in "$out"/deb/*.deb; do dpkg-deb -x "$package" "$out/files"; done
# Text only: reStructuredText, POD, and the plain text of the Debian Reference.
(
    cd "$out/files"
    find . -type f \( -name '*.rst.txt' -o -name '*.rst.txt.gz' -o -name '*.pod' \
        -o -name 'debian-reference.en.txt.gz' \) | sort >../list
    while IFS= read -r file; do
        case $file in *.gz) gzip -dc "$file" ;; *) cat "$file" ;; esac
        echo
    done <../list | tr -d '\r' >../corpus.tmp
)
{
    ls "$out/deb"
    sha256sum "$out/corpus.tmp" | sed 's/ .*/ corpus.txt/'
} >"$out/corpus.meta"
mv "$out/corpus.tmp" "$out/corpus.txt"
rm -rf "$out/files" "$out/list" "$out/apt.log"
