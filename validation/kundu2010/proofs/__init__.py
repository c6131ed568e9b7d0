r"""kundu2010 judged: the bounds of `formulations.kundu2010.bounds` in balls.

(7) is about the eigenvectors of the Sᵢ. Where the eigenvalues of an Sᵢ are proved to be simple its
vᵢⱼ and λᵢⱼ are enclosed; where they coincide to rounding the paper does not determine the vᵢⱼ, and
the doubles of `Spectra` are them, exactly.
"""

from functools import partial

from cvxkernel.formulations.kundu2010.bounds import LearnedSpectra, OneKernel, SeveralKernels
from cvxkernel.validation.kundu2010.proofs.budget import BudgetJudge
from cvxkernel.validation.kundu2010.proofs.learned import LearnedJudge
from cvxkernel.validation.kundu2010.proofs.omega import CombinationJudge

JUDGES = {
    "kundu2010-eq5": BudgetJudge,
    "kundu2010-eq10": CombinationJudge,
    **{
        id: partial(LearnedJudge, id=id, kind=kind)
        for kind, program, algorithm in (
            (OneKernel, "eq4", "alg1"),
            (SeveralKernels, "eq6", "alg2"),
            (LearnedSpectra, "eq7", "alg3"),
        )
        for id in (f"kundu2010-{name}" for name in (program, algorithm, f"{algorithm}-printed"))
    },
}

__all__ = ["JUDGES"]
