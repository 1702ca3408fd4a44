"""Seconds that `import ugt` adds to `import numpy`: the least of several fresh interpreters."""

from __future__ import annotations

import subprocess
import sys

from common import seconds


def fresh(statement, tries=15):
    return min(seconds(subprocess.run, [sys.executable, "-c", statement], check=True)[0] for _ in range(tries))


def main():
    alone, both = fresh("import numpy"), fresh("import numpy, ugt")
    print(f"import numpy {1000 * alone:.0f} ms; with ugt {1000 * both:.0f} ms: {1000 * (both - alone):.0f} ms more")


if __name__ == "__main__":
    main()
