#!/bin/sh
# A file of 4 GB is joined from eight parts and aggregated with at most a third of its size in memory, on
# one rank and on two.
#   tests/long/large_crowd.sh BUILD_FOLDER
# Needs 9 GB of room in TMPDIR. Without MPI only one process is tried, or, with SOFTLAB_STRICT=1, the
# test fails.
set -eu
here=$(dirname "$0")/../..
ranks=1,2
if ! command -v mpirun >/dev/null || [ ! -x "$1/softlab-mpi" ]; then
    echo "skipped: two ranks, no MPI (tools/bootstrap scale installs it)"
    [ "${SOFTLAB_STRICT:-}" != 1 ] || exit 1
    ranks=1
fi
exec "$("$here/tools/find-python" numpy)" "$here/bench/large_crowd.py" "$1" \
    --answers 3.9e8 --parts 8 --iterations 1 --ranks "$ranks" --most-share 0.333
