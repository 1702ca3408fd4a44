from ._base.parallel import threads as threads
from ._base.version import __version__ as __version__
from .accuracy import *
from .aggregation import *
from .agreement import *
from .annotations import *
from .annotator_models import *
from .calibrators import *
from .certainty import *
from .conformal import *
from .discrepancy import *
from .discrepancy.perspectivist import *
from .evaluation import *
from .grades import *
from .histogram import *
from .plausibilities import Certainty as Certainty
from .plausibilities import Dirichlet as Dirichlet
from .plausibilities import Draws as Draws
from .plausibilities import Estimate as Estimate
from .plausibilities import Point as Point
from .plausibilities.normal import *
from .resampling import ByAnnotators as ByAnnotators
from .resampling import GroupNumber as GroupNumber
from .resampling import Resamples as Resamples
from .resampling import TwoWay as TwoWay
from .resampling import bootstrap as bootstrap
from .resampling import bootstrap_annotations as bootstrap_annotations
from .resampling import bootstrap_statistic as bootstrap_statistic
from .resampling import by_annotators as by_annotators
from .resampling import two_way as two_way
from .soft import *
from .studies import *
from .studies.judges import *
