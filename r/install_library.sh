#!/bin/sh
# Installs the package r/strads with R and puts it into LIBRARY. Usage: install_library.sh R BUILD LIBRARY
# By way of an archive and of a temporary folder: R notes in what it installs where the sources and the library were.
set -eu

r=$1 build=$2 library=$3
here=$(cd "$(dirname "$0")" && pwd)
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
mkdir "$place/library"
tar -C "$here" -czf "$place/strads.tar.gz" strads
R_LIBS='' STRADS_BUILD=$build "$r" CMD INSTALL --no-multiarch --no-html --no-test-load --library="$place/library" \
  "$place/strads.tar.gz" >"$place/log" 2>&1 || { cat "$place/log" >&2; exit 1; }
rm -rf "$library/strads"
mv "$place/library/strads" "$library"
