from numpy import float64, int32, uint64
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
    probability: NDArray[float64],
    stream_key: NDArray[uint64],
    out: NDArray[float64],
) -> None: ...
def labels(plausibility: NDArray[float64], stream_key: NDArray[uint64], seed: int, chain: int, out: NDArray[int32]) -> None: ...
