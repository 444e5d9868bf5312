#!/bin/sh
# No link and no path in documents and comments leads nowhere.
# usage: links_test.sh SOURCE_DIR BUILD_DIR
exec python3 "$1/tools/links.py"
