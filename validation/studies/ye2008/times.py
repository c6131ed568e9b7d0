"""Table 16 and Figure 1: computation time, as multiples of SILP_θ's on the same partition.

A second of 2008 is not one of ours; which method is how many times slower can be compared. Each
program is solved as the paper does: the conic programs, literally, by an interior-point or
first-order solver, the SILP by column generation with SVM-like subproblems, RKDA and SVM by the
whole double cross-validation. Seconds are of the processor, of children too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from cvxkernel.solvers.estimators import DiscriminantMKL
from cvxkernel.validation.studies.data import Data
from cvxkernel.validation.studies.protocol import TOL, seconds
from cvxkernel.validation.studies.study import Cells, Fit, Measures, Sentence, Study
from cvxkernel.validation.studies.ye2008.tables import CHOSEN, LAM, chosen, prepared
from cvxkernel.validation.ye2008.claims.printed import SECONDS

LIMIT = 600.0  # seconds for one fit
LEARNED = "learned"
# Row: the program with two classes, with more, and who solves it.
PROGRAMS: Mapping[str, tuple[str, str, float | str, str]] = {
    "SDP_θ": ("ye2008-thm2.1", "ye2008-thm3.1", LAM, "SCS"),
    "SDP_θ,λ": ("ye2008-eq41", "ye2008-eq45", LEARNED, "SCS"),
    "QCQP_θ": ("ye2008-thm2.2", "ye2008-thm3.2", LAM, "CLARABEL"),
    "QCQP_θ,λ": ("ye2008-eq43", "ye2008-eq46", LEARNED, "CLARABEL"),
    "SILP_θ": ("ye2008-thm2.3", "ye2008-thm3.3", LAM, "column_generation"),
    "SILP_θ,λ": ("ye2008-eq44", "ye2008-eq47", LEARNED, "column_generation"),
    "Newton_θ": ("ye2008-thm2.2", "ye2008-thm3.2", LAM, "newton"),
    "Newton_θ,λ": ("ye2008-eq43", "ye2008-eq46", LEARNED, "newton"),
}
PRINTED = (*list(PROGRAMS)[:6], *CHOSEN)
CASES = ("usps:3", "usps:6", "usps:8", "wine:3", "satimage:3", "satimage:5", "satimage:6",
         "segment:3", "segment:4", "waveform:3")  # fmt: skip
ONE = "SILP_θ"


def measure(fit: Fit, data: Data) -> Measures:
    """How long one method takes on one partition, kernels given."""
    K, k, y, truth = prepared(fit, data)
    began = seconds()
    if fit.method in CHOSEN:
        chosen(fit, K, k, y, truth)
        return {"time": seconds() - began}
    two, many, lam, solver = PROGRAMS[fit.method]
    program = many if ":" in fit.data else two
    model = DiscriminantMKL(
        "precomputed", lam=lam, program=program, solver=solver, tol=TOL, limit=LIMIT
    ).fit(K, y)
    return {"time": seconds() - began, "width": model.solution_.width}


def faster(
    rows: tuple[str, ...], than: tuple[str, ...], times: float
) -> Callable[[Cells], bool | None]:
    """Each of these takes less than every one of those, by a factor, wherever all were run."""

    def agrees(cells: Cells) -> bool | None:
        verdicts = []
        for case in dict.fromkeys(case for _, case, _ in cells):
            own, others = ([cells[m, case, "time"].mean for m in ms] for ms in (rows, than))
            if None not in (*own, *others):
                slowest = max(x for x in own if x is not None)
                verdicts.append(times * slowest < min(x for x in others if x is not None))
        return all(verdicts) if verdicts else None

    return agrees


CHOICES = (
    "Every number is a multiple of SILP_θ's time on the same partition; the printed ones too.",
    "SDP rows: the literal program by SCS, since the panel's interior-point methods do not finish; "
    "QCQP rows: the literal program by Clarabel; SILP rows: column generation; RKDA and SVM: the "
    "whole double cross-validation, whose grids the paper does not print.",
    f"Every program is proved to a relative width of {TOL:g}; seconds are of the processor. "
    "Newton is ours, the same optimum, and stands in no row of the paper.",
)
TABLE_16 = Study(
    id="ye2008-table16",
    where="Table 16",
    about="time of eight methods with three to eight classes, as multiples of SILP_θ's",
    data=("wine:3", "waveform:3", *(case for case in CASES if case[:4] not in ("wine", "wave"))),
    methods=(*PRINTED, "Newton_θ", "Newton_θ,λ"),
    measure=measure,
    splits=30,
    quick=1,
    quick_data=("wine:3",),
    columns=("time",),
    share_of=ONE,
    printed={
        (method, case, "time"): (float(SECONDS[i, j]), None)
        for i, method in enumerate(PRINTED)
        for j, case in enumerate(CASES)
    },
    choices=CHOICES,
    sentences=(
        Sentence(
            "the SDP formulations are much slower than methods based on cross-validation",
            faster(CHOSEN, ("SDP_θ", "SDP_θ,λ"), 10),
        ),
        Sentence(
            "the proposed SILP formulations are more efficient than methods based on "
            "cross-validation",
            faster(("SILP_θ", "SILP_θ,λ"), CHOSEN, 1),
        ),
    ),
)
BINARY = ("sonar", "heart", "ionosphere", "cancer")
FIGURE_1 = Study(
    id="ye2008-figure1",
    where="Figure 1",
    about="time of six methods with two classes, as multiples of SILP_θ's",
    data=BINARY,
    methods=(*PRINTED[2:], "Newton_θ", "Newton_θ,λ"),
    measure=measure,
    splits=30,
    quick=1,
    columns=("time",),
    share_of=ONE,
    choices=(*CHOICES, "No numbers are printed: the figure is a picture."),
    sentences=(
        Sentence(
            "the proposed SILP formulations are more efficient than cross-validation based methods",
            faster(("SILP_θ", "SILP_θ,λ"), CHOSEN, 1),
        ),
    ),
)

TIMES = (TABLE_16, FIGURE_1)
