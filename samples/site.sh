#!/usr/bin/env bash
# Make a site of the manual and of the documents of this tree: FOLDER/index.html is the README, methodbeat.1.html the man
# page; each other document is where it is in the tree. With a built methodbeat, also two live reports: samples/Words.java
# recorded with probes, and by samples.
# usage: samples/site.sh FOLDER [METHODBEAT]    FOLDER: made, must not exist
set -euo pipefail
[ $# -eq 1 ] || [ $# -eq 2 ] || { sed -n '2,5s/^# //p' "$0" >&2; exit 2; }
beat=$(readlink -e "${2:-/dev/null}")
[ ! -e "$1" ] || { echo "$1: is there already" >&2; exit 1; }
mkdir -p "$1"
site=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
. tests/packages.sh
install_packages "${site_packages[@]}"

begin_page() {
    cat <<END
<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>$1</title>
<style>
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; font: 16px/1.5 sans-serif; }
pre, table { overflow-x: auto; display: block; } pre { padding: .6rem; background: #f4f4f4; font-size: 12.5px; }
td, th { padding: .2rem .6rem; text-align: left; vertical-align: top; border-top: 1px solid #ddd; } img { max-width: 100%; }
</style></head><body>
END
}

# Links between documents are links between pages; a README is the index of its folder. Headings get the names that links use.
# What publishes sites leaves out folders whose names begin with a dot.
to_page() {
    cmark-gfm --extension table --extension autolink "$1" | sed -E \
        -e 's/(href="[^":]*)README\.md/\1index.html/g; s/(href="[^":]*)\.md(#|")/\1.html\2/g' \
        -e 's/(href="[^":]*)\.github\//\1github\//g' -e 's/(href="[^":]*src\/decisions)"/\1\/index.html"/g' | python3 -c '
import re, sys
def heading(found):
    text = re.sub(r"<.*?>", "", found[2]).lower()
    name = re.sub(r"[^\w -]", "", text).strip().replace(" ", "-")
    return f"<h{found[1]} id=\"{name}\">{found[2]}</h{found[1]}>"
print(re.sub(r"<h(\d)>(.*?)</h\1>", heading, sys.stdin.read()), end="")'
}

# copy_linked DOCUMENT: what it links to that is no document.
copy_linked() {
    local link
    { grep -oP '\]\(\K(?!https?:|#)[^)#]+' "$1" || true; } | while read -r link; do
        link=$(realpath -m --relative-to . "$(dirname "$1")/$link")
        [ ! -f "$link" ] || [[ $link == *.md ]] || install -D -m 644 "$link" "$site/$link"
    done
}

git ls-files '*.md' | while read -r document; do
    page=$site/${document/#.github/github}
    page=${page%.md}.html
    [[ $document != *README.md ]] || page=$(dirname "$page")/index.html
    mkdir -p "$(dirname "$page")"
    copy_linked "$document"
    { begin_page "$(sed -n 's/^# //p' "$document" | head -1)"; to_page "$document"; } >"$page"
done
others=https://manpages.debian.org
for manual in src/cli/*.1 src/cli/manual/*.1; do
    python3 src/cli/options.py man "$PWD/$manual" "$site/page.1"
    {
        begin_page "$(basename "$manual" .1)"
        mandoc -T html -O "fragment,toc,man=$others/%N.%S" "$site/page.1" | sed -E "s|$others/(methodbeat[a-z-]*\.1)|\1.html|g"
    } >"$site/$(basename "$manual").html"
done
rm "$site/page.1"
sed -i 's/<code>man methodbeat<\/code>/<a href="methodbeat.1.html">methodbeat(1)<\/a>/' "$site/index.html"
if [ $# -eq 2 ]; then
    jar=$(tests/corpus/fetch.sh guava)
    mkdir "$site/reports"
    javac -cp "$jar" -d "$site/reports/words" samples/Words.java
    for way in '' --sample; do
        trace=$site/reports/words$way.mbtrace
        # shellcheck disable=SC2086
        "$beat" run $way --trace "$trace" java -cp "$jar:$site/reports/words" Words >/dev/null 2>&1
        "$beat" report -o "$site/reports/words$way.html" "$trace"
        rm "$trace"
        sed -i "s|<body>|&\n<p><a href=\"reports/words$way.html\">A live report${way:+, by samples}</a></p>|" "$site/index.html"
    done
    rm -r "$site/reports/words"
fi
echo "$site/index.html"
