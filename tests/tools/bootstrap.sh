#!/bin/sh
# tools/bootstrap with fake system commands: PATH holds only the folder below.
. "$(dirname "$0")/support.sh"

if ! command -v dpkg >/dev/null; then
    echo "skipped: needs dpkg to compare versions"
    exit 77
fi

bin=$scratch/bin
machine() { # a machine that has everything
    rm -rf "$bin" "$scratch/installed" "$scratch/calls"
    mkdir "$bin"
    for tool in sh awk sed head dirname cat mktemp rm grep env dpkg chmod; do
        ln -s "$(command -v $tool)" "$bin/$tool"
    done
    for tool in node npm chromium pkg-config pdflatex; do
        printf '#!/bin/sh\n' >"$bin/$tool"
    done
    awk '!/^#/ && NF && $2 !~ /:/ { print $2, $3 == "-" ? "1.0" : $3 }' "$root/tools/packages" \
        >"$scratch/installed"
    # $4 is the package; the real command prints its state and version.
    cat >"$bin/dpkg-query" <<FAKE
#!/bin/sh
awk -v package="\$4" '\$1 == package { version = \$2 }
    END { if (version) print "installed", version; exit !version }' "$scratch/installed"
FAKE
    # The fake installs the newest version, unless the archive is old.
    cat >"$bin/apt-get" <<FAKE
#!/bin/sh
echo "apt-get \$*" >>"$scratch/calls"
case "\$*" in
*--print-uris*) printf "'u' f 1500000 h\n'u' f 2000000 h\n" ;;
*update*) ;;
*)
    [ ! -e "$scratch/old-archive" ] || exit 0
    for package; do
        echo "\$package 9:9" >>"$scratch/installed"
        : >"$bin/\${package%js}"
    done
    chmod +x "$bin"/*
    ;;
esac
FAKE
    printf '#!/bin/sh\necho 0\n' >"$bin/id"
    chmod +x "$bin"/*
}

without() { # package
    grep -v "^$1 " "$scratch/installed" >"$scratch/rest"
    mv "$scratch/rest" "$scratch/installed"
}

bootstrap() { # [NAME=VALUE...] arguments
    settings=
    while [ "${1#*=}" != "$1" ]; do
        settings="$settings $1"
        shift
    done
    # shellcheck disable=SC2086 # several settings, or none
    env -i PATH="$bin" TMPDIR="$scratch" $settings "$root/tools/bootstrap" "$@"
}

calls() {
    cat "$scratch/calls"
}

machine
for verb in demo check lint fuzz bench-nn site check-long latex bare; do
    passes "$verb: nothing missing" bootstrap $verb
    is_silent "$verb: nothing said"
done
[ ! -e "$scratch/calls" ]
report $? "apt-get was not called"

machine
without libpng-dev
passes "a missing package is installed" bootstrap demo
says "after its size is told" "4 MB to download for libpng-dev"
passes "by apt-get" calls
says "without recommendations" "install -y --no-install-recommends libpng-dev"
says "after an update" "update"
passes "and is not missed again" bootstrap demo
is_silent "the second time"

machine
without libcmocka-dev
passes "demo does not need what only check needs" bootstrap demo
is_silent "so nothing is said"

machine
without libevent-dev
echo "libevent-dev 2.1.12-stable-8" >>"$scratch/installed"
passes "an old libevent is replaced" bootstrap check
says "by its name" "for libevent-dev"
machine
without libevent-dev
echo "libevent-dev 2.1.12-stable-8" >>"$scratch/installed"
: >"$scratch/old-archive"
fails "an archive that has only the old one is an error" "older than needed" bootstrap check
rm "$scratch/old-archive"

machine
rm "$bin/node" "$bin/chromium"
passes "node is asked for by its command" bootstrap check
says "and so is chromium" "for nodejs chromium"
machine
rm "$bin/chromium"
passes "BROWSER=0 needs no browser" bootstrap BROWSER=0 check
says "and says so" "chromium left out (BROWSER=0)"
[ ! -e "$scratch/calls" ]
report $? "and calls nobody"

machine
without zlib1g-dev
printf '#!/bin/sh\necho 1000\n' >"$bin/id"
fails "neither root nor sudo: the command to run is told" \
    "apt-get update && apt-get install --no-install-recommends zlib1g-dev" bootstrap demo
printf '#!/bin/sh\necho sudo >>%s/calls\nexec "$@"\n' "$scratch" >"$bin/sudo"
chmod +x "$bin/sudo"
passes "with sudo it works" bootstrap demo
passes "and sudo is what it used" calls
says "as the calls show" sudo

machine
rm "$bin/apt-get"
fails "another system gets the list" "libsodium-dev" bootstrap demo
says "with the reasons" "hashes and tokens"
says "and a way round" "BOOTSTRAP=0 make demo"
passes "which works" bootstrap BOOTSTRAP=0 demo
fails "an unknown verb is an error" "usage:" bootstrap everything
passes "the list is printed on demand" bootstrap --list check
says "with least versions" ">= 2.1.12-stable-8+deb12u1"
finish
