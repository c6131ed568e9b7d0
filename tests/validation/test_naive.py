"""Answers of honest naive implementations with one or two realistic mistakes: each is explained.

The machines are scikit-learn's, the loops are written here or the programs given to Clarabel; none
shares code with the diagnosis.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import cvxpy as cp
import numpy as np
import pytest
from sklearn.svm import SVC

import cvxkernel
from cvxkernel.formulations import CATALOGUE, kernels
from cvxkernel.solvers import solve
from cvxkernel.validation.instances import blobs

N, C, LAM = 24, 0.45, 0.05
EQ1, EQ3, SM1, SIMPLE = "chen2009-eq1", "chen2009-eq3", "lanckriet2004-sm1", "rakotomamonjy2008"
YE, KIM = "ye2008-thm2.2", "kim2006"


def made(seed=0):
    """Noisy labels of unequal classes, kernels of different traces."""
    rng = np.random.default_rng(seed)
    X, y = blobs(N, 2, seed=seed)
    y = np.where(rng.random(N) < 0.25, 3 - y, y)
    y[:5] = 1
    squared = ((X[:, None] - X) ** 2).sum(-1)
    K = (
        np.stack([np.exp(-squared / w) for w in (0.2, 1.0, 4.0)])
        * np.array([1, 2, 3])[:, None, None]
    )
    return {
        "kernels": K,
        "K": 2 * K[1],
        "y": 2 * y - 3,
        "C": C,
        "eta": 1 / (2 * C * N),
        "lam": LAM,
    }


DATA = made(int(os.environ.get("CVXKERNEL_SEED", "0")))  # other instances, to count on
K, Y = DATA["kernels"], DATA["y"]
TRACES = np.trace(K, axis1=1, axis2=2)
BUDGET = TRACES.sum()


def solution(id, **changes):
    return solve(id, CATALOGUE[id].make({**DATA, **changes}), tol=1e-9)


def svc(K=2 * K[1], y=Y, weights=None, **options):
    made = SVC(kernel="precomputed", tol=1e-10, **{"C": C, **options})
    return made.fit(K, y, sample_weight=weights)


def alpha_of(machine):
    alpha = np.zeros(N)
    alpha[machine.support_] = np.abs(machine.dual_coef_[0])
    return alpha


def mkl(K=K, C=C, steps=3000, stop=1e-10, half=0.5):
    """Weights on the simplex that grow with their norms, the machine by libsvm."""
    d, forms = np.ones(len(K)) / len(K), np.ones(len(K))
    for _ in range(steps):
        d = d * np.sqrt(forms)
        d /= d.sum()
        machine = svc(np.tensordot(d, K, axes=1), C=C)
        c = alpha_of(machine) * Y
        forms = np.einsum("n,inm,m->i", c, K, c)
        value, bound = np.abs(c).sum() - half * d @ forms, np.abs(c).sum() - half * forms.max()
        if value - bound <= stop * value:
            break
    return {"d": d, "alpha": alpha_of(machine), "value": value}


def maximum(objective, *constraints):
    problem = cp.Problem(cp.Maximize(objective), list(constraints))
    problem.solve(solver=cp.CLARABEL)
    return float(problem.value), [c.dual_value for c in constraints]


def soft_margin(*, objective=2.0, balance=True, c=BUDGET, r=TRACES, C=C):
    """lanckriet2004's QCQP; μ read off the multipliers of its quadratic constraints."""
    a, t = cp.Variable(N), cp.Variable()
    forms = [
        cp.sum_squares(kernels.factor(np.outer(Y, Y) * K_i) @ a) / r_i
        for K_i, r_i in zip(K, r, strict=True)
    ]
    value, duals = maximum(
        objective * cp.sum(a) - objective / 2 * c * t,
        *(t >= form for form in forms),
        *((a @ Y == 0,) if balance else ()),
        a >= 0,
        a <= C,
    )
    mu = np.array([float(np.ravel(x)[0]) for x in duals[: len(K)]]) / r
    return {"alpha": np.clip(a.value, 0, None), "mu": mu, "value": value}


def discriminant(*, a=None, quarter=0.25, lam=LAM):
    """ye2008's (13), θ off the multipliers."""
    problem = CATALOGUE[YE].make(DATA)
    target = np.ravel(problem.a) if a is None else a
    beta, t = cp.Variable(N), cp.Variable()
    forms = [
        cp.sum_squares(kernels.factor(G) @ beta) / r
        for G, r in zip(problem.G, problem.r, strict=True)
    ]
    value, duals = maximum(
        beta @ target - quarter * cp.sum_squares(beta) - quarter / lam * t,
        *(t >= form for form in forms),
    )
    theta = np.array([float(np.ravel(x)[0]) for x in duals]) * lam / quarter / problem.r
    return {"beta": beta.value, "theta": theta, "value": value}


def only(answer, *names):
    return {name: answer[name] for name in names}


def scaled(answer, **factors):
    return {**answer, **{name: factors[name] * np.asarray(answer[name]) for name in factors}}


def normalized(answer, name):
    return {**answer, name: answer[name] / answer[name].sum()}


def everything(id, **changes):
    found = solution(id, **changes)
    kept = {k: v for k, v in found.variables.items() if k in ("theta", "mu", "d", "alpha", "beta")}
    return {**kept, "value": found.value}


CLASSES = {1: 0.6, -1: 0.4}
WEIGHTS = np.random.default_rng(1).uniform(0.3, 1.5, N)
# name: the formulation, the answer, and the kinds that explain it
NAIVE = {
    "SVC with class weights": (
        EQ1, lambda: svc(class_weight=CLASSES), {"C of each class"}),
    "the same, with b": (EQ3, lambda: svc(class_weight=CLASSES), {"C of each class"}),
    "SVC with another C": (EQ1, lambda: svc(C=0.37), {"another C"}),
    "SVC with sample weights": (EQ1, lambda: svc(weights=WEIGHTS), {"C of each sample"}),
    "SVC with C/n": (EQ1, lambda: svc(C=C / N), {"C/n"}),
    "SVC on twice the kernel": (EQ1, lambda: svc(4 * K[1]), {"½ of the form"}),
    "SVC on the kernel over its trace": (
        EQ1, lambda: svc(K[1] / TRACES[1]), {"trace normalization"}),
    "SVC, twice the kernel and α/4": (
        EQ1, lambda: {"alpha": alpha_of(svc(4 * K[1])) / 4}, {"½ of the form", "factor of α"}),
    "MKL with another C": (SIMPLE, lambda: mkl(C=0.37), {"another C"}),
    "MKL with 2C": (SIMPLE, lambda: mkl(C=2 * C), {"2C"}),
    "MKL, weights of sum p": (SIMPLE, lambda: scaled(mkl(), d=3), {"weights rescaled"}),
    "MKL, 2C and the value doubled": (
        SIMPLE, lambda: scaled(mkl(C=2 * C), value=2), {"2C", "factor of the value"}),
    "MKL, 2C, weights of sum p, value doubled": (
        SIMPLE, lambda: scaled(mkl(C=2 * C), value=2, d=3),
        {"2C", "weights rescaled", "factor of the value"}),
    "MKL, kernels over their traces, value negative": (
        SIMPLE, lambda: scaled(mkl(K / TRACES[:, None, None]), value=-1),
        {"trace normalization", "sign of the value"}),
    "MKL stopped at 1e-2": (
        SIMPLE, lambda: only(mkl(stop=1e-2), "d", "alpha"), {"stopped early"}),
    "MKL stopped at 1e-3": (SIMPLE, lambda: only(mkl(stop=1e-3), "d"), {"stopped early"}),
    "MKL stopped at 5e-6": (
        SIMPLE, lambda: only(mkl(stop=5e-6), "d", "alpha"), {"a solver's tolerance"}),
    "uniform weights and their machine": (SIMPLE, lambda: mkl(steps=1), {"average kernel"}),
    "uniform weights alone": (SIMPLE, lambda: {"weights": np.ones(3) / 3}, {"average kernel"}),
    "weights reversed": (
        SIMPLE, lambda: {"weights": mkl()["d"][::-1]}, {"order of the weights"}),
    "√d": (SIMPLE, lambda: {"weights": np.sqrt(mkl()["d"])}, {"roots of the weights"}),
    "a program of Σd = 1 told as sm1": (SM1, mkl, {"another formulation"}),
    "its value alone": (SM1, lambda: only(mkl(), "value"), {"another formulation"}),
    "sm1 told as a program of Σd = 1": (SIMPLE, lambda: everything(SM1), {"another formulation"}),
    "sm1, objective halved": (
        SM1, lambda: soft_margin(objective=1.0), {"weights rescaled", "factor of the value"}),
    "sm1, αᵀy = 0 left out": (SM1, lambda: soft_margin(balance=False), {"no offset"}),
    "sm1, c = 1": (SM1, lambda: soft_margin(c=1.0), {"c = 1"}),
    "sm1, c = 1, objective halved": (
        SM1, lambda: soft_margin(c=1.0, objective=1.0),
        {"c = 1", "weights rescaled", "factor of the value"}),
    "sm1, C/n, weights of sum 1": (
        SM1, lambda: normalized(everything(SM1, C=C / N), "mu"), {"C/n", "weights rescaled"}),
    "sm1, another C, weights of sum 1": (
        SM1, lambda: normalized(everything(SM1, C=0.05), "mu"), {"another C", "weights rescaled"}),
    "ye2008, a = ±1": (YE, lambda: discriminant(a=Y * 1.0), {"labels as targets"}),
    "ye2008, a = ±1 centred": (YE, lambda: discriminant(a=Y - Y.mean()), {"labels as targets"}),
    "ye2008, ½ for ¼": (YE, lambda: discriminant(quarter=0.5), {"½ for ¼"}),
    "ye2008, raw dual coefficients": (
        YE, lambda: scaled(only(discriminant(), "beta"), beta=1 / (2 * LAM)),
        {"raw dual coefficients"}),
    "ye2008, θ permuted": (
        YE, lambda: {"theta": discriminant()["theta"][[2, 0, 1]]}, {"order of the weights"}),
    "ye2008, uniform": (YE, lambda: {"theta": np.ones(3) / 3}, {"average kernel"}),
    "ye2008, nλ, θ alone": (YE, lambda: only(discriminant(lam=N * LAM), "theta"), {"nλ"}),
    "ye2008, nλ, θ over its sum, with the value": (
        YE, lambda: normalized(only(discriminant(lam=N * LAM), "theta", "value"), "theta"),
        {"nλ", "weights rescaled"}),
    "ye2008, 2λ and the value halved": (
        YE, lambda: scaled(discriminant(lam=2 * LAM), value=0.5), {"2λ", "factor of the value"}),
    "ye2008, right but for the value": (
        YE, lambda: scaled(discriminant(), value=0.37), {"another value"}),
    "ye2008, six digits": (
        YE, lambda: {"theta": np.round(discriminant()["theta"], 6)}, {"rounded numbers"}),
    "ye2008, a value 2e-6 off": (
        YE, lambda: scaled(only(discriminant(), "value"), value=1 + 2e-6),
        {"a solver's tolerance"}),
    "kim2006 told as ye2008": (
        YE, lambda: only(everything(KIM), "theta", "value"), {"another formulation"}),
    "kim2006, weights of sum 3 and nλ": (
        KIM, lambda: scaled(only(everything(KIM, lam=N * LAM), "theta", "value"), theta=3),
        {"nλ", "weights rescaled"}),
    "kim2006, value alone of 2λ": (
        KIM, lambda: only(everything(KIM, lam=2 * LAM), "value"), {"2λ"}),
}  # fmt: skip


@pytest.mark.parametrize("name", NAIVE)
def test_it_is_explained_and_first(name):
    id, answer, kinds = NAIVE[name]
    found = cvxkernel.check(id, DATA, answer())
    assert found.verdict() == "not within"
    assert found.slips, found
    first = found.slips[0]
    assert set(first.parts or [first.kind]) == kinds, found.slips


RIGHT = {
    "SVC": (EQ1, svc),
    "SVC with b": (EQ3, svc),
    "MKL": (SIMPLE, mkl),
    "sm1": (SM1, soft_margin),
    "ye2008": (YE, discriminant),
    "ye2008 without a value": (YE, lambda: only(discriminant(), "theta", "beta")),
}


@pytest.mark.parametrize("name", RIGHT)
def test_without_a_mistake_it_is_right(name):
    id, answer = RIGHT[name]
    found = cvxkernel.check(id, DATA, answer(), tol=1e-6)
    assert found.within(), found
    assert not found.slips


# Programs not written here, run once on made(seed): what they answered, by which command, and the
# kind that explains it; null where the answer is right, "none" where no slip known was made.
FOREIGN = json.loads((Path(__file__).parent / "foreign.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("run", FOREIGN, ids=lambda run: run["name"])
def test_of_another_program(run):
    found = cvxkernel.check(run["formulation"], made(run["seed"]), run["answer"], tol=1e-6)
    assert found.within() == (run["kind"] is None), found
    assert [slip.kind for slip in found.slips[:1]] == [run["kind"]] * (
        run["kind"] not in (None, "none")
    )
