"""scikit-learn's own checks, every one of them, and no exception.

The default is a few dozen seconds; CVXKERNEL_CHECKS=all adds the estimators whose fits are slow.
Similarities come from a function here: scikit-learn hands over square matrices, and a slice of one
has no ψ(x, x); precomputed similarities are in test_similarity.py.
"""

from __future__ import annotations

import os

import pytest
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.utils.estimator_checks import check_estimator

from cvxkernel.solvers.estimators import (
    DiscriminantMKL,
    KernelBank,
    LearnedKernelSVM,
    LocalizedMKL,
    LocalizedOneClassSVM,
    LocalizedSVR,
    MarginMKL,
    ModifiedSVM,
    RobustSVM,
    SharedMKL,
    SimilarityMKL,
    SpectrumSVM,
    gaussians,
)

FEW = gaussians([0.5, 5.0])
QUICK = {
    "bank": KernelBank(scale="z-scores", trace=1.0),
    "discriminant": DiscriminantMKL(FEW, lam=1e-2),
    "kim": DiscriminantMKL(FEW, program="kim2006", lam=1e-2),
    "SM1": MarginMKL(FEW),
    "SM2_C": MarginMKL(FEW, C="learned", norm=2),
    "shared": SharedMKL(FEW, C=10.0),
    "average": SharedMKL(FEW, C=10.0, share="average"),
    "localized": LocalizedMKL(FEW, search=False, iterations=5),
    "localized, numbers": LocalizedSVR(FEW, C=10.0, search=False, iterations=1),
    "localized, one class": LocalizedOneClassSVM(FEW, search=False, iterations=1),
    "modified": ModifiedSVM(similarity=rbf_kernel, solver="svm"),
}
SLOW = {
    "discriminant, λ learned": DiscriminantMKL(FEW, lam="learned"),
    "localized, searched": LocalizedMKL(FEW),
    "spectrum": SpectrumSVM(similarity=rbf_kernel, tol=1e-3),
    "kernel": LearnedKernelSVM(similarity=rbf_kernel, tol=1e-3),
    "robust": RobustSVM(similarity=rbf_kernel),
    "ESKL": SimilarityMKL(similarity=rbf_kernel, algorithm=True, tol=0.1),
    "EMKL": SimilarityMKL(similarity=rbf_kernel, method="EMKL", algorithm=True, tol=0.1),
    "REKL": SimilarityMKL(similarity=rbf_kernel, method="REKL", tol=1e-2),
}
CHOSEN = QUICK | (SLOW if os.environ.get("CVXKERNEL_CHECKS") == "all" else {})


@pytest.mark.filterwarnings("ignore")  # scikit-learn warns of what it skips
@pytest.mark.parametrize("estimator", CHOSEN.values(), ids=CHOSEN.keys())
def test_scikit_learns_checks_pass(estimator):
    outcomes = check_estimator(estimator, on_skip=None)
    assert sum(one["status"] == "passed" for one in outcomes) >= 40
