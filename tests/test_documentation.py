"""The documentation as tests: all public names and pages are in it, examples are run, links lead somewhere, words are plain."""

import doctest
import importlib
import importlib.util
import re
import shlex
from pathlib import Path

import pytest

import ugt
from ugt import cli

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = sorted([*DOCS.glob("*.md"), *DOCS.glob("reproductions/*.md")])
TEXTS = [ROOT / "README.md", *PAGES]
COPIED = [ROOT / "README.md", DOCS / "quickstart.md"]  # pages with blocks without prompts

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


def load_reference():
    spec = importlib.util.spec_from_file_location("_reference", DOCS / "_reference.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


REFERENCE = load_reference()


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
def test_a_topic_without_a_group_or_in_two_is_told():
    assert REFERENCE.problems(ugt._HOMES) == []
    (missing,) = REFERENCE.problems([*ugt._HOMES, "brand_new"])
    assert "ugt.brand_new has public names but stands in no group" in missing
    (gone,) = REFERENCE.problems([topic for topic in ugt._HOMES if topic != "soft"])
    assert "soft stands in a group" in gone
    with pytest.raises(ValueError, match=r"brand_new .* add it"):
        REFERENCE.pages(type("Package", (), {"_HOMES": [*ugt._HOMES, "brand_new"]}), {})


def test_pages_of_the_reference_hold_every_name():
    modules = {name: importlib.import_module(f"ugt.{name}") for name in REFERENCE.MODULES}
    pages = REFERENCE.pages(ugt, modules)
    written = re.findall(r"^\.\. auto(?:function|class):: (\w+)$", "\n".join(pages.values()), re.MULTILINE)
    of_modules = [name for module in modules.values() for name in REFERENCE.public_members(module)]
    assert sorted([*written, "__version__"]) == sorted([*ugt.__all__, *of_modules])
    assert {"read_annotations", "read_predictions", "forest", "make_labels"} <= set(of_modules)
    assert sorted(toctree(DOCS / "reference.md")) == sorted(f"{REFERENCE.FOLDER}/{name[: -len('.rst')]}" for name in pages)


@pytest.mark.parametrize("module", REFERENCE.MODULES)
def test_names_of_modules_are_documented(module):
    found = importlib.import_module(f"ugt.{module}")
    assert [name for name in REFERENCE.public_members(found) if not getattr(found, name).__doc__] == []


# --- the pages -------------------------------------------------------------------------------------------------------------
def test_every_page_is_in_the_contents_once():
    listed = toctree(DOCS / "index.md")
    folder = DOCS / "reproductions"
    below = [f"reproductions/{name}" for name in toctree(folder / "index.md")]
    assert sorted([*listed, *below, "index"]) == sorted(page.relative_to(DOCS).with_suffix("").as_posix() for page in PAGES)
    assert listed[:3] == ["glossary", "data-model", "quickstart"]
    assert listed[-5:] == ["gallery", "reference", "references", "small-print", "development"]


def test_pages_of_the_reference_are_pointed_to_from_where_they_are_explained():
    named = {name for group in REFERENCE.GROUPS.values() for name in re.findall(r":doc:`/([\w-]+)`", group.about)}
    named |= {name for _, about in REFERENCE.MODULES.values() for name in re.findall(r":doc:`/([\w-]+)`", about)}
    assert named <= {page.stem for page in PAGES}


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_examples_are_run(path):
    assert all(argument in docs_recipe() for argument in RUN_BY_DOCTEST)
    for language, content in fences(path):
        assert language != "python" or path in COPIED, (
            f"an example that nothing runs: make it `pycon`, or name its page in COPIED\n{content}"
        )
        assert language not in ("py", "python3"), content
        assert (">>>" in content) == (language == "pycon"), content
        assert language != "pycon" or content.endswith("\n\n"), f"no blank line at the end: the fence counts as output\n{content}"


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


def test_every_text_is_where_examples_are_looked_for():
    assert {path.relative_to(ROOT).as_posix() for path in ROOT.glob("docs/**/*.md")} == {
        page.relative_to(ROOT).as_posix() for page in PAGES
    }


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_links_lead_somewhere(path):
    drawn = re.findall(r"^def (\w+)", read(DOCS / "gallery" / "plots_gallery.py"), re.MULTILINE)
    generated = {f"gallery/{name}.png" for name in drawn}
    for target in LINK.findall(CODE_SPAN.sub("", FENCE.sub("", read(path)))):
        if re.match(r"https?://|mailto:", target):
            continue
        name, _, anchor = target.partition("#")
        found = path if not name else path.parent / name
        assert found.exists() or name in generated, f"{path.name}: {target}"
        assert not anchor or anchor in anchors(found), f"{path.name}: {target}"


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_words_are_plain(path):
    words = re.compile(rf"(?<![\w-])({'|'.join(map(re.escape, FORBIDDEN))})(?![\w-])", re.IGNORECASE)
    found = [match.group() for match in words.finditer(prose(path))]
    assert found == []


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_every_name_that_a_text_calls_exists(path):
    text = FENCE.sub(lambda fence: fence.group() if fence.group(2) in ("pycon", "python") else "", read(path))
    for name in re.findall(r"(?<![\w/-])ugt\.((?:io|plots|synthetic|resampling|states|dask)\.\w+|[A-Za-z_]\w*)", text):
        home, _, last = name.rpartition(".")
        if last in ("io", "plots", "synthetic", "resampling", "states", "dask", "cli", "name", "h"):
            continue
        if home == "dask" and importlib.util.find_spec("dask") is None:
            continue
        assert hasattr(importlib.import_module(f"ugt.{home}" if home else "ugt"), last), f"{path.name}: ugt.{name}"


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_commands_exist_with_their_options(path, capsys):
    for language, content in fences(path):
        commands = content.replace("\\\n", " ") if language in ("", "sh", "bash") else ""
        for line in re.findall(r"^(?:\S*/)?ugt ([\w-]+)(.*)$", commands, re.MULTILINE):
            with pytest.raises(SystemExit):
                cli.main([line[0], "--help"])
            known = set(re.findall(r"--[\w-]+", capsys.readouterr().out))
            assert set(re.findall(r"(?<!\S)--[\w-]+", line[1])) <= known, f"{path.name}: ugt {' '.join(line)}"


def test_guide_to_the_report_has_its_sections_in_order():
    report = importlib.import_module("ugt.report")
    labels = ugt.Labels.from_counts([[3, 1], [1, 3], [4, 0], [2, 2]])
    evaluation = ugt.evaluate(labels, {"A": [[0.8, 0.2], [0.4, 0.6], [0.7, 0.3], [0.5, 0.5]]}, k=1, n_resamples=20)
    titles = re.findall(r"<summary>(.*?)</summary>", report.html(evaluation.to_dict()))[1:]  # but for that of the contents
    headings = re.findall(r"^### (.+)$", read(DOCS / "reading-the-report.md"), re.MULTILINE)
    assert headings == titles
