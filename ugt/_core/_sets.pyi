import numpy as np
from numpy.typing import NDArray

LAC: int
APS: int
RAPS: int

def scores(
    kind: int,
    randomised: bool,
    penalty: float,
    rank: int,
    seed: int,
    chain: int,
    probability: NDArray[np.float64],
    stream_key: NDArray[np.uint64],
    out: NDArray[np.float64],
) -> None: ...
def labels(plausibility: NDArray[np.float64], stream_key: NDArray[np.uint64], seed: int, chain: int, out: NDArray[np.int32]) -> None: ...
