"""``python -m ugt`` is the command ``ugt``."""

import sys

from .cli import main

if __name__ == "__main__":
    sys.exit(main())
