r"""Ye, Ji and Chen (2008): the programs as printed, for a given λ and for a learned one.

With two classes the class vector is a, with two or more they are h₁, …, h_k.

Sections 2 and 3, `Discriminant`: the kernel is learned, λ is given. The optimal values of thm2.1
and thm2.2 are equal, that of thm2.3 is minus theirs; so with eq29, eq29-single, thm3.2 and thm3.3.
thm3.1 is only an upper bound on eq29.

Section 4, `JointDiscriminant`: kernel and regularization parameter are learned jointly. The
identity joins the kernels: G̃₀ = I, θ₀ = 1/τ = λ, r₀ = trace(I) = m. The optimal values of eq41 and
eq43 are equal, that of eq44 is minus theirs; so with eq45-single, eq46, eq47. eq45 is only an upper
bound on eq45-single.

# G̃₀ is not centred, so r₀ = m and not m - 1.
"""

from cvxkernel.formulations.ye2008.programs.discriminant import Discriminant
from cvxkernel.formulations.ye2008.programs.joint import JointDiscriminant

__all__ = ["Discriminant", "JointDiscriminant"]
