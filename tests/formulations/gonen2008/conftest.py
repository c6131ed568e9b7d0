"""Localized problems."""

from __future__ import annotations

import numpy as np
import pytest

from cvxkernel.formulations import CATALOGUE
from cvxkernel.formulations.gonen2008 import Gated, Localized
from cvxkernel.validation.instances import random_kernels, sample

EQ7 = CATALOGUE["gonen2008-eq7"]


@pytest.fixture(scope="session")
def gated():
    def make(n=14, p=3, kind="gaussian", seed=0, **changes) -> Gated:
        data = {**sample("gonen2008-eq7", n, p, kind=kind, seed=seed), **changes}
        return EQ7.make(data)

    return make


@pytest.fixture(scope="session")
def random_gated():
    def make(rng, n, p, d, *, C=10.0, spread=1.0) -> Gated:
        K = n * random_kernels(
            n, p, rank=int(rng.integers(2, n + 1)), seed=int(rng.integers(10**6))
        )
        y = np.where(rng.permutation(n) % 2, 1.0, -1.0)
        V, v0 = spread * rng.normal(size=(p, d)), spread * rng.normal(size=p)
        return Gated(K, y, rng.normal(size=(n, d)), C, V, v0)

    return make


@pytest.fixture(scope="session")
def on_a_line():
    def make(seed, n=8):
        rng = np.random.default_rng(seed)
        K = n * random_kernels(n, 2, rank=int(rng.integers(2, n + 1)), seed=seed)
        y = np.where(rng.permutation(n) % 2, 1.0, -1.0)
        return Localized(K, y, rng.normal(size=(n, 1)), 10.0), rng

    return make
