"""What ye2008 prints that does not hold, and what it prints that does, on explicit features."""

from __future__ import annotations

import numpy as np
import pytest

from cvxkernel.formulations import CATALOGUE, kernels, kim2006
from cvxkernel.formulations.arithmetic import DOUBLES
from cvxkernel.validation.instances import blobs, gaussian_kernels

M_PLUS, M_MINUS, LAM = 9, 5, 0.3
M = M_PLUS + M_MINUS


@pytest.fixture(scope="module")
def example():
    """m₊ = 9, m₋ = 5 points with explicit features: scatter matrices can be written down."""
    X = blobs(M, 2, d=3, seed=8)[0]
    y = np.where(np.arange(M) < M_PLUS, 1.0, -1.0)
    X[y > 0] += 0.7
    plus, minus = X[y > 0], X[y < 0]
    return {
        "X": X,
        "y": y,
        "difference": plus.mean(axis=0) - minus.mean(axis=0),
        "S+": np.cov(plus.T, bias=True),
        "S-": np.cov(minus.T, bias=True),
        "problem": kim2006.KernelFisher(kernels.linear(X)[None], y, LAM),
    }


def ratio(example, within, lam=LAM):
    d = example["difference"]
    return float(d @ np.linalg.solve(within + lam * np.eye(3), d))


def of_4(example, J):
    """(4), with any J."""
    problem = example["problem"]
    G, a = problem.kernels[0], problem.a
    inner = np.linalg.solve(LAM * np.eye(M) + J @ G @ J, J @ G @ a)
    return (a.T @ G @ (a - J @ inner)).item() / LAM


def test_the_printed_J_gives_kims_ratio_not_1(example, tolerances):
    true = ratio(example, (M_PLUS * example["S+"] + M_MINUS * example["S-"]) / M)
    kims = ratio(example, example["S+"] + example["S-"])
    printed = example["problem"].J
    assert of_4(example, printed) == pytest.approx(kims, rel=1e-9)
    assert abs(true - kims) > 0.1 * true
    # With both blocks divided by √m, (4) is the maximum of (1).
    sizes = np.where(example["y"] > 0, M_PLUS, M_MINUS)
    assert of_4(example, printed * np.sqrt(sizes / M)[:, None]) == pytest.approx(true, rel=1e-9)
    # and kim2006 is the printed one
    low = kim2006.value(DOUBLES, example["problem"], np.ones(1)).mid
    assert low == pytest.approx(kims, rel=tolerances.rounding)


def test_the_printed_J_is_blockwise_in_the_order_of_the_labels(example):
    J, y = example["problem"].J, example["y"]
    expected = np.zeros((M, M))
    for label, m in ((1.0, M_PLUS), (-1.0, M_MINUS)):
        block = (np.eye(m) - np.ones((m, m)) / m) / np.sqrt(m)
        expected[np.ix_(y == label, y == label)] = block
    assert pytest.approx(expected, abs=1e-15) == J
    # and it follows a permutation of the samples
    order = np.random.default_rng(0).permutation(M)
    permuted = CATALOGUE["kim2006"].make(
        {"kernels": kernels.linear(example["X"][order])[None], "y": y[order], "lam": LAM}
    )
    assert pytest.approx(J[np.ix_(order, order)], abs=1e-15) == permuted.J


def test_1_and_6_agree_in_direction_at_m_lambda_only(example):
    d = example["difference"]
    within = (M_PLUS * example["S+"] + M_MINUS * example["S-"]) / M
    total = M * within + M_PLUS * M_MINUS / M * np.outer(d, d)
    X = example["X"]
    assert total == pytest.approx(M * np.cov(X.T, bias=True), rel=1e-10)  # (7)

    def cosine(lam_1, lam_6):
        w_1 = np.linalg.solve(within + lam_1 * np.eye(3), d)
        w_6 = np.linalg.solve(total + lam_6 * np.eye(3), d)
        return w_1 @ w_6 / np.linalg.norm(w_1) / np.linalg.norm(w_6)

    assert cosine(LAM, M * LAM) == pytest.approx(1, abs=1e-12)
    assert cosine(LAM, LAM) < 0.999


def test_10_and_appendix_a(example, tolerances):
    X, d = example["X"], example["difference"]
    G, a = kernels.linear(X), example["problem"].a
    P = np.eye(M) - 1 / M
    total = M * np.cov(X.T, bias=True)
    direct = float(d @ np.linalg.solve(total + LAM * np.eye(3), d))
    # Appendix A
    w = X.T @ (a - P @ np.linalg.solve(LAM * np.eye(M) + P @ G @ P, P @ G @ a)) / LAM
    expected = np.linalg.solve(total + LAM * np.eye(3), d)
    assert w[:, 0] == pytest.approx(expected, rel=1e-9)
    # (10), and (11) as the value of thm2.1 with this kernel
    inverse = np.linalg.solve(LAM * np.eye(M) + P @ G @ P, a)
    assert (a.T @ a - LAM * a.T @ inverse).item() == pytest.approx(direct, rel=1e-9)
    r = np.trace(P @ G @ P)
    form = CATALOGUE["ye2008-thm2.1"]
    problem = form.make({"kernels": G[None], "y": example["y"], "lam": LAM / r})
    enclosure = form.enclose(problem, {})
    eleven = (a.T @ a).item() - direct
    slack = tolerances.data * eleven
    assert enclosure.lower - slack <= eleven <= enclosure.upper + slack


def test_3_1_lies_strictly_above_29(optimum):
    # m = 30, 3 classes, 4 kernels, λ = 0.05: an upper bound, and not a near one.
    X, y = blobs(30, 3, seed=0)
    data = {"kernels": gaussian_kernels(X, 4), "y": y, "lam": 0.05}
    exact, restricted = optimum("ye2008-eq29", data), optimum("ye2008-thm3.1", data)
    assert restricted.lower > 1.2 * exact.upper
    for id in ("ye2008-eq29-single", "ye2008-thm3.2", "ye2008-thm3.3"):
        assert optimum(id, data).meets(exact)
    joint = optimum("ye2008-eq45-single", data)
    assert optimum("ye2008-eq45", data).lower > 1.2 * joint.upper


def test_the_silp_value_is_minus_the_qcqp_value(solved):
    for silp, qcqp in (
        ("thm2.3", "thm2.2"),
        ("thm3.3", "thm3.2"),
        ("eq44", "eq43"),
        ("eq47", "eq46"),
    ):
        minus, plus = solved(f"ye2008-{silp}")[1], solved(f"ye2008-{qcqp}")[1]
        assert minus.upper < 0 < plus.lower
        assert (-minus.enclosure).meets(plus.enclosure)
