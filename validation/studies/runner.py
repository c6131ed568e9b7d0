"""Fits run on this machine or on a Dask cluster, each stored as it comes.

The same function runs one fit everywhere. What was stored before is not run again, so that a
study that was interrupted goes on where it was; one fit that fails is stored with its error.
"""

from __future__ import annotations

import platform
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.metadata import version
from typing import Any

from joblib import Parallel, delayed
from threadpoolctl import threadpool_limits

from cvxkernel.formulations.errors import CvxkernelError, InputError
from cvxkernel.solvers.child import die_with_parent
from cvxkernel.validation.studies.data import Data
from cvxkernel.validation.studies.store import Record, Store
from cvxkernel.validation.studies.study import Fit, Measure, Study

Report = Callable[[Record], None]


def versions() -> dict[str, str]:
    """Of what the numbers depend on."""
    names = ("cvxkernel", "cvxpy", "numpy", "scipy", "scikit-learn")
    return {"python": platform.python_version(), **{name: version(name) for name in names}}


def perform(measure: Measure, fit: Fit, data: Data) -> Record:
    """One fit, as it is stored."""
    began = time.perf_counter()
    record: Record = {
        "study": fit.study,
        "data": fit.data,
        "method": fit.method,
        "split": fit.split,
    }
    try:
        with threadpool_limits(1), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            measures = measure(fit, data)
    except (CvxkernelError, ValueError, ArithmeticError) as error:
        record |= {"measures": {}, "error": f"{type(error).__name__}: {error}"[:300]}
    else:
        record |= {"width": measures.pop("width", None), "measures": measures}
    return record | {"seconds": round(time.perf_counter() - began, 3), "versions": versions()}


def pending(study: Study, store: Store, fits: Sequence[Fit]) -> list[Fit]:
    """Those that are not in the store."""
    done = {
        (r["study"], r["data"], r["method"], r["split"])
        for r in store.records()
        if r["study"] == study.id
    }
    return [fit for fit in fits if fit.key not in done]


def run(
    study: Study,
    store: Store,
    fits: Sequence[Fit],
    data: Mapping[str, Data],
    *,
    jobs: int = 1,
    cluster: str | None = None,
    report: Report | None = None,
) -> int:
    """Run what is not in the store; how many that were."""
    todo = pending(study, store, fits)
    if not todo:
        return 0
    results = (
        _local(study, todo, data, jobs) if cluster is None else _dask(study, todo, data, cluster)
    )
    for record in results:
        store.append(record)
        if report is not None:
            report(record)
    return len(todo)


def _name(fit: Fit) -> str:
    """The data set of a case such as "usps:3"."""
    return fit.data.partition(":")[0]


def _local(
    study: Study, todo: Sequence[Fit], data: Mapping[str, Data], jobs: int
) -> Iterator[Record]:
    if jobs == 1:
        for fit in todo:
            yield perform(study.measure, fit, data[_name(fit)])
        return
    parallel = Parallel(n_jobs=jobs, return_as="generator_unordered", initializer=die_with_parent)
    yield from parallel(delayed(perform)(study.measure, fit, data[_name(fit)]) for fit in todo)


def _dask(
    study: Study, todo: Sequence[Fit], data: Mapping[str, Data], address: str | None
) -> Iterator[Record]:
    """A worker that dies is no loss: its fits go to another."""
    try:
        from distributed import Client, as_completed
    except ImportError:
        expected = "an installation with the extra `cluster` (pip install 'cvxkernel[cluster]')"
        raise InputError("--cluster", expected, "no distributed") from None
    try:
        client: Any = Client(address, timeout="10s")
    except (OSError, ValueError) as error:
        raise InputError("--cluster", "the address of a Dask scheduler", f"{error}") from None
    with client:
        client.wait_for_workers(1, timeout=60)
        # On every worker, so that none takes the only copy along.
        sent = {name: client.scatter(value, broadcast=True) for name, value in data.items()}
        futures = [
            client.submit(perform, study.measure, fit, sent[_name(fit)], pure=False, retries=3)
            for fit in todo
        ]
        for future in as_completed(futures):
            yield future.result()
            future.release()
