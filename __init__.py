"""Kernel learning by convex programming: the programs of five papers, as printed, enclosed.

Three rooms: `cvxkernel.formulations` says what is solved, `cvxkernel.solvers` how, and
`cvxkernel.validation` whether it is true.
"""
