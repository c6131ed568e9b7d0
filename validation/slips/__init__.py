"""The slips people make: which one explains an answer that is not optimal.

A paper's part is its module `slips`, with `measure(form, problem, point, value)`, the answer as a
`Measure`, `variants(measure)`, the slips, and `answers(measure)`, those of them that tell a right
answer wrongly, which are composed with the others.
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
