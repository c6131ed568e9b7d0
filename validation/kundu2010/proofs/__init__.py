r"""kundu2010 in balls: the bounds of `formulations.kundu2010.bounds`, at points that are feasible.

(10), with Mᵢ = YKᵢY and qᵢ = αᵀMᵢα, from below at any α ∈ A and from above at any xᵢ and b:

    1ᵀα - ½(Σᵢ√qᵢ)²  ≤  Ω  ≤  ½maxᵢ xᵢᵀMᵢxᵢ + C Σⱼ max(0, 1 - (Σᵢ Mᵢxᵢ)ⱼ - byⱼ)

(4), (6) and (7) from above: Kᵢ + εI ⪰ 0, scaled to the trace τ, and Ω there; one kernel is ω. From
below: α, γ ∈ Δ and Wᵢ in the domain of the conjugate, with a proved λ_min.

(7) is about the eigenvectors of the Sᵢ. Where the eigenvalues of an Sᵢ are proved to be simple its
vᵢⱼ and λᵢⱼ are enclosed; where they coincide to rounding the paper does not determine the vᵢⱼ, and
the doubles of `Spectra` are them, exactly.
"""

from cvxkernel.validation.kundu2010.proofs.combination import Kernels
from cvxkernel.validation.kundu2010.proofs.matrices import Several, Single
from cvxkernel.validation.kundu2010.proofs.spectra import Eigenvectors

JUDGES = {
    "kundu2010-eq10": Kernels,
    "kundu2010-eq4": Single,
    "kundu2010-alg1": Single,
    "kundu2010-alg1-printed": Single,
    "kundu2010-eq6": Several,
    "kundu2010-alg2": Several,
    "kundu2010-alg2-printed": Several,
    "kundu2010-eq7": Eigenvectors,
    "kundu2010-alg3": Eigenvectors,
    "kundu2010-alg3-printed": Eigenvectors,
}

__all__ = ["JUDGES", "Eigenvectors", "Kernels", "Several", "Single"]
