"""Any convex loss: conjugates by Fenchel and Young, subgradients, proximal maps, files, and ends.

Every conjugate is derived in the docstring of its class; here it is met a second time, by numbers:
ρL(X) + (ρL)*(W) ≥ ⟨W, X⟩ everywhere, with equality where W = ρL′(X).
"""

from __future__ import annotations

import json

import cvxpy as cp
import numpy as np
import pytest

import cvxkernel
from cvxkernel.formulations.arithmetic import BALLS, DOUBLES
from cvxkernel.formulations.errors import InputError
from cvxkernel.formulations.kundu2010 import LOSSES, Loss, Similarities
from cvxkernel.formulations.kundu2010.losses.reading import loss as named
from cvxkernel.formulations.kundu2010.losses.spectral import spectrum
from cvxkernel.solvers.units.kundu2010 import UNITS
from cvxkernel.validation.kundu2010.samples import similarities

N = 5
V = np.abs(np.subtract.outer(np.arange(N), np.arange(N))) / 4.0  # zero on the diagonal
HUBER, TUBE = {"name": "huber", "delta": 0.5}, {"name": "insensitive", "epsilon": 0.2}
GIVEN = {
    "L1": "L1", "L2": "L2", "L3": "L3", "huber": HUBER, "insensitive": TUBE, "largest": "largest",
    "weighted": {"name": "weighted", "V": V.tolist()},
    "squares": {"name": "weighted", "V": V.tolist(), "power": 2},
    "spectral": "spectral", "nuclear": "nuclear",
    "eigenvalues huber": {"name": "eigenvalues", "of": HUBER},
    "eigenvalues tube": {"name": "eigenvalues", "of": TUBE},
}  # fmt: skip
EVERY = {name: named(given) for name, given in GIVEN.items()}
FURTHER = [name for name in EVERY if name not in LOSSES]
RNG = np.random.default_rng(20)


def matrices(count: int) -> list[np.ndarray]:
    """Symmetric ones of several sizes; zero, one of rank one and one with equal eigenvalues."""
    random = [RNG.normal(size=(N, N)) * 10.0 ** RNG.integers(-3, 3) for _ in range(count)]
    a = RNG.normal(size=N)
    return [np.zeros((N, N)), np.outer(a, a), -np.eye(N), *((A + A.T) / 2 for A in random)]


@pytest.mark.parametrize("rho", [0.0, 0.3, 7.0])
@pytest.mark.parametrize("name", EVERY)
def test_fenchel_and_young(name: str, rho: float) -> None:
    loss = EVERY[name]
    Xs = matrices(12)
    for W in (rho * loss.subgradient(X) for X in Xs):
        assert np.isfinite(W).all()
    for F in (DOUBLES, BALLS):
        for X in Xs[:6] if F is BALLS else Xs:
            for given in (*matrices(3), rho * loss.subgradient(X)):
                W = loss.inside(F, F.exact(given), rho)
                size = loss.gauge(F, W, rho)
                assert size is None or float(size.lower) <= rho
                left = F.exact(rho) * loss.value(F, F.exact(X)) + loss.conjugate(F, W, rho)
                # certain that it is less: never
                assert not bool(left < F.inner(W, F.exact(X)))


@pytest.mark.parametrize("name", EVERY)
def test_equality_at_subgradients(name: str) -> None:
    loss, rho = EVERY[name], 0.7
    for X in matrices(12):
        given = rho * loss.subgradient(X)
        W = loss.inside(DOUBLES, DOUBLES.exact(given), rho)
        assert np.abs(W.mid - given).max() <= 1e-12 * max(np.abs(given).max(), 1e-300)
        left = rho * loss.number(X) + float(loss.conjugate(DOUBLES, W, rho).mid)
        size = max(abs(left), float(np.abs(given * X).sum()), 1e-290)  # above underflow
        assert left - float((given * X).sum()) <= 1e-11 * size


@pytest.mark.parametrize("name", EVERY)
def test_outside_the_domain_the_conjugate_is_infinite(name: str) -> None:
    """What `gauge` calls outside is: along some X the difference grows beyond any bound."""
    loss, rho = EVERY[name], 0.5
    for W in matrices(8)[1:]:
        size = loss.gauge(DOUBLES, DOUBLES.exact(W), rho)
        if size is None or not size > 1.01 * rho:
            continue
        D = W - loss.inside(DOUBLES, DOUBLES.exact(W), rho).mid
        lam, Q = np.linalg.eigh(W)
        j = int(np.abs(lam).argmax())
        top = np.sign(lam[j]) * np.outer(Q[:, j], Q[:, j])
        signs = (Q * np.sign(lam)) @ Q.T
        one = np.where(np.abs(W) >= np.abs(W).max(), np.sign(W), 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.where(W != 0, np.abs(W) / V, 0.0)
        rare = np.where(ratio >= ratio.max(), np.sign(W), 0.0)
        ways = (D, W, top, signs, np.sign(W), one, rare)
        growth = [1e6 * float((W * X).sum()) - rho * loss.number(1e6 * X) for X in ways]
        assert max(growth) > 0


@pytest.mark.parametrize("name", EVERY)
def test_value_expression_and_number_agree(name: str) -> None:
    loss = EVERY[name]
    for X in matrices(4):
        value = loss.value(DOUBLES, DOUBLES.exact(X))
        near = 1e-12 * max(loss.number(X), 1e-300)
        assert float(value.lower) - near <= loss.number(X) <= float(value.upper) + near
        held = cp.Variable((N, N))
        problem = cp.Problem(cp.Minimize(loss.expression(held)), [held == X])
        problem.solve(solver="CLARABEL")
        assert problem.value == pytest.approx(loss.number(X), rel=1e-5, abs=1e-6)


@pytest.mark.parametrize("name", EVERY)
def test_proximal_map(name: str) -> None:
    """(X - D)/t is a subgradient at D: by the inequality of subgradients, at other points."""
    loss = EVERY[name]
    for X in matrices(6):
        for t in (1e-3, 0.4, 30.0):
            D = loss.prox(X, t)
            W = (X - D) / t
            for Z in (*matrices(4), D * 1.001, D + 1e-4):
                least = loss.number(D) + float((W * (Z - D)).sum())
                size = loss.number(D) + float(np.abs(W * (Z - D)).sum())
                # W carries the rounding of D, a part of ‖X‖, over t.
                size += float(np.linalg.norm(X) * np.linalg.norm(Z - D)) / t
                assert loss.number(Z) >= least - 1e-13 * size
            rough = loss.rough(X.size)
            assert rough == 0 or np.linalg.norm(W) <= np.sqrt(rough) * (1 + 1e-9)
            assert np.linalg.norm(loss.subgradient(X)) <= (
                loss.steepest(float(np.linalg.norm(X)), X.size) * (1 + 1e-9)
            )


def test_the_spectrum_is_enclosed() -> None:
    for X in matrices(6):
        low, exact = spectrum(DOUBLES, DOUBLES.exact(X)), np.sort(np.linalg.eigvalsh(X))
        slack = 1e-14 * max(np.abs(X).max(), 1e-300)
        assert (low.lower <= exact + slack).all()
        assert (exact - slack <= low.upper).all()
        assert (low.radius <= 1e-12 * max(np.abs(X).max(), 1e-140)).all()  # roots of underflow


def problem(loss: object, n: int, m: int, kind: str, rho: float, seed: int = 3) -> Similarities:
    S, y = similarities(n, m, kind=kind, seed=seed)
    return Similarities(S, y, 1.0, rho, float(n), loss)


def weights(n: int) -> dict[str, object]:
    W = np.abs(np.subtract.outer(np.arange(n), np.arange(n))) / n
    return {"name": "weighted", "V": W}


RHO = {"huber": 0.1, "insensitive": 0.02, "weighted": 0.05, "spectral": 0.5, "nuclear": 0.2,
       "eigenvalues huber": 0.2}  # fmt: skip


@pytest.mark.parametrize("id", ["kundu2010-eq4", "kundu2010-eq6"])
@pytest.mark.parametrize("name", RHO)
@pytest.mark.parametrize(("n", "m", "kind"), [(16, 1, "low rank"), (9, 3, "random")])
def test_mirror_descent_and_the_cone_agree(name: str, n: int, m: int, kind: str, id: str) -> None:
    given = weights(n) if name == "weighted" else GIVEN[name]
    at = problem(given, n, m, kind, RHO[name])
    cone = cvxkernel.solve(id, at, solver="conic", tol=1e-5)
    descent = cvxkernel.solve(id, at, solver="mirror_descent", tol=1e-2)
    assert cone.rigorous
    assert descent.rigorous
    assert cone.enclosure.meets(descent.enclosure)


@pytest.mark.parametrize("name", RHO)
@pytest.mark.parametrize("case", ["equal", "zero", "rounded", "tiny", "idle"])
def test_degenerate_instances(name: str, case: str) -> None:
    n = 6
    given = weights(n) if name == "weighted" else GIVEN[name]
    S, y = similarities(n, 2, kind="random", seed=4)
    rho, tau = RHO[name], float(n)
    if case == "equal":
        S = np.stack([S[0], S[0]])
    elif case == "zero":
        S = 0.0 * S
    elif case == "rounded":
        S = np.round(S, 9)
    elif case == "tiny":
        S, tau = 1e-5 * S, 1e-5 * n
    else:
        rho = 0.0
    at = Similarities(S, y, 1.0, rho, tau, given)
    for id in ("kundu2010-eq4", "kundu2010-eq6"):
        cone = cvxkernel.solve(id, at, solver="conic", tol=1e-4)
        descent = cvxkernel.solve(id, at, solver="mirror_descent", tol=1e-2)
        assert cone.enclosure.meets(descent.enclosure)


def weighing(V: np.ndarray, power: int = 1) -> dict[str, object]:
    return {"name": "weighted", "V": V, "power": power}


EXTREME = {
    "huber, δ = 1e12": {"name": "huber", "delta": 1e12},
    "eigenvalues huber, δ = 1e12": {"name": "eigenvalues", "of": {"name": "huber", "delta": 1e12}},
    "insensitive, ε = 0": {"name": "insensitive", "epsilon": 0.0},
    "no weights of squares": weighing(np.zeros((N, N)), 2),
    "weights of 1e8 and 0": weighing(1e8 * V),  # at 1e12 no cone is answered on every processor
}


@pytest.mark.parametrize("name", EXTREME)
def test_extreme_parameters(name: str) -> None:
    S, y = similarities(N, 2, kind="random", seed=4)
    at = Similarities(S, y, 1.0, 0.1, float(N), EXTREME[name])
    cone = cvxkernel.solve("kundu2010-eq6", at, solver="conic", tol=1e-4)
    descent = cvxkernel.solve("kundu2010-eq6", at, solver="mirror_descent", tol=1e-2)
    assert cone.enclosure.meets(descent.enclosure)
    other = {"huber, δ = 1e12": ("L3", 0.05), "insensitive, ε = 0": ("L1", 0.1)}
    if name in other:
        loss, rho = other[name]
        known = Similarities(S, y, 1.0, rho, float(N), loss)
        assert cone.enclosure.meets(cvxkernel.solve("kundu2010-eq6", known).enclosure)


def test_a_loss_for_each_similarity() -> None:
    at = problem(["L3", "nuclear", HUBER], 7, 3, "random", 0.1)
    scaled = UNITS[Similarities].scaled(Similarities(at.S * 64, at.y, 1.0, 0.1, 448.0, at.loss))
    X = at.S[0]
    for loss, unit in zip(at.losses, scaled.losses, strict=True):
        kappa = 448.0 / scaled.tau  # the objective of the units is κ times that of the problem
        assert scaled.rho * unit.number(X) == pytest.approx(0.1 * kappa * loss.number(kappa * X))
    for id in ("kundu2010-eq4", "kundu2010-eq6"):
        cone = cvxkernel.solve(id, at, solver="conic", tol=1e-5)
        assert cone.enclosure.meets(
            cvxkernel.solve(id, at, solver="mirror_descent", tol=1e-2).enclosure
        )


@pytest.mark.parametrize("name", FURTHER)
def test_files_name_losses(name: str) -> None:
    text = json.dumps(GIVEN[name])
    n = N
    S, y = similarities(n, 2, seed=1)
    held = np.array(text if text.startswith("{") else GIVEN[name])  # as .npz and .mat hold it
    for given in (json.loads(text), held, [GIVEN[name], "L1"]):
        at = Similarities(S, y, 1.0, 0.1, 5.0, given)
        assert isinstance(at.losses[0], Loss)
        assert at.losses[0].number(S[0]) == EVERY[name].number(S[0])
    assert Similarities(S, y, 1.0, 0.1, 5.0, ["L2", "L2"]).loss == "L2"


@pytest.mark.parametrize(
    ("given", "key"),
    [
        ("hubber", "loss"), ("huber", "loss.delta"), ({"name": "huber", "delta": -1}, "loss.delta"),
        ({"name": "huber", "delta": 1, "eps": 2}, "loss.eps"), (["L1"], "loss"), (3, "loss"),
        ({"name": "weighted", "V": [[1.0]]}, "loss.V"), ("{", "loss"), (None, "loss"),
        ({"name": "weighted", "V": -np.eye(N)}, "loss.V"),
        ({"name": "weighted", "V": np.eye(N), "power": 3}, "loss.power"),
        ({"name": "eigenvalues", "of": "nuclear"}, "loss.of"), ({}, "loss"),
    ],
)  # fmt: skip
def test_other_losses_are_refused(given: object, key: str) -> None:
    S, y = similarities(N, 2, seed=1)
    with pytest.raises(InputError) as error:
        Similarities(S, y, 1.0, 0.1, 5.0, given)
    assert error.value.key == key
