"""The dermatology data through the command line: exact certainty as in cases 80 and 81, a report with three stand-in models."""

import csv
import json

import numpy as np
import pytest

import ugt
from ugt.cli import main

RELIABILITY = (10, 20, 30, 50, 100)


@pytest.fixture(scope="module")
def inputs(dermatology, tmp_path_factory):
    """The whole data as annotations; as models a half panel, a single reader and the prevalence, in three file formats."""
    folder = tmp_path_factory.mktemp("dermatology")
    nested = dermatology.annotations
    annotations = folder / "annotations.json"
    annotations.write_text(json.dumps(nested), encoding="utf-8")
    (folder / "risks.txt").write_text("\n".join(str(risk) for risk in dermatology.risks) + "\n", encoding="utf-8")

    def aggregate(parts):
        return ugt.irn(ugt.Rankings.from_blocks(parts, n_classes=419)).mean()

    panel = aggregate([case[: (len(case) + 1) // 2] for case in nested])
    np.savez_compressed(folder / "half_panel.npz", scores=panel, case_ids=np.arange(len(nested)))
    np.save(folder / "prevalence.npy", np.repeat(panel.mean(0, keepdims=True), len(nested), axis=0))
    with (folder / "single_reader.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["case", *range(419)])
        for i, scores in reversed(list(enumerate(aggregate([case[:1] for case in nested])))):
            writer.writerow([i, *scores.tolist()])
    return folder


@pytest.mark.full
@pytest.mark.parametrize(("tie_weight", "key"), [("split", "paper"), ("full", "code")])
def test_certainty_by_the_command_line_is_exact(inputs, shared_case, tmp_path, tie_weight, key):
    models = [str(inputs / name) for name in ("half_panel.npz", "single_reader.csv", "prevalence.npy")]
    options = ["--classes", "419", "--k", "1", "2", "3", "--groups", str(inputs / "risks.txt")]
    options += ["--tie-weight", tie_weight, "--n-boot", "20"]
    code = main(["evaluate", "--annotations", str(inputs / "annotations.json"), "--predictions", *models, "--out", str(tmp_path), *options])
    assert code == 0
    evaluation = json.loads((tmp_path / "evaluation.json").read_text(encoding="utf-8"))
    assert evaluation["models"] == ["half_panel", "single_reader", "prevalence"]
    assert "half_panel" in (tmp_path / "report.html").read_text(encoding="utf-8")
    expected = shared_case("81")["expected"]
    found = {(row["reliability"], row["measure"], row["k"]): row for row in evaluation["certainty"]}
    assert {reliability for reliability, _, _ in found} == set(RELIABILITY)
    for reliability in RELIABILITY:
        wanted = expected[f"prirn_{key}_alpha0.0_gamma{reliability}"]
        for k in (1, 2, 3):
            assert found[reliability, "certainty", k]["value"] == pytest.approx(wanted[f"certainty{k}"], abs=1e-12)
        assert found[reliability, "certainty", 1]["n_below_099"] == wanted["n_below_099"]
        assert found[reliability, "group_certainty", 1]["value"] == pytest.approx(wanted["risk_certainty"], abs=1e-12)


def test_inverse_rank_is_that_of_the_paper(dermatology, shared_case):
    irn = ugt.irn(ugt.Rankings.from_blocks(dermatology.annotations, n_classes=419))
    expected = shared_case("80")["expected"]["irn_paper"]
    assert irn.mean().max(1).mean() == pytest.approx(expected["mean_max"], abs=1e-12)
    assert (irn.mean() ** 2).sum(1).mean() == pytest.approx(expected["mean_sumsq"], abs=1e-12)
    # the certainty of the voted label: 1, or shared by the classes tied at the top
    tied = ugt.annotation_certainty(irn).per_case < 1
    assert tied.sum() == expected["n_top1_tied"]
