"""What is made of a read-only array is made once, and forgotten with it."""

from __future__ import annotations

import gc
from dataclasses import replace
from unittest.mock import patch
from weakref import ref

import numpy as np
import pytest

from cvxkernel.formulations import CATALOGUE, inputs, semidefinite
from cvxkernel.formulations.errors import NotSymmetricError
from cvxkernel.formulations.memory import per_array
from cvxkernel.validation.instances import sample


def test_a_read_only_array_is_asked_once():
    asked = []

    @per_array
    def total(array):
        asked.append(1)
        return float(array.sum())

    array = np.arange(3.0)
    assert (total(array), total(array), len(asked)) == (3.0, 3.0, 2)  # it may change
    array.flags.writeable = False
    assert (total(array), total(array), len(asked)) == (3.0, 3.0, 3)
    kept = total.__closure__
    assert kept is not None
    memory = next(cell.cell_contents for cell in kept if isinstance(cell.cell_contents, dict))
    assert len(memory) == 1
    del array
    gc.collect()
    assert not memory


def test_a_problem_with_another_number_shares_its_checked_arrays():
    problem = CATALOGUE["ye2008-thm2.2"].make(sample("ye2008-thm2.2", 12, 3))
    with patch.object(semidefinite, "nearest", side_effect=AssertionError):
        other = replace(problem, lam=2.0)
    assert other.kernels is problem.kernels
    assert other.traces is problem.traces


def test_arrays_of_others_are_checked_though_read_only():
    data = sample("ye2008-thm2.2", 12, 3)
    data["kernels"].flags.writeable = False
    problem = CATALOGUE["ye2008-thm2.2"].make(data)
    assert problem.kernels is not data["kernels"]


def test_a_similarity_that_was_checked_is_shared_and_not_checked_again():
    came = np.array([[0.0, 1.0], [1.0, -2.0]])
    S = inputs.similarity("S", came)
    assert inputs.similarity("S", S) is S
    assert S is not came
    S.flags.writeable = True  # whoever may write to it may have
    S[0, 1] = 5.0
    with pytest.raises(NotSymmetricError):
        inputs.similarity("S", S)


def test_the_arrays_of_a_problem_go_with_it():
    """Nothing that is remembered of an array holds it."""
    alive = []
    for id, form in CATALOGUE.items():
        problem = form.make(sample(id, 4, 2))
        arrays = [value for value in vars(problem).values() if isinstance(value, np.ndarray)]
        alive += [(id, ref(array)) for array in arrays]
        if not form.fixed:
            form.enclose(problem, {})
        del problem, arrays
    gc.collect()
    assert not [id for id, array in alive if array() is not None]
