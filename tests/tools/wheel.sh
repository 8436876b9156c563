#!/bin/sh
# make wheel writes a wheel that installs into a fresh virtual environment without network, and works
# there: the import, the program beside it, and all tests of the package.
. "$(dirname "$0")/support.sh"

python=$("$root/tools/find-python" ensurepip numpy pandas) || {
    echo "skipped: no python3 with venv, numpy and pandas (tools/bootstrap check installs them)"
    exit 77
}
make_wheel() {
    env -u MAKEFLAGS -u MAKELEVEL -u DESTDIR -u CC -u CXX make -C "$root" wheel
}
passes "make wheel writes a wheel" make_wheel
wheel=$(sed -n 's|.*\(build/wheel/.*\.whl\)$|\1|p' "$scratch/output")
passes "the same inputs give the same bytes" sh -c "
    '$root/tools/make-wheel' '$root/build/release' '$scratch/again' &&
    cmp '$root/$wheel' '$scratch'/again/*.whl"

passes "a virtual environment is made" "$python" -m venv --system-site-packages "$scratch/venv"
passes "the wheel is installed without network" \
    "$scratch/venv/bin/pip" install -q --no-index --no-deps --disable-pip-version-check "$root/$wheel"
cd "$scratch" || exit 1
passes "the package is imported from there" "$scratch/venv/bin/python" -c '
import softlab; print(softlab.__file__, softlab._program.find(), softlab.dataset("shapes:n=3"))'
says "and not from the source" "$scratch/venv/lib"
says "with its program" "$scratch/venv/bin/softlab"
says "and its library" "3 images, 6 classes"
passes "the program runs" "$scratch/venv/bin/softlab" version
run_tests() {
    cd "$root/tests/python" &&
        SOFTLAB_PROGRAM=$scratch/venv/bin/softlab PYTHONDONTWRITEBYTECODE=1 \
            "$scratch/venv/bin/python" -m unittest discover -q
}
passes "all tests of the package pass" run_tests
passes "it says what is missing without its library" sh -c "
    SOFTLAB_LIBRARY=/nowhere.so '$scratch/venv/bin/python' -c 'import softlab' 2>&1 | grep ImportError"
says "and what to do" "set SOFTLAB_LIBRARY"
finish
