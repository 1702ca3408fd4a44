"""May a model take the place of an annotator? The alternative annotator test, and the individual equivalence index."""

from __future__ import annotations

from ._substitution.alternative_annotator import AlternativeAnnotatorTest, alternative_annotator_test
from ._substitution.equivalence import IndividualEquivalence, individual_equivalence_index

__all__ = ["AlternativeAnnotatorTest", "IndividualEquivalence", "alternative_annotator_test", "individual_equivalence_index"]
