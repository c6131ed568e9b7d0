"""Words of the pages: each that the glossary explains leads to it at its first use."""

from __future__ import annotations

import re

import pytest

from cvxkernel.formulations import CATALOGUE
from cvxkernel.formulations.catalogue import PAPERS
from cvxkernel.validation import notebooks
from cvxkernel.validation.notebooks import words

PAGES = notebooks.pages()
GLOSSARY = words.glossary()
KINDS = {f.kind for f in CATALOGUE.values()}
# What somebody who knows support vector machines may not know, and the papers' pages say.
VOCABULARY = """
accelerated, alternation, ball arithmetic, branch and bound, centroid, Cholesky factorization,
column generation, concave, cone, conic, conjugate, convex, convex combination, diffusion kernel,
domain, dual, duality gap, eigenspace, enclosure, epigraph, feasible, Frobenius norm, gradient,
Gram matrix, Hessian, indefinite, Lagrangian, Laplacian, line search, linear matrix inequality,
Lipschitz, LMI, lower end, min-max, mirror descent, multiplier, Newton's method, norm,
positive semidefinite, projection, pseudoinverse, rank-deficient, restriction, risk, RKDA, robust,
rounding, saddle point, scatter, Schur complement, simplex, slack, smooth, spectahedron,
strong duality, subgradient, trace, upper end
"""


def page(name):
    return re.sub(r"\A---.*?\n---\n", "", PAGES[name].read_text("utf-8"), flags=re.S)


def used(text):
    return {term for _, term in words.parts(text, set()) if term}


@pytest.mark.parametrize("word", [*re.split(r",\s+", VOCABULARY.strip())])
def test_the_vocabulary_is_explained(word):
    assert used(word) == {word}


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_every_kind_of_program_is_explained(kind):
    assert kind in GLOSSARY


def test_words_with_an_everyday_sense_are_words_of_the_glossary():
    assert set(words.EVERYDAY) <= set(GLOSSARY)


def test_every_word_of_the_glossary_is_used_elsewhere():
    elsewhere = set().union(*(used(page(name)) for name in PAGES if name != "glossary"))
    assert elsewhere | KINDS == set(GLOSSARY)


@pytest.mark.parametrize("name", [p for p in PAPERS if p in PAGES])
def test_what_a_paper_page_uses_is_told_on_the_way_in_or_in_the_glossary(name):
    text = page(name)
    met = used(text)
    assert len(met) > 20
    assert set(re.findall(r"\b(?:SDP|QCQP|SOCP|SILP|LP|QP|LMI|RKDA|SVM|MKL)\b", text)) <= met


def test_the_way_in_says_what_its_larger_words_mean():
    emphasized = re.findall(r"(?<!\*)\*([^*\n]+)\*(?!\*)", page("way-in"))
    explained = set().union(*map(used, emphasized))
    asked = """positive semidefinite, trace, rank, rank-deficient, indefinite, Gram matrix,
    feasible, optimum, convex, concave, epigraph, slack, cone, linear matrix inequality,
    Schur complement, pseudoinverse, column generation, master, cut, primal, dual,
    Lagrangian, multiplier, enclosure,
    duality gap, strong duality, weak duality, saddle point, lower end, upper end, status, double,
    ball arithmetic, radius, Hessian, Cholesky factorization, subgradient, constraint, objective"""
    assert set(re.split(r",\s+", asked)) <= explained


def test_only_the_first_use_is_marked_in_any_form():
    told = words.parts("Cones, cone; epigraphs and Optima, a self-epigraph", set())
    assert [(piece, term) for piece, term in told if term] == [
        ("Cones", "cone"),
        ("epigraphs", "epigraph"),
        ("Optima", "optimum"),
    ]
    assert (
        "".join(piece for piece, _ in told) == "Cones, cone; epigraphs and Optima, a self-epigraph"
    )
    assert words.parts("the Schur\ncomplement", set())[1] == (
        "Schur\ncomplement",
        "Schur complement",
    )


def test_abbreviations_are_no_words():
    assert used("an sdp") == set()
    assert used("SDPs") == {"SDP"}
