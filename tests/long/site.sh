#!/bin/sh
# The site builds without warnings, twice the same, and its long pages do what they show with the
# program and the library as they are installed: site.sh BUILD
set -eu
build=$(cd "$1" && pwd)
root=$(cd "$(dirname "$0")/../.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM

cmake --install "$build" --prefix "$scratch/prefix" >/dev/null
PKG_CONFIG_PATH=$(dirname "$(find "$scratch/prefix" -name softlab.pc)")
LD_LIBRARY_PATH=$(dirname "$PKG_CONFIG_PATH") # no ldconfig for a folder that goes away
export PKG_CONFIG_PATH LD_LIBRARY_PATH
for page in c experiment train reproduce; do
    "$root/tools/check-pages" --long "$scratch/prefix/bin/softlab" "$root/docs/site/tutorials/$page.md"
done

if ! command -v sphinx-build >/dev/null; then
    echo "site left out: there is no sphinx-build; tools/bootstrap site installs it"
    exit 0
fi
"$root/tools/make-site" "$build/softlab" "$scratch/one"
"$root/tools/make-site" "$build/softlab" "$scratch/two"
diff -r "$scratch/one/html" "$scratch/two/html"
if grep -rlF -e "$scratch" -e "$root" "$scratch/one/html"; then
    echo "these files name this machine"
    exit 1
fi
if grep -rlE '(src|href)="https?://[^"]*\.(js|css|woff2?)"|@import url\((https?:|/)' "$scratch/one/html"; then
    echo "these files load from elsewhere"
    exit 1
fi
echo "the site has $(find "$scratch/one/html" -name '*.html' | wc -l) pages"
