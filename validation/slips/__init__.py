"""The slips people make: which one explains an answer that is not optimal.

A paper's part is its module `slips`, with `measure(form, problem, point, value)`, the answer as a
`Measure`, and `variants(measure)`, the slips.
"""

from cvxkernel.validation.slips.slip import (
    Measure,
    Slip,
    Variant,
    explain,
    measure,
    ranked,
    variants,
)

__all__ = ["Measure", "Slip", "Variant", "explain", "measure", "ranked", "variants"]
