#!/bin/sh
# Every notebook runs from its first to its last cell: notebooks.sh BUILD
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$1" && pwd)
python=$("$root/tools/find-python" numpy pandas nbconvert ipykernel) || {
    echo "notebooks left out: no python3 with pandas, nbconvert and ipykernel; tools/bootstrap check-long installs them"
    exit 0
}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export SOFTLAB_LIBRARY="$build/libsoftlab.so.0" SOFTLAB_PROGRAM="$build/softlab"
export PYTHONPATH="$root/python" PYTHONDONTWRITEBYTECODE=1 PYDEVD_DISABLE_FILE_VALIDATION=1 TMPDIR="$scratch"
for notebook in "$root"/python/notebooks/*.ipynb; do
    "$python" -m nbconvert --to notebook --execute --ExecutePreprocessor.timeout=600 \
        --ExecutePreprocessor.kernel_name=python3 --output-dir "$scratch" --log-level ERROR "$notebook"
    cells=$(grep -c '"cell_type": "code"' "$notebook")
    ran=$(grep -cE '"execution_count": [0-9]+' "$scratch/$(basename "$notebook")")
    [ "$ran" -ge "$cells" ] || {
        echo "$notebook: only $ran of $cells cells have run"
        exit 1
    }
    echo "$(basename "$notebook"): $cells cells ran"
done
