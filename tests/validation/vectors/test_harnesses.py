"""The harnesses for other languages, run with a solver of that language: right, and with a slip."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from cvxkernel.validation.vectors import shipped

OCTAVE = """
function value = machine (p, C)
  n = numel (p.y);
  Q = (p.y * p.y') .* p.K;
  [~, value] = qp (zeros (n, 1), Q, -ones (n, 1), p.y', 0, zeros (n, 1), C * ones (n, 1));
  value = -value;
end
"""
R = """
source("vectors.R")
column <- function(p, psi = p$psi) {
  e <- eigen(p$K, symmetric = TRUE)
  d <- pmax(e$values, 0)
  d[d < 1e-12 * max(d)] <- 0
  sigma <- drop(t(e$vectors) %*% p$s)
  kept <- d > 0
  short <- function(nu) sum(sigma[kept]^2 * d[kept] / (d[kept] + nu)^2) - psi - nu
  nu <- if (short(0) > 0) uniroot(short, c(0, 1e6), tol = 1e-14)$root else 0
  k <- ifelse(kept, sigma * d / (d + nu), 0)
  2 * sum((k - sigma)^2) + max(0, sum(k[kept]^2 / d[kept]) - psi)^2
}
slipped <- identical(commandArgs(TRUE), "slipped")
invisible(vectors("chen2009-eq8-qcqp.json", function(p) column(p, (1 + slipped) * p$psi)))
"""
CPP = """
#include "vectors.hpp"
#include <vector>
static double machine(const json& p, double C) {  // pairs of coordinates, the steepest first
  auto K = p["K"].get<std::vector<std::vector<double>>>();
  auto y = p["y"].get<std::vector<double>>();
  size_t n = y.size();
  std::vector<double> a(n, 0.0), g(n, 1.0);
  for (long step = 0; step < 2000000; ++step) {
    int i = -1, j = -1;
    for (size_t t = 0; t < n; ++t) {
      bool up = y[t] > 0 ? a[t] < C : a[t] > 0, down = y[t] > 0 ? a[t] > 0 : a[t] < C;
      if (up && (i < 0 || y[t] * g[t] > y[i] * g[i])) i = t;
      if (down && (j < 0 || y[t] * g[t] < y[j] * g[j])) j = t;
    }
    double gap = y[i] * g[i] - y[j] * g[j];
    if (gap < 1e-10) break;
    double s = gap / std::max(K[i][i] + K[j][j] - 2 * K[i][j], 1e-12);
    s = std::min(s, y[i] > 0 ? C - a[i] : a[i]);
    s = std::min(s, y[j] > 0 ? a[j] : C - a[j]);
    a[i] += y[i] * s;
    a[j] -= y[j] * s;
    for (size_t t = 0; t < n; ++t) g[t] -= y[t] * s * (K[t][i] - K[t][j]);
  }
  double value = 0;
  for (size_t t = 0; t < n; ++t) value += a[t] * (1 + g[t]) / 2;
  return value;
}
int main(int count, char**) {
  return vectors("chen2009-eq1.json", [=](const json& p) {
    double C = p["C"];
    return machine(p, count > 1 ? C / p["y"].size() : C);
  }) > 0;
}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shipped.write(tmp_path, ("chen2009-eq1", "chen2009-eq8-qcqp"))
    return tmp_path


def lines(folder: Path, *command: str) -> list[str]:
    found = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    told = [line for line in found.stdout.splitlines() if re.match("right|WRONG", line)]
    assert told, found.stderr
    return told


def needs(program: str) -> str:
    found = shutil.which(program)
    if found is None:
        pytest.skip(f"{program} is not installed")
    return found


def test_at_most_forty_lines() -> None:
    files = list((shipped.HERE / "harnesses").iterdir())
    assert {file.name for file in files} == {"vectors.m", "vectors.R", "vectors.jl", "vectors.hpp"}
    for file in files:
        assert len(file.read_text(encoding="utf-8").splitlines()) <= 40


def test_octave(folder: Path) -> None:
    octave = needs("octave-cli")
    (folder / "machine.m").write_text(OCTAVE, encoding="utf-8")
    say = 'vectors ("chen2009-eq1.json", @(p) machine (p, p.C{}));'
    told = lines(folder, octave, "-q", "--eval", say.format(""))
    # Octave's qp ends early where the matrix is singular and C is large, and is found out.
    assert [line.split(":")[0].split()[1] for line in told if "WRONG" in line] in (
        [], ["chen2009-eq1/10"],
    )  # fmt: skip
    told = lines(folder, octave, "-q", "--eval", say.format(" / numel (p.y)"))
    assert sum(line.endswith("C/n in place of C") for line in told) >= 3


def test_r(folder: Path) -> None:
    rscript = needs("Rscript")
    if subprocess.run([rscript, "-e", "library(jsonlite)"], capture_output=True).returncode:
        pytest.skip("R has no jsonlite")
    (folder / "run.R").write_text(R, encoding="utf-8")
    told = lines(folder, rscript, "run.R")
    assert all(line.startswith("right") for line in told)
    told = lines(folder, rscript, "run.R", "slipped")
    assert sum(line.endswith("2ψ in place of ψ") for line in told) >= 3


def test_cpp(folder: Path) -> None:
    compiler = needs("g++")
    if not Path("/usr/include/nlohmann/json.hpp").exists():
        pytest.skip("nlohmann's json.hpp is not installed")
    (folder / "run.cpp").write_text(CPP, encoding="utf-8")
    made = subprocess.run(
        [compiler, "-std=c++17", "-O1", "-o", "run", "run.cpp"], cwd=folder, capture_output=True
    )
    assert made.returncode == 0, made.stderr
    told = lines(folder, str(folder / "run"))
    assert all(line.startswith("right") for line in told), told
    told = lines(folder, str(folder / "run"), "slipped")
    assert sum(line.endswith("C/n in place of C") for line in told) >= 3
