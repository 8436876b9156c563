#!/bin/sh
# nginx.sh PROGRAM: the files of docs/server do what docs/server.md says. A real nginx with TLS and a
# self-signed certificate runs in front of the server; only ports, paths and the researcher's network
# of the example are replaced. systemd-analyze checks the units if it is installed.
. "$(dirname "$0")/support.sh"
program=$1
PATH=$PATH:/usr/sbin:/sbin
for needed in nginx curl openssl; do
    command -v "$needed" >/dev/null || {
        echo "skipped: $needed is not installed"
        exit 77
    }
done
server=
proxy=
stop() {
    [ -z "$proxy" ] || kill "$proxy" 2>/dev/null
    [ -z "$server" ] || kill "$server" 2>/dev/null
    wait
    rm -rf "$scratch"
}
trap stop EXIT

# ---- The study ----

study=$scratch/study
"$program" study init "$study" --images shapes:n=6,size=16 --batch 3 --screen hard \
    --contact "Ada Lovelace, ada@example.org" --quiet >/dev/null ||
    exit 1
# One place per address, which shows the address that the server sees.
sed -i -e 's/"places_per_address": 0/"places_per_address": 1/' -e 's/"practice": true/"practice": false/' \
    -e 's/"shuffle_options": true/"shuffle_options": false/' \
    "$study/study.json"
echo "correct horse battery" | "$program" study password "$study" >/dev/null || exit 1
"$program" study serve "$study" --port 0 --admin-port 0 --behind-proxy >"$scratch/serve.txt" 2>&1 &
server=$!
port_of() { # who
    sed -n "s|^$1: *http://127.0.0.1:\([0-9]*\)/.*|\1|p" "$scratch/serve.txt"
}
tries=0
until [ -n "$(port_of researcher)" ]; do
    tries=$((tries + 1))
    if [ $tries -gt 300 ] || ! kill -0 $server 2>/dev/null; then
        cat "$scratch/serve.txt"
        exit 1
    fi
    sleep .1
done

# ---- The proxy ----

openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 \
    -subj /CN=study.example.org -addext subjectAltName=DNS:study.example.org,DNS:research.example.org \
    -keyout "$scratch/privkey.pem" -out "$scratch/fullchain.pem" 2>"$scratch/output" || exit 1
mkdir "$scratch/www" "$scratch/temp"
cat >"$scratch/nginx.conf" <<END
pid $scratch/nginx.pid;
daemon off;
worker_processes 1;
$([ "$(id -u)" -ne 0 ] || echo "user $(id -un) $(id -gn);")
events { worker_connections 256; }
http {
    client_body_temp_path $scratch/temp/body;
    proxy_temp_path $scratch/temp/proxy;
    fastcgi_temp_path $scratch/temp/fastcgi;
    uwsgi_temp_path $scratch/temp/uwsgi;
    scgi_temp_path $scratch/temp/scgi;
    include $scratch/site.conf;
}
END
site() { # port for http, port for https
    sed -e "s/listen 80;/listen 127.0.0.1:$1;/" -e "s/listen 443 /listen 127.0.0.1:$2 /" \
        -e '/listen \[::\]/d' -e "s|/etc/letsencrypt/live/study.example.org|$scratch|" \
        -e "s|/var/log/nginx|$scratch|" -e "s|/var/www/letsencrypt|$scratch/www|" \
        -e "s/127.0.0.1:8080/127.0.0.1:$(port_of annotators)/" \
        -e "s/127.0.0.1:8081/127.0.0.1:$(port_of researcher)/" \
        -e 's|192.0.2.0/24|127.0.0.2|' "$root/docs/server/nginx.conf" >"$scratch/site.conf"
}
# nginx needs a port number: if a port is taken, try another.
tries=0
while [ -z "$proxy" ]; do
    tries=$((tries + 1))
    [ $tries -le 20 ] || exit 1
    plain=$((20000 + ($$ * 7 + tries * 13) % 20000))
    secure=$((plain + 20000))
    site $plain $secure
    nginx -p "$scratch" -c "$scratch/nginx.conf" -e "$scratch/error.log" 2>"$scratch/output" &
    proxy=$!
    waited=0
    until curl -s -o /dev/null "http://127.0.0.1:$plain/"; do
        waited=$((waited + 1))
        if [ $waited -gt 100 ] || ! kill -0 $proxy 2>/dev/null; then
            kill $proxy 2>/dev/null
            wait $proxy
            grep -q "Address already in use" "$scratch/error.log" "$scratch/output" || {
                cat "$scratch/error.log" "$scratch/output"
                exit 1
            }
            proxy=
            break
        fi
        sleep .1
    done
done
passes "nginx finds the example without fault" \
    nginx -t -p "$scratch" -c "$scratch/nginx.conf" -e "$scratch/error.log"

# ask FROM HOST PATH [OPTION...]: head and body of a reply over TLS, from a loopback address of its own.
ask() {
    from=$1
    host=$2
    path=$3
    shift 3
    curl -s -i --max-time 20 --cacert "$scratch/fullchain.pem" --interface "$from" \
        --resolve "$host:$secure:127.0.0.1" -c "$scratch/jar.$from" -b "$scratch/jar.$from" "$@" \
        "https://$host:$secure$path"
}
annotator() {
    ask 127.0.0.3 study.example.org "$@"
}
post() { # path body
    annotator "$1" -H "Origin: https://study.example.org:$secure" -H "Content-Type: application/json" -d "$2"
}
researcher() {
    ask 127.0.0.2 research.example.org "$@"
}
header() { # SENTENCE PATTERN
    tr -d '\r' <"$scratch/output" | grep -qiE -e "$2"
    report $? "$1"
}

# ---- An annotator ----

passes "plain http is answered" curl -s -i --resolve "study.example.org:$plain:127.0.0.1" \
    "http://study.example.org:$plain/?x=1"
header "with a redirect to https" '^location: https://study.example.org/\?x=1$'
passes "somebody comes over https" annotator "/?id=somebody"
header "and is sent to the study" '^HTTP/[0-9.]+ 303'
header "with a cookie for https only" '^set-cookie: softlab=[0-9a-f]{64};.*; Secure$'
header "and a year of https" '^strict-transport-security: max-age=31536000$'
passes "the page comes" annotator /study
header "whole" '^HTTP/[0-9.]+ 200'
header "with the server's own policy" "^content-security-policy: default-src 'none'"
passes "consent is stored" post /api/consent '{"version": "1", "agreed": true}'
header "and acknowledged" '"place": *"instructions"'
post /api/instructions '{"pages": [1, 2, 3]}' >"$scratch/output"
passes "the check is passed" post /api/check '{"answers": [0, 0]}'
header "and the trials begin" '"place": *"trials"'
annotator /api/session >"$scratch/output"
image=$(grep -o '"image/[0-9a-f]*"' "$scratch/output" | head -n 1 | tr -d '"')
annotator "/$image" -o "$scratch/picture" -i >/dev/null
cp "$scratch/picture" "$scratch/output"
header "a picture comes" '^content-type: image/png$'
grep -q PNG "$scratch/picture"
report $? "and is a PNG"
passes "an answer is sent" post /api/answer '{"id": "00000000000000000000000000000001", "trial": 0,
    "practice": false, "elapsed": 1800, "times": {"class": [700, 1500]}, "answer": {"class": "square"}}'
header "and saved" '"saved": *"00000000000000000000000000000001"'
passes "a page of another site is answered" annotator /api/consent -H "Origin: https://evil.test" \
    -H "Content-Type: application/json" -d '{"version": "1", "agreed": true}'
header "with a refusal" '^HTTP/[0-9.]+ 403'
head -c 70000 /dev/zero | tr '\0' ' ' >"$scratch/large"
passes "a body beyond 64 KiB is answered" annotator /api/answer -d "@$scratch/large"
header "with a refusal" '^HTTP/[0-9.]+ 413'

# ---- Whose address the server sees ----

rm "$scratch"/jar.*
passes "a second person of the same address is answered" annotator /
header "that there is no place left" 'no place left for your network'
passes "and so is one who claims another address" annotator / -H "X-Forwarded-For: 203.0.113.9"
header "which nginx drops" 'no place left for your network'
passes "somebody of another address comes" ask 127.0.0.4 study.example.org /
header "and has a place" '^HTTP/[0-9.]+ 303'

# ---- The researcher ----

fails "another name is refused" "unrecognized name" ask 127.0.0.2 other.example.org / -S
passes "the researcher's page is answered from elsewhere" ask 127.0.0.3 research.example.org /admin
header "with a refusal" '^HTTP/[0-9.]+ 403'
passes "the researcher logs in" researcher /admin/login -H "Origin: https://research.example.org:$secure" \
    -H "Content-Type: application/json" -d '{"password": "correct horse battery"}'
header "with a cookie for https only" '^set-cookie: softlab-admin=.*; *Secure$'
passes "an export is asked for" researcher /admin/export/answers
header "and comes" '"item": *"shapes-'
passes "the counters are asked for" researcher /metrics
header "and are not for the proxy's clients" '^HTTP/[0-9.]+ 404'
cat "$scratch"/softlab*.log >"$scratch/output"
header "nginx keeps a log" ' GET / 303 '
! grep -qE '127\.0\.0\.[34]|somebody' "$scratch/output"
report $? "with neither addresses nor queries in it"

# ---- Backups and units ----

mkdir "$scratch/backups"
touch -d '20 days ago' "$scratch/backups/2020-01-01T00-00-00Z.db" "$scratch/backups/mine.db"
passes "a backup is made while the study is served" env SOFTLAB="$program" \
    "$root/docs/server/softlab-backup" "$study" "$scratch/backups" 14
find "$scratch/backups" -type f | sed 's|.*/||' | sort >"$scratch/output"
header "with the texts" 'T.*Z\.texts\.tar\.gz$'
grep -qx mine.db "$scratch/output" && ! grep -q 2020 "$scratch/output"
report $? "and only its own old copies are deleted"
copy=$(find "$scratch/backups" -name '2*.db')
kill -TERM $server
wait $server
report $? "the server ends well on SIGTERM"
server=
passes "the backup can be restored" "$program" study restore "$copy" "$study" --force
passes "and exported" "$program" study export "$study" -o -
says "with the answer in it" '"item"'
if command -v systemd-analyze >/dev/null; then
    mkdir "$scratch/units"
    cp "$root"/docs/server/*.service "$root"/docs/server/*.timer "$scratch/units"
    sed -i -e "s|/usr/local/bin/softlab|$program|" \
        -e "s|/usr/local/sbin/softlab-backup|$root/docs/server/softlab-backup|" "$scratch/units"/*
    passes "the units are found without fault" \
        systemd-analyze verify --man=no "$scratch/units"/*.service "$scratch/units"/*.timer
    is_silent "and without a word"
fi
finish
