r"""Newton's ascent on the dual over α, where the kernels that answer it best are explicit.

For (4), (6) and (7) of Kundu et al. (2010) with L2 or L3. Given α and γ what is left of the saddle
problem is a minimum for each kernel alone, or for the one kernel of (4), with b = Yα/√γ:

    ψ(b) = min over K ⪰ 0, trace K = τ of -½bᵀKb + ρΣᵢL(K - Sᵢ)
    (4) = max over α ∈ A of 1ᵀα + ψ(Yα),   (6), (7) = max over α ∈ A, γ ∈ Δ of 1ᵀα + Σᵢψᵢ(Yα/√γᵢ)

ψ is concave, and so is Σᵢψᵢ in (α, γ) together, being a minimum of -½Σᵢ αᵀYKᵢYα/γᵢ + …. L3 is
½cᵢ‖Xᵢ‖² with cᵢ = 2ρ; for L2, ρ‖Xᵢ‖ is the least ρ‖Xᵢ‖²/(2tᵢ) + ρtᵢ/2, where cᵢ = ρ/tᵢ. With
c = Σᵢcᵢ and bbᵀ/2 - Σᵢcᵢ(K - Sᵢ) = c(M - K),

    M = (Σᵢcᵢ Sᵢ + ½bbᵀ)/c = U diag(m)Uᵀ,   K = U diag(k)Uᵀ,  k = (m - ν)₊,  Σⱼkⱼ = τ,   ∇ψ = -Kb

A change of M by H (in the eigenbasis) changes K by P[H] = Ω∘(H - h̄I), h̄ the mean of Hⱼⱼ where
kⱼ > 0, Ω the divided differences of m ↦ (m - ν)₊. With dM = (b dbᵀ + db bᵀ)/(2c) and w = Uᵀb

    -∇²ψ = U[diag(k + Ωw²/2c) + (wwᵀ∘Ω)/2c - w₊w₊ᵀ/(c·|{kⱼ > 0}|)]Uᵀ,   w₊ being w where kⱼ > 0

In (7) U is V, given, m = λ + w²/2c, and Ω the identity where kⱼ > 0. The tᵢ are where ‖Xᵢ‖ = tᵢ;
dM = (cᵢ/c)(M - K + Xᵢ) d log tᵢ, and P[M - K] = 0, since M - K is ν where kⱼ > 0: so
dK = (cᵢ/c)P[Xᵢ] d log tᵢ, which gives Newton's steps for log‖Xᵢ‖ = log tᵢ, and what -∇²ψ gains
where the tᵢ follow b: ZᵀT⁻¹Z, Zᵢ = (cᵢ/c)P[Xᵢ]b and Tᵢⱼ = ∂²ψ/∂log tᵢ∂log tⱼ = [i = j]cᵢ‖Xᵢ‖² -
cᵢcⱼ⟨Xᵢ, P[Xⱼ]⟩/c. tᵢ is no less than t₀, a small share of τ: with ρ(tᵢ - t₀)/2 in place of ρtᵢ/2
that is the envelope of Moreau of ρ‖Xᵢ‖, which lies below it.

With H = -∇²ψ the derivatives of ψ(a/√γ) in a and γ are -Ka/γ, aᵀKa/2γ², -H/γ, (K + H)a/2γ² and
-(3aᵀKa + aᵀHa)/4γ³. γ is eliminated from a step, which leaves a quadratic program over the box.
The lower end is the dual at α, γ and Wᵢ = cᵢXᵢ; the upper one the machine on the kernels.
"""

from cvxkernel.solvers.response_ascent.dual import Dual
from cvxkernel.solvers.response_ascent.method import ResponseAscent
from cvxkernel.solvers.response_ascent.response import Block, Response, parts

__all__ = ["Block", "Dual", "Response", "ResponseAscent", "parts"]
