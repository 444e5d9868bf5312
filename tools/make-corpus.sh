#!/bin/sh
# Makes a corpus of real English text from the distribution's packages, through the ordinary apt
# client.
#   usage: make-corpus.sh DIR [book]
# Result: DIR/corpus.txt and DIR/corpus.meta (package versions and the SHA-256).
#   by default  34 MB of technical prose: the kernel's documents, Perl's manual, the Debian Reference
#   book        11.6 MB of plain prose: An Anarchist FAQ, a book in web pages
# The same packages give the same bytes.
set -eu
export LC_ALL=C
out=${1:?usage: make-corpus.sh DIR [book]}
kind=${2:-prose}
[ ! -s "$out/corpus.txt" ] || exit 0
case $kind in
book) packages=anarchism ;;
*) packages="linux-doc-6.1 perl-doc debian-reference-en debian-reference-common" ;;
esac
mkdir -p "$out/deb" "$out/files"
chmod 777 "$out/deb" # apt downloads as a user of its own
cd "$out"

fetch() {
    (cd deb && apt-get download -qq "$1" </dev/null 2>../apt.log)
}
for package in $packages; do
    if ! ls deb/"$package"_*.deb >/dev/null 2>&1; then
        echo "fetching $package (a Debian package of English text)"
        # The package lists of a fresh image are empty or old: refresh them when that is needed.
        if ! fetch "$package"; then
            apt-get update -qq </dev/null >/dev/null 2>&1 || true
            if ! fetch "$package"; then
                cat apt.log >&2
                echo "could not fetch $package; is there a network, and a Debian mirror?" >&2
                exit 1
            fi
        fi
    fi
    dpkg-deb -x deb/"$package"_*.deb files
done

if [ "$kind" = book ]; then
    # Without tags; entities as the characters that they stand for.
    find files -name '*.html' | sort | xargs cat |
        awk 'BEGIN { RS = "<" } { sub(/^[^>]*>/, " "); printf "%s", $0 }' |
        sed "s/&nbsp;/ /g; s/&[lr]squo;/'/g; s/&[lr]dquo;/\"/g; s/&quot;/\"/g; s/&[mn]dash;/-/g
             s/&hellip;/.../g; s/&lt;/</g; s/&gt;/>/g; s/&amp;/\&/g; s/[[:blank:]]*\$//" |
        cat -s >corpus.tmp
else
    # Text only: reStructuredText, POD, and the plain text of the Debian Reference.
    (
        cd files
        find . -type f \( -name '*.rst.txt' -o -name '*.rst.txt.gz' -o -name '*.pod' \
            -o -name 'debian-reference.en.txt.gz' \) | sort >../list
        while IFS= read -r file; do
            case $file in *.gz) gzip -dc "$file" ;; *) cat "$file" ;; esac
            echo
        done <../list | tr -d '\r' >../corpus.tmp
    )
fi
{
    ls deb
    sha256sum corpus.tmp | sed 's/ .*/  corpus.txt/'
} >corpus.meta
mv corpus.tmp corpus.txt
rm -rf files list apt.log
