#!/usr/bin/env bash
# Tests an offline archive: unpacks it into an empty folder, installs it and runs `ugt demo` and the tests without a network.
# Run: packaging/offline_test.sh [ARCHIVE.tar.gz]      PYTEST_ARGS="-q tests/unit" for fewer tests
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
archive=$(readlink -f "${1:-$(ls -t "$root"/dist/ugt-*-offline-manylinux*.tar.gz | head -n 1)}")
version=$(sed -E 's/.*-py([0-9.]+)\.tar\.gz$/\1/' <<<"$archive")

if unshare -rn true 2>/dev/null; then cut_off=(unshare -rn); elif unshare -n true 2>/dev/null; then cut_off=(unshare -n)
else echo "no network namespace can be made here: skipped"; exit 0; fi
python=$(compgen -G "$HOME/.pyenv/versions/$version.*/bin/python" | sort -V | tail -n 1 || command -v "python$version" || true)
if [ -z "$python" ]; then echo "Python $version is not installed: skipped"; exit 0; fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/home" "$work/tmp" "$work/tests-of"
tar -xzf "$archive" -C "$work"
mv "$work"/ugt-*-offline-* "$work/archive"

# For the test only, next to the archive: the tests, and the wheels that run them, downloaded before the network is cut.
(cd "$root" && cp -r LICENSE CHANGELOG.md CITATION.cff MANIFEST.in Makefile README.md benchmarks docs packaging pyproject.toml recipe setup.py tests ugt "$work/tests-of")
find "$work/tests-of" \( -name '*.so' -o -name '_*.c' \) -path '*/_core/*' -delete
for more in .ci .github; do [ ! -d "$root/$more" ] || cp -r "$root/$more" "$work/tests-of"; done
numpy=$(grep -oE '^(numpy|scipy)==[^ ]+' "$work/archive/requirements.txt")
"$python" -m pip download --quiet --disable-pip-version-check --only-binary=:all: --dest "$work/test-wheels" \
    $numpy "pytest>=7" pytest-xdist hypothesis scikit-learn pyyaml

cat >"$work/inside.sh" <<'INSIDE'
set -euo pipefail
"$PYTHON" - <<'CHECK'
import socket
try:
    socket.create_connection(("192.0.2.1", 80), timeout=2)
except OSError as problem:
    print("no network:", problem)
else:
    raise SystemExit("the network is reachable: this test would show nothing")
CHECK
cd "$WORK"
sh archive/install.sh "$WORK/env"
env/bin/ugt demo --out demo >demo.txt
tail -n 1 demo.txt
# A changed byte must stop the installation.
cp -r archive changed
printf x >>"$(ls changed/wheelhouse/ugt-*.whl)"
if sh changed/install.sh "$WORK/env-changed" >changed.txt 2>&1; then echo "a changed wheel was installed" >&2; exit 1; fi
grep -q "DO NOT MATCH THE HASHES" changed.txt && echo "a changed wheel is rejected"
env/bin/python -m pip --isolated --disable-pip-version-check install --quiet --no-index --find-links test-wheels pytest pytest-xdist hypothesis scikit-learn pyyaml
cd tests-of
../env/bin/pytest -p no:cacheprovider $PYTEST_ARGS
INSIDE
start=$SECONDS
"${cut_off[@]}" env -i PATH=/usr/bin:/bin HOME="$work/home" TMPDIR="$work/tmp" LANG=C.UTF-8 OPENBLAS_NUM_THREADS=1 \
    PYTHON="$python" WORK="$work" PYTEST_ARGS="${PYTEST_ARGS:--q -n 2 --ignore=tests/statistical}" bash "$work/inside.sh"
echo "$(basename "$archive"): installed, demonstrated and tested without a network in $((SECONDS - start)) s"
