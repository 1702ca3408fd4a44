"""Scripts of the repository that are no part of the package; those of a folder import each other by name."""

import importlib
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def script(folder, name):
    """A script as a module."""
    sys.path.insert(0, str(ROOT / folder))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(str(ROOT / folder))
