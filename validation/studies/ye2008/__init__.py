"""Section 5 of Ye, Ji and Chen (2008): Tables 2 to 17, Figures 1, 3 and 4."""

from cvxkernel.validation.studies.study import Unrun
from cvxkernel.validation.studies.ye2008.draws import DRAWN_TEN
from cvxkernel.validation.studies.ye2008.regularization import FIGURES
from cvxkernel.validation.studies.ye2008.tables import CHOSEN, measure
from cvxkernel.validation.studies.ye2008.tables import STUDIES as TABLES
from cvxkernel.validation.studies.ye2008.times import TIMES

STUDIES = (*TABLES, DRAWN_TEN, *TIMES, *FIGURES)
UNRUN = (
    Unrun(
        "ye2008-figure2",
        "Figure 2, section 5.3",
        "gene expression images by 48 kernels",
        "FlyExpress: not found",
    ),
)

__all__ = ["CHOSEN", "STUDIES", "UNRUN", "measure"]
