"""Where the examples of the worked studies run: in a folder that holds their data, skipped where these are not here."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import _studies


@pytest.fixture(autouse=True)
def data(request, tmp_path, monkeypatch):
    """Change into a folder that holds the files which the page names."""
    page = Path(str(request.node.fspath))
    if page.parent == _studies.STUDIES and page.stem in _studies.PAGES:
        try:
            _studies.lay_out(page.stem, tmp_path)
        except FileNotFoundError as missing:
            pytest.skip(str(missing))
        monkeypatch.chdir(tmp_path)
