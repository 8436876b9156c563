#!/bin/sh
# postgres.sh PROGRAM: a study moves into PostgreSQL and back without changing a byte of its exports,
# two servers serve it there at the same time, and wrong databases are refused with one sentence.
. "$(dirname "$0")/support.sh"
. "$root/tests/support/postgres.sh"
program=$1
"$program" version --json | grep -q libpq || missing "PostgreSQL in this softlab"
servers=
stop() {
    for server in $servers; do
        kill "$server" 2>/dev/null
    done
    postgres_stop
    wait
    rm -rf "$scratch"
}
trap stop EXIT
postgres_start

study=$scratch/study
"$program" study init "$study" --images shapes:n=8,size=16 --batch 4 --annotators 50 \
    --screen collins,hard --contact "Ada Lovelace, ada@example.org" --quiet >/dev/null || exit 1

serve() { # name; sets $url
    "$program" study serve "$study" --port 0 --admin-port 0 >"$scratch/$1.txt" 2>&1 &
    servers="$servers $!"
    server=$!
    tries=0
    until url=$(sed -n 's|^annotators: *\(http://127.0.0.1:[0-9]*/\)$|\1|p' "$scratch/$1.txt" 2>/dev/null) &&
        [ -n "$url" ]; do
        tries=$((tries + 1))
        [ "$tries" -lt 600 ] || exit 1
        sleep .1
    done
}
stop_server() { # its number
    kill "$1"
    wait "$1"
}
exports() { # folder
    mkdir "$1"
    for format in answers items trials changes payments; do
        "$program" study export "$study" -f "$format" -o "$1/$format" --quiet
    done
}
annotate() { # seed
    "$program" study simulate "$url" --study "$study" --annotators 6 --at-once 6 --speed 0 --no-images \
        --count --seed "$1" --quiet
}

serve first
passes "annotators answer on SQLite" annotate 1
stop_server "$server"
exports "$scratch/before"
passes "there is something to compare" test -s "$scratch/before/answers"

# ---- What is refused ----

migrate() { "$program" study migrate "$study" "$@"; }
fails "a password is not kept" "contains a password" migrate --to "postgresql://me:secret@localhost/x"
fails "a file is no URL" "takes a URL of PostgreSQL" migrate --to "$scratch/x.db"
serve_at() { "$program" study serve "$study" --port 0 --admin-port 0 --database "$1"; }
fails "another kind of database" "mysql:// is not a database that softlab knows" serve_at "mysql://me:secret@x/y"
key_value="host=$postgres_folder user=softlab password=S3cretPw"
fails "words in place of a URL" "--database takes a URL of PostgreSQL" serve_at "$key_value"
cp "$scratch/output" "$scratch/said"
passes "and the password in them is not repeated" sh -c "! grep S3cretPw '$scratch/said'"
fails "a password that others could read" "put it into ~/.pgpass" serve_at "postgresql://me:secret@localhost/x"
fails "a password in disguise" "contains a password" migrate --to "postgresql://localhost/x?pass%77ord=secret"
fails "two lines" "takes a URL of PostgreSQL" migrate --to "$postgres_url
x"
fails "nothing to move back" "in study.db already" migrate
fails "a database that is away" "check that PostgreSQL runs" migrate --to "postgresql:///x?host=/nowhere"
fails "a database that does not exist" "does not exist" migrate --to "postgresql:///none?host=$postgres_folder&user=softlab"
postgres_sql "CREATE TABLE birds(a int)"
fails "another program's database" "of another program" migrate --to "$postgres_url"
postgres_sql "DROP TABLE birds"
serve second
fails "a study that is served" "is already served" migrate --to "$postgres_url"
stop_server "$server"

# ---- There and back ----

passes "the study moves into PostgreSQL" migrate --to "$postgres_url"
exports "$scratch/there"
passes "its exports are the same there" diff -r "$scratch/before" "$scratch/there"
fails "it moves once" "in PostgreSQL already" migrate --to "$postgres_url"
passes "a backup is a file" "$program" study backup "$study" "$scratch/backup.db"
fails "a restore says what to do" "study migrate" "$program" study restore "$scratch/backup.db" "$study" --force
serve third
passes "annotators answer on PostgreSQL" annotate 2
# Another server that keeps every session for a tenth of a second, again and again.
hold() {
    for _ in 1 2 3 4 5 6 7 8 9 10; do
        postgres_sql "BEGIN; SELECT 1 FROM sessions FOR NO KEY UPDATE; SELECT pg_sleep(.1); COMMIT"
    done
}
hold &
holder=$!
passes "a session that another server has is waited for" annotate 4
wait "$holder"
serve fourth
passes "a second server serves the same study" annotate 3
fails "a study in use does not move" "in use" migrate
passes "status counts everybody" sh -c "'$program' study status '$study' --json | grep -q '\"done\": 24'"
for server in $servers; do
    kill "$server" 2>/dev/null
done
wait "$server"
servers=
exports "$scratch/more"
passes "the study moves back" migrate
exports "$scratch/back"
passes "its exports are the same again" diff -r "$scratch/more" "$scratch/back"
passes "the first answers are still the first" sh -c \
    "head -n \"\$(wc -l <'$scratch/before/answers')\" '$scratch/back/answers' | cmp - '$scratch/before/answers'"

# ---- Of the databases that a study had, one is served ----

# A folder elsewhere that names the database which the study has left.
elsewhere=$scratch/elsewhere
copy_study() {
    rm -rf "$elsewhere"
    cp -R "$study" "$elsewhere"
    rm -f "$elsewhere"/study.db* "$elsewhere/study.database"
    [ -z "${1:-}" ] || printf '%s\n' "$1" >"$elsewhere/study.database"
}
status_of() { "$program" study status "$elsewhere"; }
serve_elsewhere() { timeout 60 "$program" study serve "$elsewhere" --port 0 --admin-port 0; }
copy_study "$postgres_url"
fails "the tables that were left are not served" "this study moved to $study/study.db of $(uname -n) on " serve_elsewhere
fails "nor read" "this study moved to" status_of
fails "nor backed up" "this study moved to" "$program" study backup "$elsewhere" "$scratch/old.db"
passes "a study moves to the database that it left" migrate --to "$postgres_url"
exports "$scratch/again"
passes "its exports are the same there, too" diff -r "$scratch/more" "$scratch/again"
passes "and those who have its URL can read it again" status_of
copy_study
for kept in "$study"/study.db.migrated-*; do
    last=$kept
done
cp "$last" "$elsewhere/study.db"
fails "the file that was left is not served" "this study moved to postgresql:///postgres?host=" serve_elsewhere
passes "but can be restored" "$program" study restore "$last" "$elsewhere" --force
passes "and read then" status_of
passes "the study moves back once more" migrate

# A server whose connection is cut while the study leaves.
passes "the study is shared again" migrate --to "$postgres_url"
copy_study "$postgres_url"
home=$study
study=$elsewhere
serve fifth
study=$home
cut="SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'softlab'"
tries=0
until postgres_sql "$cut" && "$program" study migrate "$study" >"$scratch/output" 2>&1; do
    tries=$((tries + 1))
    [ "$tries" -lt 50 ] || exit 1
done
answers() {
    "$postgres_bin/psql" -X -A -t -h "$postgres_folder" -U softlab -d postgres -c "SELECT count(*) FROM answers"
}
before=$(answers)
fails "a server that comes back accepts nothing" "" "$program" study simulate "$url" --study "$study" \
    --annotators 1 --speed 0 --no-images --count --seed 7 --patience 1 --quiet
passes "and says where the study is" grep -q "this study moved to $study/study.db" "$scratch/fifth.txt"
passes "the tables hold what they held" test "$(answers)" -eq "$before"
stop_server "$server"
fails "a database with another study is not taken" "holds a study already" sh -c \
    "'$program' study init '$scratch/dogs' --images shapes:n=4,size=16 --batch 4 --annotators 5 --screen hard \
        --contact 'Ada, ada@example.org' --quiet >/dev/null &&
    '$program' study migrate '$scratch/dogs' --to '$postgres_url'"
finish
