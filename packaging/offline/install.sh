#!/bin/sh
# Installs ugt without a network: sh install.sh [FOLDER]     (default: ugt-env, here)
# With another interpreter:       PYTHON=/opt/python/bin/python@PYTHON@ sh install.sh
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
target=${1:-ugt-env}
wanted=@PYTHON@

is_wanted() { "$1" -c "import sys; sys.exit('%d.%d' % sys.version_info[:2] != '$wanted')" >/dev/null 2>&1; }

if [ -n "${PYTHON:-}" ]; then
    is_wanted "$PYTHON" || { echo "install.sh: these wheels are for Python $wanted; $PYTHON is not that, or does not run" >&2; exit 2; }
else
    for candidate in "python$wanted" python3 python; do
        if is_wanted "$candidate"; then PYTHON=$candidate; break; fi
    done
    [ -n "${PYTHON:-}" ] || { echo "install.sh: no Python $wanted on the PATH; name it: PYTHON=... sh install.sh" >&2; exit 2; }
fi
if [ -e "$target" ]; then echo "install.sh: $target is there already; name another folder, or remove it" >&2; exit 2; fi

"$PYTHON" -m venv "$target" || { echo "install.sh: no environment could be made; on Debian and Ubuntu, install python3-venv" >&2; exit 1; }
# --isolated, --no-index: no settings of this machine, nobody is asked; a hash that differs stops the installation.
"$target/bin/python" -m pip --isolated --disable-pip-version-check --no-cache-dir install --quiet --no-index \
    --find-links "$here/wheelhouse" --require-hashes --only-binary=:all: -r "$here/requirements.txt"

"$target/bin/python" -c "
import ugt
value = ugt.annotation_certainty(ugt.dirichlet(ugt.Labels.from_counts([[3, 1]]), prior=0.5)).value
if abs(value - 0.839530545263) > 1e-11:
    raise SystemExit('install.sh: a number that must be 0.839530545263 is %r: do not use this installation' % value)
"
"$target/bin/ugt" --version
echo "Installed. Next: $target/bin/ugt demo --out ugt-demo"
