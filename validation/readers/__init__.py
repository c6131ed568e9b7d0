"""Files from strangers: what they hold is read from their headers before anything is unpacked."""

from __future__ import annotations

from cvxkernel.validation.readers.mat import read_mat
from cvxkernel.validation.readers.npz import read_npz
from cvxkernel.validation.readers.text import read_json

__all__ = ["read_json", "read_mat", "read_npz"]
