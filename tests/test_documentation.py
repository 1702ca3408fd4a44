"""The documentation as tests: all public names and pages are in it, examples are run, links lead somewhere, words are plain."""

import doctest
import importlib
import importlib.util
import json
import re
import shlex
from pathlib import Path

import pytest

import ugt
from ugt import cli

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
NAMED = {page.relative_to(DOCS).with_suffix("").as_posix(): page for page in PAGES}
TEXTS = [*(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")), *PAGES]
COPIED = [ROOT / "README.md", DOCS / "index.md", DOCS / "quickstart.md"]  # pages with blocks without prompts

# In the Makefile's target docs: what pytest is given to run. Every text with an example must be among it.
RUN_BY_DOCTEST = ("--doctest-glob='*.md' README.md docs", "--doctest-modules ugt")

# Words that promise instead of saying something, and words that tell readers how easy they should find it.
FORBIDDEN = (
    *("very", "simply", "obviously", "clearly", "basically", "powerful", "state-of-the-art", "cutting-edge", "seamless", "seamlessly"),
    *("robustly", "novel", "leverage", "leverages", "leveraging", "utilize", "utilise", "blazing", "effortless", "effortlessly"),
    *("comprehensive", "intuitive", "world-class", "best-in-class", "game-changing", "delve", "unleash", "supercharge", "performant"),
    *("easy-to-use", "user-friendly", "of course", "needless to say", "it should be noted", "in order to", "please note"),
)

FENCE = re.compile(r"^(```+)(.*?)$(.*?)^\1$", re.MULTILINE | re.DOTALL)
CODE_SPAN = re.compile(r"`[^`\n]+`")
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")


def load(name):
    spec = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


REFERENCE, STUDIES = load("_reference"), load("_studies")


def read(path):
    return path.read_text(encoding="utf-8")


def prose(path):
    """A text without its code."""
    return CODE_SPAN.sub("", FENCE.sub("", read(path)))


def fences(path):
    """``(language, content)`` of every block of code."""
    return [(language.strip(), content) for _, language, content in FENCE.findall(read(path))]


def anchors(path):
    """What a link can name on a page: its headings, as GitHub and MyST spell them."""
    headings = re.findall(r"^#+ (.+)$", FENCE.sub("", read(path)), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def toctree(path):
    """The pages that a page's tables of contents list."""
    listed = [content for language, content in fences(path) if language.startswith("{toctree}")]
    return [line for content in listed for line in content.split("\n") if line and not line.startswith(":")]


def docs_recipe():
    """The commands of the Makefile's target docs."""
    return re.search(r"^docs:.*\n((?:\t.*\n?)+)", read(ROOT / "Makefile"), re.MULTILINE).group(1)


# --- the reference ---------------------------------------------------------------------------------------------------------
def test_a_namespace_without_a_page_is_told():
    assert REFERENCE.problems(ugt._NAMESPACES) == []
    (missing,) = REFERENCE.problems([*ugt._NAMESPACES, "brand_new"])
    assert "ugt.brand_new is a namespace without a page" in missing
    (gone,) = REFERENCE.problems([space for space in ugt._NAMESPACES if space != "soft"])
    assert "soft is in EXPLAINED" in gone
    with pytest.raises(ValueError, match=r"brand_new .* add it"):
        REFERENCE.pages(ugt, {"brand_new": ugt.soft, **dict.fromkeys(ugt._NAMESPACES, ugt.soft)})


def test_pages_of_the_reference_hold_every_name():
    spaces = {name: importlib.import_module(f"ugt.{name}") for name in ugt._NAMESPACES}
    pages = REFERENCE.pages(ugt, spaces)
    written = re.findall(r"^\.\. auto(?:function|class):: ugt\.([\w.]+)$", "\n".join(pages.values()), re.MULTILINE)
    every = [name for space in spaces.values() for name in REFERENCE.public_members(space)]
    assert sorted(name.split(".")[-1] for name in written) == sorted(every)
    assert {*ugt.__all__} - {"__version__"} == {name for name in written if "." not in name}
    assert {"io.write_annotations", "plots.forest", "synthetic.make_labels", "agreement.Agreement"} <= set(written)
    assert toctree(DOCS / "reference.md") == [f"{REFERENCE.FOLDER}/{name[: -len('.rst')]}" for name in pages]
    named = {page for explained in REFERENCE.EXPLAINED.values() for page in explained.split()}
    assert named <= {page.stem for page in PAGES}


# --- the pages -------------------------------------------------------------------------------------------------------------
def test_every_page_is_in_the_contents_once():
    listed = toctree(DOCS / "index.md")
    below = [f"{folder}/{name}" for folder in ("reproductions", "studies") for name in toctree(DOCS / folder / "index.md")]
    apart = [
        name for name, page in NAMED.items() if page.read_text(encoding="utf-8").startswith("---\nnosearch: true\norphan: true\n---\n")
    ]
    assert apart == ["speed"]  # long tables of times, which any word finds: neither in the contents nor in the search
    assert sorted([*listed, *below, *apart, "index"]) == sorted(NAMED)
    assert listed[:3] == ["quickstart", "glossary", "data-model"]
    assert listed[-3:] == ["development", "extending", "versus"]  # nothing that a user looks for


def wrong_with(path, language, content):
    """Why a block of code would not be run, if it would not."""
    if language in ("py", "python3") or (language == "python" and path not in COPIED):
        return "an example that nothing runs: make it `pycon`, or name its page in COPIED"
    if (">>>" in content) != (language == "pycon"):
        return "a prompt belongs into a block `pycon`, and into no other"
    if language == "pycon" and not content.endswith("\n\n"):
        return "no blank line at the end: the fence counts as output"
    return None


def test_examples_are_run():
    assert all(argument in docs_recipe() for argument in RUN_BY_DOCTEST)
    blocks = [(path, *block) for path in TEXTS for block in fences(path)]
    assert [(block[0].name, wrong_with(*block), block[2]) for block in blocks if wrong_with(*block)] == []


def shell(content):
    """Run the lines of a block that call ugt, as a shell in the folder of the page would."""
    for line in content.replace("\\\n", " ").splitlines():
        words = shlex.split(line, comments=True)
        if words[:1] == ["ugt"]:
            assert cli.main(words[1:]) == 0, line


@pytest.mark.parametrize("path", COPIED, ids=lambda path: path.name)
def test_blocks_that_are_copied_from_a_page_run_in_order(path, tmp_path, monkeypatch, capsys):
    """Blocks without prompts: `text` is the output of the block before it, `csv` the first lines of a file that exists by then."""
    monkeypatch.chdir(tmp_path)
    names, printed, like = {}, "", doctest.OutputChecker().check_output
    for language, content in fences(path):
        if language in ("python", "sh"):
            capsys.readouterr()
            exec(content, names) if language == "python" else shell(content)
            printed = capsys.readouterr().out
        elif language == "text":
            assert like(content.strip() + "\n", printed.strip() + "\n", doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE), printed
        elif language == "csv":
            assert any(read(file).startswith(content.lstrip()) for file in tmp_path.rglob("*.csv")), content


def test_links_lead_somewhere():
    drawn = re.findall(r"^def (\w+)", read(DOCS / "gallery" / "plots_gallery.py"), re.MULTILINE)
    generated, lost = {f"gallery/{name}.png" for name in drawn}, []
    for path, target in [(page, target) for page in TEXTS for target in LINK.findall(prose(page))]:
        name, _, anchor = target.partition("#")
        found = path.parent / name if name else path
        if not re.match(r"https?://|mailto:", target) and (
            not (found.exists() or name in generated) or (anchor and anchor not in anchors(found))
        ):
            lost.append(f"{path.name}: {target}")
    assert lost == []


def test_words_are_plain():
    words = re.compile(rf"(?<![\w-])({'|'.join(map(re.escape, FORBIDDEN))})(?![\w-])", re.IGNORECASE)
    assert [f"{path.name}: {match.group()}" for path in TEXTS for match in words.finditer(prose(path))] == []


def exists(name):
    """Whether ``ugt`` has the name, which may be in a namespace."""
    home, _, last = name.rpartition(".")
    if home == "dask" and importlib.util.find_spec("dask") is None:
        return True
    return hasattr(importlib.import_module(f"ugt.{home}" if home else "ugt"), last)


def test_every_name_that_a_text_calls_exists():
    named = set()
    for path in TEXTS:
        text = FENCE.sub(lambda fence: fence.group() if fence.group(2) in ("pycon", "python") else "", read(path))
        named |= {(path.name, name) for name in re.findall(r"(?<![\w/-])ugt\.((?:[a-z]+\.)?[A-Za-z_]\w*)", text)}
    other = {"name", "h", "icc", "cli", *ugt._NAMESPACES}  # placeholders, a header, a wrong name, and namespaces themselves
    asked = [(page, name) for page, name in named if name not in other and name.split(".")[0] not in ugt.__all__]
    assert [f"{page}: ugt.{name}" for page, name in asked if not exists(name)] == []
    assert not exists("soft.no_such_name") and exists("soft.soft_roc_curve")


def test_commands_exist_with_their_options(capsys):
    known = {}
    for path, (language, content) in [(page, block) for page in TEXTS for block in fences(page)]:
        commands = content.replace("\\\n", " ") if language in ("", "sh", "bash") else ""
        for command, options in re.findall(r"^(?:\S*/)?ugt ([\w-]+)(.*)$", commands, re.MULTILINE):
            if command not in known:
                with pytest.raises(SystemExit):
                    cli.main([command, "--help"])
                known[command] = set(re.findall(r"--[\w-]+", capsys.readouterr().out))
            assert set(re.findall(r"(?<!\S)--[\w-]+", options)) <= known[command], f"{path.name}: ugt {command} {options}"


def test_guide_to_the_report_has_its_sections_in_order():
    report = importlib.import_module("ugt.report")
    labels = ugt.Labels.from_counts([[3, 1], [1, 3], [4, 0], [2, 2]])
    evaluation = ugt.evaluate(labels, {"A": [[0.8, 0.2], [0.4, 0.6], [0.7, 0.3], [0.5, 0.5]]}, k=1, n_resamples=20)
    titles = re.findall(r"<summary>(.*?)</summary>", report.html(evaluation.to_dict()))[1:]  # but for that of the contents
    headings = re.findall(r"^### (.+)$", read(DOCS / "reading-the-report.md"), re.MULTILINE)
    assert [one for one in headings if one in titles] == titles
    assert headings == [section.TITLE for section in (*report.sections.APPENDICES, report.sections.checklist)]


# --- the site --------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("page", STUDIES.PAGES)
def test_a_study_is_a_notebook_with_the_cells_of_its_page(page, tmp_path, monkeypatch):
    text = read(DOCS / "studies" / f"{page}.md")
    monkeypatch.setattr(STUDIES, "STUDIES", tmp_path)
    (tmp_path / f"{page}.md").write_text(text, encoding="utf-8")
    notebook = json.loads(read(STUDIES.write_notebook(page)))
    if importlib.util.find_spec("nbformat"):
        importlib.import_module("nbformat").validate(notebook)
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    assert len({cell["id"] for cell in notebook["cells"]}) == len(notebook["cells"])
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    examples = [example for language, block in fences(DOCS / "studies" / f"{page}.md") if language == "pycon"
                for example in doctest.DocTestParser().get_examples(block)]  # fmt: skip
    assert "\n".join(cell["source"] for cell in code) == "".join(example.source for example in examples).rstrip("\n")
    assert [out["text"] for cell in code for out in cell["outputs"]] == [example.want for example in examples if example.want]
    prose = "\n".join(cell["source"] for cell in notebook["cells"] if cell["cell_type"] == "markdown")
    assert [line for line in prose.splitlines() if line.startswith("#")] == re.findall(r"^#+ .+$", FENCE.sub("", text), re.MULTILINE)
    assert not re.search(r"\]\((?!https?:)|^```pycon|\{download\}", prose, re.MULTILINE)


def test_every_file_of_a_study_has_its_source_and_licence():
    about = read(DOCS / "studies" / "data" / "README.md")
    files = [path.name for path in (DOCS / "studies" / "data").iterdir() if path.suffix in (".csv", ".npz")]
    rows = [line for line in about.splitlines() if line.startswith("| `")]
    assert sorted(files) == sorted(row.split("`")[1] for row in rows)
    assert all("CC BY" in row for row in rows)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('<script src="https://cdn.x/a.js"></script>', ["https://cdn.x/a.js"]),
        ("<link rel=stylesheet href=//fonts.x/css>", ["//fonts.x/css"]),
        ('<img alt="a" src="http://x/a.png">', ["http://x/a.png"]),
        ("@font-face { src: url('https://x/f.woff2') } @import \"http://x/b.css\";", ["https://x/f.woff2", "http://x/b.css"]),
        ('<a href="https://x">x</a> <img src="_images/a.png"> <script src="_static/a.js"></script> <math xmlns="http://w3">', []),
    ],
)
def test_what_a_page_would_load_from_a_network_is_found(text, found):
    pytest.importorskip("sphinx")
    assert load("_offline").loaded(text) == found
