import numpy as np
from numpy.typing import NDArray

class Grades:
    def __init__(
        self,
        offsets: NDArray[np.int64],
        annotator: NDArray[np.int32],
        grade: NDArray[np.int32],
        weight: NDArray[np.float64] | None,
        n_annotators: int,
        n_grades: int,
    ) -> None: ...

class Graded:
    def __init__(
        self,
        grades: Grades,
        discrimination: NDArray[np.float64],
        cut: NDArray[np.float64],
        node: NDArray[np.float64],
        mass: NDArray[np.float64],
        p: NDArray[np.float64],
    ) -> None: ...
    def expect(
        self,
        count: NDArray[np.float64] | None,
        law: NDArray[np.float64] | None = None,
        moments: NDArray[np.float64] | None = None,
        grade: NDArray[np.int32] | None = None,
    ) -> float: ...
    def score(self, count: NDArray[np.float64], observed: bool, slope: NDArray[np.float64], information: NDArray[np.float64]) -> None: ...
    def missing(self, shared: bool, out: NDArray[np.float64]) -> None: ...
