"""Slips of the data, which every paper has: of how kernels were made, of the order of labels."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from cvxkernel.formulations.inputs import Array
from cvxkernel.formulations.kernels import centre
from cvxkernel.validation.slips.slip import Variant, fixed


def data(kernels: Array, y: Array, **vectors: Array | None) -> Iterator[Variant]:
    """Another Gaussian width, a hidden ridge, labels in another order, a sample that was lost.

    Vectors are those of the answer, (n, …).
    """
    yield from widths(kernels)
    answer = {s: x for s, x in vectors.items() if x is not None}
    for lost, rest, last in (("first", slice(1, None), 0), ("last", slice(None, -1), -1)):
        if vectors and not any(np.any(x[last]) for x in answer.values()):
            changed = {s: x[rest] for s, x in answer.items()}
            changed |= {"kernels": kernels[:, rest, rest], "y": y[rest]}
            yield fixed("sample lost", f"the {lost} sample left out", **changed)
    yield from prepared(kernels)
    size = float(np.mean(np.trace(kernels, axis1=1, axis2=2))) / kernels.shape[1]
    yield Variant(
        "ridge",
        "a ridge of {0} on the diagonal of every kernel",
        lambda e: {"kernels": kernels + e * np.eye(kernels.shape[1])},
        (1e-9 * size, 10 * size),
    )
    means = np.trace(kernels, axis1=1, axis2=2)[:, None, None] / kernels.shape[1]
    yield Variant(
        "ridge",
        "a ridge on every kernel of {0} times the mean of its diagonal",
        lambda e: {"kernels": kernels + e * means * np.eye(kernels.shape[1])},
        (1e-9, 10.0),
    )
    for order, name in ((np.sort(y), "increasing"), (np.sort(y)[::-1], "decreasing")):
        if not np.array_equal(order, y):
            told = f"labels sorted ({name}) while the kernels are not"
            yield fixed("labels", told, y=order)


def prepared(kernels: Array) -> Iterator[Variant]:
    """Kernels that were normalized or centred first."""
    n = kernels.shape[1]
    traces = np.trace(kernels, axis1=1, axis2=2)[:, None, None]
    if traces.min() > 0:
        for name, scaled in (("one", kernels / traces), ("n", n * kernels / traces)):
            if not np.allclose(scaled, kernels, rtol=1e-6):
                told = f"kernels divided by their traces (to {name})"
                yield fixed("trace normalization", told, kernels=scaled)
    root = np.sqrt(np.maximum(np.diagonal(kernels, axis1=1, axis2=2), 0.0))
    if root.min() > 0 and not np.allclose(root, 1.0, rtol=1e-6):
        told = "kernels normalized to unit diagonal"
        yield fixed("unit diagonal", told, kernels=kernels / root[:, :, None] / root[:, None, :])
    yield fixed("kernels centred", "kernels centred first", kernels=centre(kernels))


def widths(kernels: Array) -> Iterator[Variant]:
    """Gaussian kernels exp(-d/w) with other widths: elementwise powers of the given ones."""
    w = relative_widths(kernels)
    if w is None:
        return
    logs = np.log(np.maximum(kernels, np.finfo(float).tiny))

    def power(x: Array | float) -> dict[str, Array]:
        return {"kernels": np.exp(logs * np.reshape(x, (-1, 1, 1)))}

    yield fixed("2σ²", "Gaussian kernels with σ² where 2σ² was meant (squares)", **power(2.0))
    yield fixed("2σ²", "Gaussian kernels with 2σ² where σ² was meant (roots)", **power(0.5))
    root = np.sqrt(w)
    told = "Gaussian kernels with σ for σ² (the smallest σ being {0})"
    yield Variant("σ against σ²", told, lambda s: power(s * root), (0.02, 50.0))
    told = "Gaussian kernels with σ² for σ (the smallest σ being {0})"
    yield Variant("σ against σ²", told, lambda s: power(1 / (s * w)), (0.02, 50.0))


def relative_widths(kernels: Array) -> Array | None:
    """w₁ : … : w_p, the least being 1, if all kernels are exp(-d/wᵢ) of the same d; else None."""
    if kernels.min() < 0 or kernels.max() > 1 or not (kernels.diagonal(0, 1, 2) == 1).all():
        return None
    n = kernels.shape[1]
    off = ~np.eye(n, dtype=bool)
    K = kernels[:, off]
    usable = ((K > 1e-290) & (K < 1)).all(axis=0)
    if not usable.any():
        return None
    logs = -np.log(K[:, usable])
    ratios = logs.max(axis=0) / logs  # widths relative to the narrowest kernel
    w: Array = np.median(ratios, axis=1)
    spread = np.abs(ratios / w[:, None] - 1)
    # A wide kernel has few digits of its distances left.
    return w / w.min() if (spread < 1e-6 + 1e-13 / logs).all() else None
