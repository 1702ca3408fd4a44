#!/usr/bin/env bash
# Checks that the source distribution builds with its declared requirements only: an isolated build, a new environment, `ugt demo`.
# Run: packaging/sdist_test.sh [PYTHON]
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
python=${1:-python3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset PYTHONPATH UGT_CFLAGS UGT_ABI3
export PIP_DISABLE_PIP_VERSION_CHECK=1

# Builds a copy, because files of earlier builds in the folder could make it work.
mkdir "$work/source" "$work/elsewhere"
(cd "$root" && cp -r CHANGELOG.md CITATION.cff LICENSE MANIFEST.in Makefile README.md benchmarks docs packaging pyproject.toml recipe setup.py tests ugt "$work/source")
find "$work/source" \( -name '*.so' -o -name '_*.c' \) -path '*/_core/*' -delete
"$python" -m venv "$work/build"
"$work/build/bin/python" -m pip install --quiet build
"$work/build/bin/python" -m build --sdist --outdir "$work/dist" "$work/source" >"$work/log" 2>&1 || { tail -n 50 "$work/log"; exit 1; }
sdist=$(ls "$work"/dist/ugt-*.tar.gz)
if tar -tzf "$sdist" | grep -E '\.(so|pyd|pyc)$|/_core/_[a-z_]+\.c$'; then echo "built files in the sdist" >&2; exit 1; fi
"$python" -m venv "$work/env"
"$work/env/bin/python" -m pip install --quiet --no-cache-dir "$sdist"
cd "$work/elsewhere"
"$work/env/bin/ugt" --version
"$work/env/bin/ugt" demo --out demo | tail -n 1
if "$work/env/bin/python" -c "import Cython" 2>/dev/null; then echo "Cython was installed with ugt" >&2; exit 1; fi
echo "$(basename "$sdist"): built in isolation, installed, demonstrated in $SECONDS s"
