#!/bin/sh
# Makes a corpus of real English technical prose from the distribution's documentation packages,
# through the ordinary apt client.
#   usage: make-corpus.sh DIR
# Result: DIR/corpus.txt (about 34 MB), DIR/corpus.meta (package versions and the SHA-256).
# The same packages give the same bytes.
set -eu
export LC_ALL=C
out=${1:?usage: make-corpus.sh DIR}
[ ! -s "$out/corpus.txt" ] || exit 0
mkdir -p "$out/deb" "$out/files"
chmod 777 "$out/deb" # apt downloads as a user of its own
(
    cd "$out/deb"
    for package in linux-doc-6.1 perl-doc debian-reference-en debian-reference-common; do
        if ! ls "$package"_*.deb >/dev/null 2>&1; then
            echo "corpus: fetching $package"
            apt-get download -qq "$package" </dev/null 2>/dev/null || {
                apt-get update -qq </dev/null 2>/dev/null || true
                apt-get download -qq "$package" </dev/null
            }
        fi
    done
)
for package in "$out"/deb/*.deb; do dpkg-deb -x "$package" "$out/files"; done
# Text only: the kernel's documents, Perl's manual pages, the Debian Reference.
(
    cd "$out/files"
    find . -type f \( -name '*.rst.txt' -o -name '*.rst.txt.gz' -o -name '*.pod' \
        -o -name 'debian-reference.en.txt.gz' \) | sort >../list
    while IFS= read -r file; do
        case $file in *.gz) gzip -dc "$file" ;; *) cat "$file" ;; esac
        echo
    done <../list | tr -d '\r' >../corpus.tmp
)
mv "$out/corpus.tmp" "$out/corpus.txt"
{
    ls "$out/deb"
    sha256sum "$out/corpus.txt" | sed "s|$out/||"
} >"$out/corpus.meta"
rm -rf "$out/files" "$out/list"
