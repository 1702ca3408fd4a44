from numpy import float64, int32, int64
from numpy.typing import NDArray

_Float = NDArray[float64]

class Grades:
    def __init__(
        self,
        offsets: NDArray[int64],
        annotator: NDArray[int32],
        grade: NDArray[int32],
        weight: _Float | None,
        n_annotators: int,
        n_grades: int,
    ) -> None: ...

class Graded:
    def __init__(self, grades: Grades, discrimination: _Float, cut: _Float, node: _Float, mass: _Float, p: _Float) -> None: ...
    def expect(
        self, count: _Float | None, law: _Float | None = None, moments: _Float | None = None, grade: NDArray[int32] | None = None
    ) -> float: ...
    def score(self, count: _Float, observed: bool, slope: _Float, information: _Float) -> None: ...
    def missing(self, shared: bool, out: _Float) -> None: ...
