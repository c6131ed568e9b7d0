"""What Tables 6 to 15 leave open: which samples of each class are taken. Varied here."""

from __future__ import annotations

from cvxkernel.validation.studies.data import Data
from cvxkernel.validation.studies.protocol import LIMIT, TOL, right
from cvxkernel.validation.studies.study import Cells, Fit, Measures, Sentence, Study
from cvxkernel.validation.studies.ye2008.tables import CHOICES, DRAWN, MANY, TABLES, prepared
from cvxkernel.validation.ye2008.claims.printed import ACCURACY

ROW = "QCQP_θ"
DRAWS = tuple(f"draw {i}" for i in range(10))
VARIED = ("usps:3", "satimage:3", "satimage:5", "segment:3", "segment:4", "waveform:3")
CASES = {case: number for number, case in TABLES.items() if case in VARIED}


def measure(fit: Fit, data: Data) -> Measures:
    """One program on one partition of the samples of a draw."""
    K, k, y, truth = prepared(fit, data, int(fit.method.removeprefix("draw ")))
    made = MANY[ROW].get_params() | {"kernels": "precomputed", "tol": TOL, "limit": LIMIT}
    model = type(MANY[ROW])(**made).fit(K, y)
    return {"accuracy": right(model, k, truth), "width": model.solution_.width}


def explains(cells: Cells) -> bool | None:
    """On every data set the printed number lies between the draws' least and largest means."""
    verdicts = []
    for case in CASES:
        column = [cells[draw, case, "accuracy"] for draw in DRAWS]
        means = [cell.mean for cell in column if cell.mean is not None]
        printed = column[0].printed
        if len(means) == len(column) and printed is not None:
            verdicts.append(min(means) <= printed <= max(means))
    return all(verdicts) if verdicts else None


DRAWN_TEN = Study(
    id="ye2008-draws",
    where="Tables 6 to 15, varied",
    about=f"{ROW} by which {DRAWN[0].partition(' ')[0]} samples of each class are drawn",
    data=tuple(CASES),
    methods=DRAWS,
    measure=measure,
    splits=30,
    quick=1,
    printed={
        (draw, case, "accuracy"): (float(mean), float(deviation))
        for case, number in CASES.items()
        for mean, deviation in [ACCURACY[f"Table {number}"][list(MANY).index(ROW)]]
        for draw in DRAWS
    },
    choices=(*CHOICES[:2], "Ten draws, of which the tables have the first."),
    sentences=(
        Sentence("(ours) which samples were drawn may explain every printed accuracy", explains),
    ),
)
