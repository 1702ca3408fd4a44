"""Notes: a code that is asked for, values, and words that nothing asks for."""

import ast
import copy
import pickle
import re
import string
from pathlib import Path

import house
import numpy as np
import pytest
from noted import texts
from refusals import refused

import ugt
from ugt._base import notices
from ugt._base.notes import CODE, Note, noted, of_codes
from ugt._base.wording import Text, arg
from ugt.cli import output
from ugt.report import cautions


def made():
    """``(place, code, words, values)`` of each note that the package makes: also of ``partial(Note, code, words)``, without values."""
    for path in house.files():
        for node in house.walked(path):
            if not isinstance(node, ast.Call):
                continue
            place = f"{path.relative_to(house.PACKAGE)}:{node.lineno}"
            if ast.unparse(node.func) == "Note":
                yield place, *node.args, [one.arg for one in node.keywords]
            elif ast.unparse(node.func) == "partial" and ast.unparse(node.args[0]) == "Note":
                yield place, *node.args[1:], [None]


def codes_of(node):
    """The codes that the first argument of a note may be; none if it is not written out."""
    if isinstance(node, ast.IfExp):
        return codes_of(node.body) | codes_of(node.orelse)
    return {node.value} if isinstance(node, ast.Constant) else set()


@pytest.fixture(scope="module")
def all_made():
    return [one for one in made() if not one[0].startswith("_base/notes.py")]


@pytest.fixture(scope="module")
def codes(all_made):
    return {code for _, node, _, _ in all_made for code in codes_of(node)} | {"warning"}


# codes that something asks for: they must be there, or a caution would vanish without a word
ASKED = {code for _, codes in cautions.SPOILT for code in codes} | {*cautions.NOTED, *cautions.NOTED_BELOW, *output.HOW_READ}


def test_each_code_is_written_out_where_the_note_is_made_and_what_is_asked_for_is_made(all_made, codes):
    assert not [place for place, code, _, _ in all_made if not codes_of(code)]
    assert len(all_made) > 100 and all(map(CODE.fullmatch, codes))
    assert codes >= ASKED and len(ASKED) >= 14


def test_the_codes_that_the_package_asks_for_are_the_ones_that_are_made(codes):
    """Also those in calls of ``of_codes`` and ``texts_of``, wherever they are."""
    found = set()
    for path in house.files():
        for node in house.walked(path):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in ("of_codes", "texts_of"):
                found |= {one.value for one in node.args[1:] if isinstance(one, ast.Constant)}
    assert found >= {"integrals", "scores_no_probabilities"} and found <= codes


def test_words_are_no_sentences_that_hold_names_of_the_user(all_made):
    """A name with braces would be read as a place for a value."""
    assert not [place for place, _, words, _ in all_made if isinstance(words, (ast.JoinedStr, ast.Call))]


def test_the_places_in_the_words_are_the_values(all_made):
    for place, _, words, values in all_made:
        if isinstance(words, ast.Constant) and None not in values:
            assert {name for _, name, _, _ in string.Formatter().parse(words.value) if name is not None} == {*values}, place


def test_a_note_is_its_code_and_its_sentence():
    note = Note("few_clusters", "Only {n:,} clusters of {what!r}.", n=1234, what="{x}")
    assert str(note) == note.text == "Only 1,234 clusters of '{x}'." and note.values == {"n": 1234, "what": "{x}"}
    assert note == Note("few_clusters", "Only 1,234 clusters of '{{x}}'.") != Note("few_strata", note.text.replace("{x}", "{{x}}"))
    assert len({note, copy.deepcopy(note), pickle.loads(pickle.dumps(note)), Note.of_dict(note.to_dict())}) == 1
    assert Note.of_dict(note.to_dict()).to_dict() == note.to_dict() == {"code": note.code, "values": note.values, "text": note.text}
    assert [one.code for one in of_codes([note, Note("other", "x")], "other", "third")] == ["other"]
    with pytest.raises(AttributeError):
        note.text = "x"
    for code in ("", "Few", "few clusters", "few-clusters", "_few", "few_1"):
        refused("code must be small letters and underscores", Note, code, "x")
    with pytest.raises(KeyError):
        Note("few_clusters", "Only {n} clusters.")


def test_arguments_stay_parts_and_values_stay_as_they_are():
    note = Note(
        "missing_cases", "Cases such as {case!r} are missing (" + arg("missing", "drop") + " leaves them out).", case="missing='drop'"
    )
    assert note.text == "Cases such as \"missing='drop'\" are missing (missing='drop' leaves them out)." and isinstance(note.text, Text)
    changed = note.with_text(note.text.worded(lambda named: f"--{named.name} {named.value}"))
    assert changed.text == "Cases such as \"missing='drop'\" are missing (--missing drop leaves them out)."
    assert changed.code == note.code and changed.values == note.values
    assert note.with_text("{x}").text == "{x}" and note.with_text("x").values == note.values
    assert noted(arg("k")).text.parts == arg("k").parts and pickle.loads(pickle.dumps(note)).text.parts == note.text.parts


def test_warnings_are_heard_as_notes_and_warn_with_their_words():
    with notices.heard() as said:
        notices.warn("undefined: no case")
        notices.note(Note("few_clusters", "Only {n} clusters.", n=3))
    assert [(one.code, str(one)) for one in said] == [("warning", "undefined: no case"), ("few_clusters", "Only 3 clusters.")]
    with pytest.warns(UserWarning, match=re.escape("Only 3 clusters.")):
        notices.note(said[1])


def test_notes_of_an_evaluation_in_its_json(codes):
    rng = np.random.default_rng(3)
    labels = ugt.Labels.from_counts(rng.multinomial(5, [0.5, 0.3, 0.2], 30), classes=["a{b}", "{", "c"])
    made = ugt.evaluate(labels, {"m{0}": rng.dirichlet(np.ones(3), 30)}, n_resamples=20, reliability=1, details=False)
    found = made.to_dict()
    assert [Note.of_dict(one) for one in found["notes"]] == list(made.notes) and texts(found) == [*map(str, made.notes)]
    assert {"not_verified", "voted_label", "annotators_not_named"} <= {one.code for one in made.notes} <= codes
    assert all(type(value) in (str, int, float, bool, type(None)) for one in found["notes"] for value in one["values"].values())


def test_plans_and_intervals_have_notes_with_codes_and_values():
    plan = ugt.plan_annotations(components={"cases": 0.09, "annotators": 0.002, "labels": 0.12}, width=0.15, cost=(2, 1, 0))
    pilot = {"error": 0.0027, "cov1": 0.0012, "cov2": 0.0015, "cov3": 0.0007, "test_reader": -0.0007, "n_cases": 100}
    readers = ugt.studies.plan_reader_study(pilot, difference=0.06)
    labels = ugt.Labels.from_wide([[0, 0, 1], [1, 1, 1], [0, 1, 0], [0, 0, 0]])
    with notices.heard() as said:
        spread = ugt.fleiss_kappa(labels).two_way()
    assert [(one.code, dict(one.values)) for one in plan.notes[:1]] == [("fewest_annotators", {"n": 4, "most": 10**7})]
    assert [one.code for one in (*plan.notes[1:], *readers.notes)] == ["free_annotators", "negative_variance"]
    assert list(spread.notes) == said and [(one.code, one.values["n"]) for one in said] == [("interval_of_few_annotators", 3)]


def test_a_part_leaves_out_the_warning_with_the_code_of_undefined_numbers():
    data = [[1.0, 0.0], [1.0, 0.0]], [[1.0, 0.0], [0.5, 0.5]]  # without positives
    with notices.heard() as said:
        ugt.states.partial("soft_auroc", *data)
        assert said == []  # other parts may have some
        ugt.soft_auroc(*data)
    assert [(one.code, str(one)) for one in said] == [("undefined", "undefined: class without positives or negatives")]


def test_the_guide_for_a_caution_names_files_that_are_there():
    text = (Path(house.PACKAGE).parent / "docs" / "development.md").read_text(encoding="utf-8")
    (part,) = re.findall(r"## Add a caution\n(.*?)\n## ", text, re.DOTALL)
    files = re.findall(r"^\| `([\w/.]+)`", part, re.MULTILINE)
    assert 1 <= len(files) <= 3 and all((Path(house.PACKAGE).parent / one).exists() for one in files)
