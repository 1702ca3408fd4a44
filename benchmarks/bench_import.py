"""Seconds that `import ugt` adds to `import numpy`, in fresh interpreters."""

from __future__ import annotations

import os
import subprocess
import sys

from common import Bench, Target, Work

bench = Bench(__file__)


def fresh(statement):
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}  # modules are compiled once, as for any user
    return lambda: subprocess.run([sys.executable, "-c", statement], check=True, env=environment)


@bench.job(targets=[Target("1.3", "ms more", at_most=50)])
def importing():
    """import of ugt and numpy in a fresh interpreter"""
    also = lambda measured, _: {"ms more": 1000 * measured["s"] * (1 - 1 / measured["import numpy"])}  # noqa: E731
    return Work(fresh("import numpy, ugt"), {"import numpy": fresh("import numpy")}, also=also)


if __name__ == "__main__":
    bench.main()
