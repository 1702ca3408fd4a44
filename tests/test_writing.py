"""The part of the language rules that a program can check, in guides, docstrings, comments and messages."""

import ast
import io
import re
import tokenize
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
NO_PROSE = {"speed.md", "versus.md", "gallery.md", "references.md"}  # made by programs; titles and authors
GUIDES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")),
    *sorted(
        path for folder in ("", "studies", "reproductions") for path in (ROOT / "docs" / folder).glob("*.md") if path.name not in NO_PROSE
    ),
]
SOURCES = sorted([*(ROOT / "ugt").rglob("*.py"), *(ROOT / "ugt").rglob("*.pyx")])

LONGEST = 30  # words of a sentence in a guide


def words(*alternatives):
    return re.compile(rf"(?<![\w-])(?:{'|'.join(alternatives)})(?![\w-])")


# What tires or misleads a reader, and what to write.
RULES = {
    "one row per case": words(
        r"(?:a|one) (?:row|column|line|value|number|file|cell|entry|bit|byte|model|label|bin|thread|name|draw|block) an? [a-z]+",
    ),
    "can be distinguished": words("(?:told|tell|tells|telling) (?:\\w+ )?apart"),
    "available": words("(?:can|could|cannot|to|may|might|not) be had", "is to be had", "are to be had"),
    "fixed, repaired": words("mend", "mends", "mended", "mending"),
    "depends on": words("hangs? on", "hung on", "hanging on"),
    "is (next to)": words("(?:stands?|stood|standing) (?:beside|under|apart)"),
    "if, to the extent that": words("[Aa]s far as"),
    "except": words("but for(?= (?:the|a|an|its|those|what)\\b)"),
    "regenerated": words("made again", "made anew"),
    "certain, certainty": words("how sure", "sureness"),
    "share of resamples": words("chances? to be (?:the )?best", "probability (?:to be|that \\w+ is) (?:the )?best"),
    "annotator": words("raters?", "crowd ?workers?", "coders?"),
    "for example, that is": re.compile(r"\b(?:e\.g\.|i\.e\.)"),
    "UA accuracy": words("adjusted accuracy", "real accuracy", "true accuracy of the model"),
    "model ahead": words("winners?"),
    "British spelling": words(
        "\\w*(?:alyz|ormaliz|ecogniz|ummariz|ptimiz|inimiz|aximiz|andomiz|eneraliz|nitializ)\\w*", "behaviors?", "favors?", "neighbors?"
    ),
}
# Names that others chose, each with the file that must repeat them.
OF_OTHERS = {
    "ugt/_tabular/roles.py": {"rater", "coder"},  # headings of columns that are recognised
    "ugt/annotations/__init__.py": {"rater"},  # a heading of a column
    "ugt/report/sections/checklist.py": {"rater", "raters"},  # items of guidelines
    "ugt/cli/__init__.py": {"unrecognized"},  # argparse's message
    "ugt/dask/parts.py": {"optimize_graph"},  # arguments of Dask's, and of functions of this library
    "ugt/agreement/rankings.py": {"normalize"},
    "ugt/conformal/__init__.py": {"randomized"},
    "ugt/conformal/regions.py": {"randomized"},
    "ugt/calibration/scores.py": {"normalized"},
}
CODE = re.compile(r"``[^`]+``|`[^`\n]+`|\$[^$\n]+\$")
FENCE = re.compile(r"^(```+)(.*?)$(.*?)^\1$", re.MULTILINE | re.DOTALL)
QUOTED = re.compile(r"\"[^\"\n]{1,80}\"|“[^”\n]{1,200}”")  # titles of papers and words of others
ABBREVIATED = re.compile(r"\b(?:al|Fig|Eq|eq|no|vol|pp|vs|cf|Dr|St|[A-Z])\.")


def prose_of_page(path):
    """The paragraphs of a page without code, tables, headings, links' targets and HTML."""
    text = FENCE.sub("\n\n", path.read_text(encoding="utf-8"))
    text = re.sub(r"\$\$.*?\$\$", "", text, flags=re.DOTALL)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", CODE.sub("Code", text))
    text = re.sub(r"<[^>]+>", "", text)
    lines = [line for line in text.split("\n") if not re.match(r"\s*(\||#|:::|\(.*\)=$)", line)]
    text = re.sub(r"^\s*(?:[-*]|\d+\.)\s", "\n\n", "\n".join(lines), flags=re.MULTILINE)  # an item of a list is a paragraph
    return [" ".join(paragraph.split()) for paragraph in re.split(r"\n\s*\n", text) if paragraph.strip()]


def sentences(paragraph):
    """Its sentences; a stop of an abbreviation ends none."""
    paragraph = ABBREVIATED.sub(lambda found: found.group()[:-1], paragraph)
    return re.split(r"(?<=[.?!])[\"”)*_]*\s+(?=[\"“(*_]*[A-Z0-9])", paragraph)


def texts_of_source(path):
    """Docstrings, comments and the strings with blanks of a source file, each with its first line. Examples and code spans are left out."""
    source = path.read_text(encoding="utf-8")
    if path.suffix == ".pyx":
        found = [(source[: match.start()].count("\n") + 1, match.group(1)) for match in re.finditer(r'"""(.*?)"""', source, re.DOTALL)]
        found += [(n, line.split("# ", 1)[1]) for n, line in enumerate(source.split("\n"), 1) if "# " in line]
    else:
        found = [
            (node.lineno, node.value)
            for node in ast.walk(ast.parse(source))
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
        ]
        found += [
            (token.start[0], token.string)
            for token in tokenize.generate_tokens(io.StringIO(source).readline)
            if token.type == tokenize.COMMENT
        ]
    for line, text in found:
        if " " in text:
            kept = re.sub(r"^\s*(?:>>>|\.\.\.).*$", "", text, flags=re.MULTILINE)
            yield line, " ".join(CODE.sub("Code", kept).split())


def findings(path):
    """``{rule: [where and what]}`` of a file."""
    found, others = {}, OF_OTHERS.get(path.relative_to(ROOT).as_posix() if ROOT in path.parents else path.name, set())
    if path.suffix == ".md":
        texts = [(0, paragraph) for paragraph in prose_of_page(path)]
        long = [sentence for _, paragraph in texts for sentence in sentences(paragraph) if len(sentence.split()) > LONGEST]
        if long:
            found["at most 30 words"] = long
    else:
        texts = list(texts_of_source(path))
    for rule, pattern in RULES.items():
        matches = [(line, match.group()) for line, text in texts for match in pattern.finditer(QUOTED.sub("", text))]
        here = [f"{line}: {match}" for line, match in matches if match not in others]
        if here:
            found[rule] = here
    return found


@cache
def all_findings():
    """``{file: its findings}`` of all guides and sources."""
    return {path.relative_to(ROOT).as_posix(): findings(path) for path in [*GUIDES, *SOURCES]}


@pytest.mark.parametrize("rule", [*RULES, "at most 30 words"])
def test_language(rule):
    assert {name: found[rule] for name, found in all_findings().items() if rule in found} == {}


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("A table with a row a case.", "one row per case"),
        ("The two cannot be told apart.", "can be distinguished"),
        ("Where it is, no number is to be had.", "available"),
        ("All of it hangs on the prior.", "depends on"),
        ("As far as it goes.", "if, to the extent that"),
        ("Everything but for the first.", "except"),
        ("Some, e.g. one.", "for example, that is"),
        ("This normalizes rows.", "British spelling"),
    ],
)
def test_rules_find_what_they_are_for(text, rule):
    assert RULES[rule].search(text)


def test_sentences_end_where_readers_see_them_end(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(
        "# A heading\n\nOne, by Uma et al. 2021. Two has `code. With`\nstops.\n\n| a | b |\n- item\n- other. item\n", encoding="utf-8"
    )
    assert [sentence for paragraph in prose_of_page(page) for sentence in sentences(paragraph)] == [
        *("One, by Uma et al 2021.", "Two has Code stops.", "item", "other. item"),
    ]
