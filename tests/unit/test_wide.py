"""What the compiled functions for wider vectors leave behind, which no result shows."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from ugt._core import _histogram, _panels, _plackett_luce, _resample, _soft

WIDE = re.compile(r"^[0-9a-f]+ <(\w+\.avx2[\w.]*)>:$")


def dirty(listing):
    """The functions of a disassembly that use 32 bytes of a register and never clear the upper halves, and how many use them."""
    clears, name = {}, None
    for line in listing.splitlines():
        if line.endswith(">:"):
            found = WIDE.match(line)
            name = found[1] if found else None
        elif name and "%ymm" in line:
            clears.setdefault(name, False)
        elif name in clears and "vzeroupper" in line:
            clears[name] = True
    return sorted(name for name, cleared in clears.items() if not cleared), len(clears)


def test_upper_halves_are_cleared():
    """Else all other instructions wait for them, on some processors: gcc 12 forgets it before calls of wide functions of the same file."""
    if shutil.which("objdump") is None:
        pytest.skip("objdump is not here")
    n = 0
    for module in (_histogram, _panels, _plackett_luce, _resample, _soft):
        command = ["objdump", "-d", "--no-show-raw-insn", str(Path(module.__file__))]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        left, wide = dirty(done.stdout)
        assert left == [], module.__name__
        n += wide
    if not n:
        pytest.skip("no function has a version for wider vectors here")


def test_what_is_found():
    lines = [
        "00 <sum.avx2>:",
        " 1: vmulpd %ymm0,%ymm1,%ymm2",
        " 2: jmp 77",
        "03 <more.avx2>:",
        " 4: vmovapd %ymm0,(%rdi)",
        " 5: vzeroupper",
    ]
    assert dirty("\n".join([*lines, "06 <sum>:", " 7: mulpd %xmm0,%xmm1"])) == (["sum.avx2"], 2)
