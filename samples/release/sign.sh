#!/usr/bin/env bash
# Sign what samples/release.sh made: FILE.asc beside each archive, SHA256SUMS, the bill of materials, each Debian package and
# each file for Maven. gpg asks its agent for the passphrase if the key has one.
# usage: samples/release/sign.sh FOLDER KEY    KEY: as gpg names it: a fingerprint, an address
set -euo pipefail
[ $# -eq 2 ] || { sed -n '2,4s/^# //p' "$0" >&2; exit 2; }
cd "$1"
mapfile -t files < <(find archives channels -type f -regex '\(archives\|channels/debian\|channels/maven\)/.*' \
    ! -regex '.*\.\(asc\|md5\|sha[0-9]*\)' ! -name verification-metadata.xml | sort)
for file in "${files[@]}"; do
    gpg --batch --yes --quiet --local-user "$2" --armor --detach-sign "$file"
done
echo "signed by $2: ${#files[@]} files"
