#!/usr/bin/env bash
# Publish what samples/release.sh made, signed, as the version of TAG, by channel:
#   github  a draft of a release, with archives, Debian packages, sums and signatures; its notes are of CHANGELOG.md. GH_TOKEN
#   npm     the packages, that with the launcher last. NPM_TOKEN
#   pypi    the wheels. UV_PUBLISH_TOKEN
#   maven   a bundle for Maven Central, which a person releases there. MAVEN_TOKEN, USER:PASSWORD of a user's token in base64,
#           and MAVEN_CENTRAL_URL, the address of its portal for those who publish
# Each takes its right from the variable. What a registry has already stays, so that a run that was cut short can be repeated.
# Nothing is published while owner.ini has placeholders, if the tag is of another version, or without signatures.
# usage: samples/release/publish.sh FOLDER TAG CHANNEL...
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../../tests/packages.sh"

fail() {
    echo "publish.sh: $*" >&2
    exit 1
}

publish_github() {
    local files=("$folder"/archives/* "$folder"/channels/debian/*)
    if gh release view "$tag" >/dev/null 2>&1; then
        gh release upload "$tag" --clobber "${files[@]}"
    else
        gh release create "$tag" --draft --verify-tag --title "methodbeat $version" --notes-file "$scratch/notes.md" "${files[@]}"
    fi
}

publish_npm() {
    local registry name package
    registry=$(npm config get registry)
    # shellcheck disable=SC2016
    echo "${registry#http*:}:"'_authToken=${NPM_TOKEN}' >"$scratch/npmrc"
    for package in "$folder"/channels/npm/methodbeat-*-*-"$version.tgz" "$folder/channels/npm/methodbeat-$version.tgz"; do
        name=$(tar -xzOf "$package" package/package.json | sed -n 's/^  "name": "\(.*\)",$/\1/p')
        if [ -n "$(npm view "$name@$version" version 2>/dev/null)" ]; then
            echo "$name $version is there"
        else
            NPM_CONFIG_USERCONFIG=$scratch/npmrc npm publish --access public "$package"
        fi
    done
}

# Under the lock. The environment is named by what is in it.
fetch_uv() {
    [ ! -x "$tools/bin/uv" ] || return 0
    rm -rf "$tools"
    python3 -m venv "$tools" && "$tools/bin/pip" install --quiet --disable-pip-version-check --require-hashes --no-deps \
        -r "$here/publish.txt"
}

# The same file a second time is no error there.
publish_pypi() {
    tools=$cache/publish-tools-$(sha256sum "$here/publish.txt" | cut -c 1-12)
    with_lock fetch_uv
    "$tools/bin/uv" publish "$folder"/channels/pypi/*.whl
}

publish_maven() {
    local central=${MAVEN_CENTRAL_URL:?is the address of the portal for those who publish}
    (cd "$folder/channels/maven" && zip -q -r "$scratch/bundle.zip" . -x verification-metadata.xml)
    curl --fail-with-body --silent --show-error --header @<(echo "Authorization: Bearer $MAVEN_TOKEN") \
        --form "bundle=@$scratch/bundle.zip" \
        "$central/api/v1/publisher/upload?name=methodbeat-$version&publishingType=USER_MANAGED"
    echo
}

declare -A rights=([github]=GH_TOKEN [npm]=NPM_TOKEN [pypi]=UV_PUBLISH_TOKEN [maven]=MAVEN_TOKEN)
[ $# -ge 3 ] || { sed -n '2,10s/^# //p' "$0" >&2; exit 2; }
folder=$(cd "$1" && pwd) tag=$2 version=${2#v}
shift 2
for channel in "$@"; do
    right=${rights[$channel]-}
    [ -n "$right" ] || fail "$channel: a channel is one of ${!rights[*]}"
    [ -n "${!right-}" ] || fail "$channel: $right is not set"
done
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$here/changes.py" "$tag" >"$scratch/notes.md"
[ -e "$folder/archives/SHA256SUMS.asc" ] || fail "$folder is not signed: samples/release/sign.sh signs it"
(cd "$folder/archives" && sha256sum --check --quiet SHA256SUMS) || fail "$folder/archives is not what was packed"
for channel in "$@"; do
    echo "== $channel"
    "publish_$channel"
done
