"""Seconds that `import ugt` adds to `import numpy`, in fresh interpreters."""

from __future__ import annotations

import os
import subprocess
import sys

from common import Bench, Target, Work, grid

bench = Bench(__file__)


def fresh(statement):
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}  # modules are compiled once, as for any user
    return lambda: subprocess.run([sys.executable, "-c", statement], check=True, env=environment)


STATEMENTS = {
    "nothing": "import numpy, ugt",
    "soft_auroc": "import numpy, ugt; ugt.soft_auroc",
    "everything": "import numpy, ugt; [getattr(ugt, name) for name in dir(ugt) if name not in ('dask', 'plots')]",
}


@bench.job(grid(used=tuple(STATEMENTS)), targets=[Target("1.3", "ms more", at_most=50, used="nothing")])
def importing(used):
    """import of ugt and numpy in a fresh interpreter, and of what is used of ugt"""
    also = lambda measured, _: {"ms more": 1000 * measured["s"] * (1 - 1 / measured["import numpy"])}  # noqa: E731
    return Work(fresh(STATEMENTS[used]), {"import numpy": fresh("import numpy")}, also=also)


if __name__ == "__main__":
    bench.main()
