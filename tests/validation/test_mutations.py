"""Slips in the formulas, one at a time: a sign, a factor, an index. Each turns a claim red.

A mutation is a function of `formulations`, a piece of its source and what is put in its place. The
function's code is exchanged where it stands, so that whoever holds the function runs the slip.
"""

from __future__ import annotations
import __future__

import inspect
from importlib import import_module
from textwrap import dedent
from typing import NamedTuple

import pytest

from cvxkernel.formulations.errors import ContradictionError
from cvxkernel.validation.ledger import forget, judge


class Mutation(NamedTuple):
    what: str
    function: str  # module below cvxkernel.formulations, and name
    old: str
    new: str
    claims: tuple[str, ...]  # those that turn red; others may as well


MUTATIONS = (
    Mutation(
        "λ multiplies the kernels of (8)",
        "ye2008.programs.discriminant:Discriminant.thm2_1",
        "combination(theta, self.G) / self.lam",
        "combination(theta, self.G) * self.lam",
        ("ye2008-thm2.1", "ye2008-thm2.2"),
    ),
    Mutation(
        "t/(2λ) for t/(4λ) in (13)",
        "ye2008.programs.discriminant:Discriminant.thm2_2",
        "t / (4 * self.lam)",
        "t / (2 * self.lam)",
        ("ye2008-thm2.2",),
    ),
    Mutation(
        "the wrong sign of rᵢβᵀa in (18)",
        "ye2008.programs.discriminant:Discriminant.S",
        "- self.r * inner",
        "+ self.r * inner",
        ("ye2008-thm2.3", "ye2008-eq21"),
    ),
    Mutation(
        "twice the inverse of λ in the system below (21)",
        "ye2008.programs.discriminant:Discriminant.argmin",
        "M /= 2 * self.lam",
        "M /= self.lam",
        ("ye2008-eq21",),
    ),
    Mutation(
        "half the multipliers for the weights of (13)",
        "ye2008.programs.discriminant:Discriminant.weights_from_quad",
        "return 4 * self.lam",
        "return 2 * self.lam",
        ("ye2008-thm2.2-recovery",),
    ),
    Mutation(
        "the first class's vector in every LMI of (29)",
        "ye2008.programs.discriminant:Discriminant.eq29",
        "self.H[:, [j]]",
        "self.H[:, [0]]",
        ("ye2008-eq29",),
    ),
    Mutation(
        "half the trace of T in the one LMI",
        "ye2008.programs.discriminant:Discriminant.eq29_single",
        "minimize=cp.trace(T)",
        "minimize=cp.trace(T) / 2",
        ("ye2008-eq29",),
    ),
    Mutation(
        "2·diag(t) in (32)",
        "ye2008.programs.discriminant:Discriminant.thm3_1",
        "[self.H.T, cp.diag(t)]",
        "[self.H.T, 2 * cp.diag(t)]",
        ("ye2008-thm3.1",),
    ),
    Mutation(
        "the wrong sign outside class i in (24)",
        "ye2008.data:Scatter.H",
        "inside, -np.sqrt",
        "inside, np.sqrt",
        ("ye2008-eq24", "ye2008-weights"),
    ),
    Mutation(
        "the classes' sizes exchanged in (3)",
        "ye2008.data:TwoClasses.a",
        "1.0 / m_plus, -1.0 / m_minus",
        "1.0 / m_minus, -1.0 / m_plus",
        ("ye2008-eq5", "ye2008-eq2"),
    ),
    Mutation(
        "r₀ = m - 1",
        "ye2008.programs.joint:JointDiscriminant.r",
        "float(self.n)",
        "float(self.n) - 1",
        ("ye2008-eq43", "ye2008-r0"),
    ),
    Mutation(
        "t/2 for t/4 in (46)",
        "ye2008.programs.joint:JointDiscriminant.eq46",
        "- t / 4",
        "- t / 2",
        ("ye2008-eq46",),
    ),
    Mutation(
        "the identity left out of S₀ below (44)",
        "ye2008.programs.joint:JointDiscriminant.S",
        "np.sum(beta**2)",
        "0.0",
        ("ye2008-eq44", "ye2008-eq47"),
    ),
    Mutation(
        "twice the traces in the lower bound",
        "ye2008.bounds:Bounds.terms",
        "forms / r",
        "forms / (2 * r)",
        ("ye2008-thm2.2",),
    ),
    Mutation(
        "√(nᵢ/n) for √(n/nᵢ) in the bounds",
        "ye2008.bounds:class_vectors",
        "(n / sizes).sqrt()",
        "(sizes / n).sqrt()",
        ("ye2008-eq29", "ye2008-thm3.2"),
    ),
    Mutation(
        "1/m± for 1/√m± in J",
        "kim2006:KernelFisher.J",
        "/ np.sqrt(m)",
        "/ m",
        ("ye2008-kim2006", "ye2008-eq4"),
    ),
    Mutation(
        "C for 1/C in the 2-norm soft margin",
        "lanckriet2004.programs:SoftMargin.sm2",
        "cp.sum_squares(alpha) / self.C",
        "cp.sum_squares(alpha) * self.C",
        ("ye2008-sm2c",),
    ),
    Mutation(
        "αᵀ1 for 2αᵀ1 in the 1-norm soft margin",
        "lanckriet2004.programs:SoftMargin.sm1",
        "2 * cp.sum(alpha)",
        "cp.sum(alpha)",
        ("ye2008-hard",),
    ),
    Mutation(
        "the box of the 1-norm soft margin at 100 C",
        "lanckriet2004.programs:SoftMargin.sm1",
        "box=alpha <= self.C",
        "box=alpha <= 100 * self.C",
        ("ye2008-hard",),
    ),
    Mutation(
        "weights of either sign in the semi-infinite programs",
        "ye2008.programs.solved:restricted_master",
        "nonneg=theta >= 0",
        "nonneg=theta >= -1",
        ("ye2008-thm2.3", "ye2008-thm3.3", "ye2008-eq44", "ye2008-eq47"),
    ),
    Mutation(
        "λ for kλ in Theorem 3.1",
        "tang2009.programs:Regularized.thm3_1",
        "- k * self.lam",
        "- self.lam",
        ("tang2009-thm3.1",),
    ),
    Mutation(
        "the multipliers of Theorem 3.1 not doubled for ζ",
        "tang2009.programs:Regularized.weights_from_quad",
        'return 2 * program.dual("quad0")',
        'return program.dual("quad0")',
        ("tang2009-thm3.1-recovery",),
    ),
    Mutation(
        "no ½ in D of the cuts",
        "tang2009.programs:Shared.D",
        "- forms / 2",
        "- forms",
        ("tang2009-eq12", "tang2009-eq11"),
    ),
    Mutation(
        "c = β/k for 2β/k in the lower bound of (11)",
        "tang2009.bounds:Bounds.spread",
        "self.share * (B - A)",
        "self.share / 2 * (B - A)",
        ("tang2009-eq9", "tang2009-eq11"),
    ),
    Mutation(
        "the largest weight over the labels for the shared part",
        "tang2009.bounds:omega",
        "theta.min(axis=0)",
        "theta.max(axis=0)",
        ("tang2009-eq7",),
    ),
    Mutation(
        "one gate of two in K_η",
        "gonen2008.data:Gating.K_eta",
        "eta[:, None] * K_m * eta",
        "eta[:, None] * K_m",
        ("gonen2008-eq7", "gonen2008-K_eta", "gonen2008-constant", "gonen2008-upper"),
    ),
    Mutation(
        "‖w‖² for ½‖w‖² in (5)",
        "gonen2008.programs:half_squares",
        "for w_m in w) / 2",
        "for w_m in w)",
        ("gonen2008-eq7",),
    ),
    Mutation(
        "the wrong sign of η_m in the gradients",
        "gonen2008.data:Gating.slope",
        "s - self.eta * s.sum(axis=0)",
        "s + self.eta * s.sum(axis=0)",
        (
            "gonen2008-gradient-v0",
            "gonen2008-gradient-v",
            "gonen2008-monotone",
            "gonen2008-extensions-gradient",
        ),
    ),
    Mutation(
        "2ε in the objective of regression",
        "gonen2008.extension:Extension.value",
        "- self.epsilon * abs",
        "- 2 * self.epsilon * abs",
        ("gonen2008-extensions",),
    ),
    Mutation(
        "1/ν for 1/(νn) in one class",
        "gonen2008.programs:GatedOneClass.dual",
        "alpha <= 1 / (self.nu * self.n)",
        "alpha <= 1 / self.nu",
        ("gonen2008-extensions",),
    ),
    Mutation(
        "the gates squared in (8)",
        "gonen2008.prediction:Discriminant.__call__",
        "f[rows] += eta[rows]",
        "f[rows] += eta[rows] ** 2",
        ("gonen2008-eq8", "gonen2008-testing"),
    ),
    Mutation(
        "twice the gates of the bounds",
        "gonen2008.bounds:mixture",
        "F.congruence(eta[m], K)",
        "F.congruence(2 * eta[m], K)",
        ("gonen2008-eq7", "gonen2008-K_eta"),
    ),
    Mutation(
        "K - S for 2(K - S) in the subgradient of L3",
        "kundu2010.losses.norms:Squared.subgradient",
        "return 2 * X",
        "return X",
        ("kundu2010-eq8", "kundu2010-lem3.1"),
    ),
    Mutation(
        "a quarter of (Σᵢ√qᵢ)² for half of it in (10)",
        "kundu2010.bounds:Omega.value",
        ".sum().square() / 2",
        ".sum().square() / 4",
        ("kundu2010-eq11",),
    ),
    Mutation(
        "the sum over j = 1, …, m in the last line of (7)",
        "kundu2010.programs:Spectra.eq7",
        "cp.sum(mu, axis=1) == self.tau",
        "cp.sum(mu[:, : self.m], axis=1) == self.tau",
        ("kundu2010-eq7-index",),
    ),
    Mutation(
        "ρ left out of (4)",
        "kundu2010.programs:Similarities.eq4",
        "margin.cost + self.rho * sum",
        "margin.cost + sum",
        ("kundu2010-eq4",),
    ),
    Mutation(
        "ρ for 4ρ in K*(α)",
        "chen2009.programs:RobustMachine.K_star",
        "(4 * self.rho)",
        "self.rho",
        ("chen2009-eq6", "chen2009-eq2-K"),
    ),
    Mutation(
        "η/2 in (7)",
        "chen2009.programs:KernelMachine.eq7",
        "self.eta * u[0, 0]",
        "self.eta / 2 * u[0, 0]",
        ("chen2009-eq7",),
    ),
    Mutation(
        "the wrong sign of the negative eigenvalues in a_flip",
        "chen2009.spectrum:a_flip",
        "np.sign(lam)",
        "np.abs(np.sign(lam))",
        ("chen2009-A", "chen2009-eq12-large"),
    ),
    Mutation(
        "k without its factor 2 in the QCQP below (9)",
        "chen2009.programs:NewSample.eq8_qcqp",
        "2 * cp.sum_squares(k - self.s)",
        "cp.sum_squares(k - self.s)",
        ("chen2009-eq8",),
    ),
)


@pytest.fixture
def mutate(monkeypatch):
    """`mutate(function, old, new)`; what the claims have cached is dropped before and after."""

    def exchange(where, old, new):
        module_name, _, name = where.partition(":")
        module = import_module(f"cvxkernel.formulations.{module_name}")
        thing = module
        for part in name.split("."):
            thing = inspect.getattr_static(thing, part)
        function = getattr(thing, "func", None) or getattr(thing, "fget", None) or thing
        function = inspect.unwrap(function)  # a program knows how it is printed
        source = dedent(inspect.getsource(function))
        source = source[source.index("def ") :]
        assert source.count(old) == 1, f"{where} has {old!r} {source.count(old)} times"
        flags = __future__.annotations.compiler_flag
        slipped = {}
        code = compile(source.replace(old, new), where, "exec", flags=flags)
        exec(code, dict(vars(module)), slipped)
        monkeypatch.setattr(function, "__code__", slipped[function.__name__].__code__)
        forget()

    yield exchange
    monkeypatch.undo()
    forget()


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.what)
def test_a_slip_turns_claims_red(mutation, mutate):
    mutate(mutation.function, mutation.old, mutation.new)
    for claim in mutation.claims:
        try:
            found = judge(claim)
        except ContradictionError:  # the slip makes two ends cross: it is seen
            continue
        assert not found.as_recorded, (claim, found.evidence)


def test_without_a_slip_nothing_is_red(mutate):
    mutate(
        "ye2008.programs.discriminant:Discriminant.thm2_2",
        "t / (4 * self.lam)",
        "t / (2 * 2 * self.lam)",
    )
    assert judge("ye2008-thm2.2").as_recorded
