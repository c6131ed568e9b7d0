"""The optimum of a small instance to many digits, from its doubles alone.

Shares nothing with the bounds nor the proofs of the package: every program is written once more, as
a linear matrix inequality, and solved by an interior-point method in numbers of some hundred bits,
whose two ends are those of weak duality.
"""

from attack.reference.cone import NoReference
from attack.reference.programs import reference

__all__ = ["NoReference", "reference"]
