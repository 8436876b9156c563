# A PostgreSQL server of a test's own, in a temporary folder, on a socket. Source this file after
# tools/support.sh, call postgres_start, and postgres_stop on every path; $postgres_url is the URL of
# an empty database. A test without PostgreSQL is skipped, or fails with SOFTLAB_STRICT=1.
# shellcheck shell=sh
postgres_folder=
postgres=

missing() { # what
    if [ "${SOFTLAB_STRICT:-0}" = 1 ]; then
        echo "failed: no $1 (tools/bootstrap scale installs it)"
        exit 1
    fi
    echo "skipped: no $1 (tools/bootstrap scale installs it)"
    exit 77
}

# PostgreSQL refuses to run as root.
as_postgres() {
    if [ "$(id -u)" -eq 0 ]; then
        setpriv --reuid=postgres --regid=postgres --clear-groups "$@"
    else
        "$@"
    fi
}

postgres_start() {
    postgres_bin=$(find /usr/lib/postgresql -name initdb 2>/dev/null | sort -V | tail -n 1)
    [ -n "$postgres_bin" ] || missing "PostgreSQL server"
    postgres_bin=$(dirname "$postgres_bin")
    postgres_folder=$(mktemp -d /tmp/softlab-postgres-XXXXXX)
    chmod 755 "$postgres_folder"
    [ "$(id -u)" -ne 0 ] || chown postgres "$postgres_folder"
    as_postgres "$postgres_bin/initdb" -D "$postgres_folder/data" -A trust -U softlab --no-sync \
        --locale=C >"$postgres_folder.log" 2>&1 || {
        cat "$postgres_folder.log"
        exit 1
    }
    # exec: the process number is the server's, not that of a shell around it.
    if [ "$(id -u)" -eq 0 ]; then
        set -- setpriv --reuid=postgres --regid=postgres --clear-groups
    else
        set --
    fi
    "$@" "$postgres_bin/postgres" -D "$postgres_folder/data" -c listen_addresses= \
        -c "unix_socket_directories=$postgres_folder" >"$postgres_folder.log" 2>&1 &
    postgres=$!
    # shellcheck disable=SC2034 # for the test that sources this
    postgres_url="postgresql:///postgres?host=$postgres_folder&user=softlab"
    waited=0
    until postgres_sql "SELECT 1"; do
        waited=$((waited + 1))
        [ "$waited" -lt 600 ] || exit 1
        sleep .1
    done
}

postgres_sql() { # SQL
    "$postgres_bin/psql" -X -q -v ON_ERROR_STOP=1 -h "$postgres_folder" -U softlab -d postgres -c "$1" \
        >/dev/null 2>&1
}

postgres_stop() {
    if [ -n "$postgres" ]; then
        kill -INT "$postgres" 2>/dev/null
        wait "$postgres"
    fi
    postgres=
    [ -z "$postgres_folder" ] || rm -rf "$postgres_folder" "$postgres_folder.log"
}
