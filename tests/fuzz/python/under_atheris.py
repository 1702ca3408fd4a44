"""Runs a target under atheris: ``python under_atheris.py TARGET [options of libFuzzer] [folders]``; without one it names all."""

import faulthandler
import resource
import sys
import time
from pathlib import Path

import atheris

MOST_SECONDS = 40.0  # everything is slow under atheris, and the machine may be busy
MOST_MEMORY = 6 << 30  # of addresses: what asks for more gets a MemoryError, which is a finding


def main():
    sys.path.insert(0, str(Path(__file__).parents[2]))  # as the tests import them
    if len(sys.argv) < 2:
        from fuzz.python import targets

        print("\n".join(targets.TARGETS))
        return
    name = sys.argv.pop(1)
    faulthandler.enable()
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    with atheris.instrument_imports(include=["ugt"]):
        from fuzz.python import targets
    targets.trust_checksums()
    run = targets.TARGETS[name]

    def timed(data):
        begin = time.perf_counter()
        run(data)
        seconds = time.perf_counter() - begin
        assert seconds < MOST_SECONDS, f"{seconds:.0f} seconds for {len(data)} bytes"

    atheris.Setup([sys.argv[0], *sys.argv[1:]], timed)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
