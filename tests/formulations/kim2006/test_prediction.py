"""The classifier of kim2006: its direction maximizes the ratio, its threshold is the midpoint."""

from __future__ import annotations

import numpy as np
import pytest

from cvxkernel.formulations import kernels
from cvxkernel.formulations.kim2006 import FisherClassifier, KernelFisher
from cvxkernel.validation.instances import blobs


def test_the_direction_maximizes_kims_ratio_in_the_feature_space():
    X, y = blobs(30, 2, d=3, seed=3)
    problem = KernelFisher(kernels.linear(X)[None], y, 0.3)
    fitted = FisherClassifier.fit(problem, np.ones(1))
    w = X.T @ fitted.alpha  # the linear kernel: φ(x) = x
    classes = [X[y == label] for label in np.unique(y)]
    between = classes[1].mean(axis=0) - classes[0].mean(axis=0)
    within = sum(np.cov(one.T, bias=True) for one in classes) + 0.3 * np.eye(3)
    best = np.linalg.solve(within, between)
    assert w @ best / np.linalg.norm(w) / np.linalg.norm(best) == pytest.approx(1, abs=1e-9)
    f = fitted.scores(problem.kernels)
    means = [f[y == label].mean() for label in np.unique(y)]
    assert sum(means) == pytest.approx(0, abs=1e-9)
    assert means[1] > 0
