#!/usr/bin/env python3
"""Checks certificates of cvxkernel: python3 -I -S checker.py FILE...

A certificate claims lower ≤ optimum ≤ upper of a program that a paper prints, for the doubles of a
problem taken as exact numbers. It carries a point for either end. This file is all that has to be
believed: standard-library Python, integers and fractions; only √ and exp are rounded, outwards.
Exit status 0 where every claim in the files is shown, 1 otherwise; a line for each.

    {"formulation": ID, "problem": {…}, "optimum": ["LOWER", "UPPER"], "certificate": {…}}

A number of a problem is the double nearest to it, one of a certificate the decimal itself. A file
of test vectors holds such claims in its `tests`, each with `slips`: claims for the problem with the
`changes` of the slip. No point is trusted: what has to be feasible is tested, exactly.

Throughout y is ±1, Y = diag(y), ‖·‖ is the Frobenius norm, A = {α : 0 ≤ α ≤ C, αᵀy = 0}, and the
losses at f and b are max(0, 1 - yᵢ(fᵢ + b)).
"""
import json
import re
import sys
from fractions import Fraction
from functools import partial, partialmethod
from math import isqrt, lcm
from operator import add, mul, sub

ZERO, ONE, HALF, TINY = Fraction(0), Fraction(1), Fraction(1, 2), Fraction(1, 2**200)
NUMBER = re.compile(r"-?[0-9]{1,400}(\.[0-9]{1,400})?([eE][-+]?[0-9]{1,3})?")
PROGRAMS = {}  # by id, what shows both ends, and the sign of what it shows

class RefusedError(Exception):
    """The claim is not shown: what was expected."""
def need(condition, expected):
    if not condition:
        raise RefusedError(expected)
class Matrix(list):
    """Rows of fractions; a vector is a column. A @ B, A + B, A - B, t * A; A * B is by entries."""
    T = property(lambda self: Matrix(list(column) for column in zip(*self, strict=True)))
    def entries(self):
        return [x for row in self for x in row]
    def by(self, other, do):
        pairs = zip(self, other, strict=True)  # an error where the shapes differ
        return Matrix([do(a, b) for a, b in zip(p, q, strict=True)] for p, q in pairs)
    def integers(self):
        """Integers and the denominator that they have in common."""
        d = lcm(*(x.denominator for x in self.entries()))
        return [[x.numerator * (d // x.denominator) for x in row] for row in self], d
    def __mul__(self, other):
        if isinstance(other, Matrix):
            return self.by(other, mul)
        return Matrix([x * other for x in row] for row in self)
    def __matmul__(self, other):
        need(len(self[0]) == len(other), "shapes that fit")
        (a, s), (b, t) = self.integers(), other.T.integers()
        return Matrix([Fraction(sum(map(mul, row, col)), s * t) for col in b] for row in a)
    __rmul__, __add__, __sub__ = __mul__, partialmethod(by, do=add), partialmethod(by, do=sub)

column = lambda numbers: Matrix([x] for x in numbers)
eye = lambda n: Matrix([Fraction(i == j) for j in range(n)] for i in range(n))
dot = lambda A, B: sum((A * B).entries(), ZERO)  # Σ AᵢⱼBᵢⱼ
square = lambda A: dot(A, A)  # ‖A‖²
form = lambda A, X: dot(X, A @ X)  # Σⱼ xⱼᵀAxⱼ over the columns of X
size = lambda A: sum(map(abs, A.entries()), ZERO)  # Σ |Aᵢⱼ|
trace = lambda A: sum((row[i] for i, row in enumerate(A)), ZERO)
combined = lambda w, As: sum((x * A for x, A in zip(w, As, strict=True)), 0 * As[0])  # ΣwᵢAᵢ

def root(x):
    """A number not below √x, and above it by `TINY` of it at most."""
    need(x >= 0, "a root of what is not negative")
    shift = max(0, 210 - (x.numerator * x.denominator).bit_length() // 2)
    part = x.numerator * x.denominator << 2 * shift
    floor = isqrt(part)
    return Fraction(floor + (floor * floor < part), x.denominator << shift)
def decimal(text):
    need(isinstance(text, str) and NUMBER.fullmatch(text), "numbers")
    return Fraction(text)
double = lambda text: Fraction(float(decimal(text)))  # an error where it is too large for one
def matrix(x, m, n, read=decimal):
    """A list of m lists of n numbers; n may be None."""
    shaped = isinstance(x, list) and len(x) == m > 0 and all(isinstance(r, list) for r in x)
    n = len(x[0]) if n is None and shaped else n
    need(shaped and n and all(len(r) == n for r in x), f"a matrix of {m} by {n} numbers")
    return Matrix([read(t) for t in row] for row in x)
def vector(x, n, read=decimal):
    need(isinstance(x, list) and len(x) == n > 0, f"a list of {n} numbers")
    return column(map(read, x))
def semidefinite(A, L=None):
    """Whether A ⪰ 0 is shown: by a factor L, or else by elimination.
    A = LLᵀ + R with R symmetric and diagonally dominant, 2Rᵢᵢ ≥ Σⱼ|Rᵢⱼ|: both are ⪰ 0 (Gershgorin).
    Without L: Bareiss' elimination keeps integers, its pivots being leading minors of A. A ⪰ 0 if
    every pivot is positive, or zero with zeros alone in its row, which then is left out.
    """
    if A != A.T:
        return False
    if L is not None:
        R = A - L @ L.T
        return all(2 * row[i] >= sum(map(abs, row)) for i, row in enumerate(R))
    left, before = A.integers()[0], 1
    while left:
        (pivot, *row), left = left[0], [line[1:] for line in left[1:]]
        if pivot < 0 or (pivot == 0 and any(row)):
            return False
        if pivot:
            step = lambda h, line: [(pivot * x - h * r) // before for x, r in zip(line, row)]
            left, before = list(map(step, row, left)), pivot
    return True

def kernel(x, n, evidence):
    """A matrix ⪰ 0, and a number ε: how far it is in norm from the kernel that is meant.
    Meant by K is K₊, the matrix ⪰ 0 nearest to (K + Kᵀ)/2 in the Frobenius norm. Where that is ⪰ 0
    itself, K₊ is it, and ε = 0. Else the evidence is P = FFᵀ and N = BBᵀ. With R = K - P + N the
    projection K₊ has ⟨K - K₊, P - K₊⟩ ≤ 0, that is ‖P - K₊‖² ≤ ⟨N - R, P - K₊⟩, which is at most
    ⟨N, P⟩ + ‖R‖‖P - K₊‖, so that ‖P - K₊‖ ≤ ‖R‖ + √⟨N, P⟩ = ε.
    """
    K = matrix(x, n, n, double)
    largest = max(map(abs, K.entries()))
    need(max(map(abs, (K - K.T).entries())) <= largest / 10**10, "a kernel that is symmetric")
    K = HALF * (K + K.T)
    if not isinstance(evidence, dict):
        shown = semidefinite(K, None if evidence is None else matrix(evidence, n, n))
        need(shown, "a kernel that is shown to be semidefinite")
        return K, ZERO
    F, B = (matrix(evidence[key], n, None) for key in ("positive", "negative"))
    P = F @ F.T
    return P, root(square(K - P + B @ B.T)) + root(square(F.T @ B))

def proves(ids, **options):
    """The decorated function shows both ends of these programs, and of minus those with a minus."""
    def register(function):
        for id in ids.split():
            PROGRAMS[id.lstrip("-")] = partial(function, **options), -1 if id[0] == "-" else 1
        return function
    return register

class Claim:
    """A problem and its certificate, read as they are asked for; the kind ends the id."""
    def __init__(self, formulation, problem, certificate):
        self.kind, self.problem, self.given = formulation.partition("-")[2], problem, certificate
        self.n = len(problem["Y"][0] if "Y" in problem else problem.get("y", problem.get("K")))
    def number(self, key, least=None):
        x = double(self.problem[key])
        need(x > 0 if least is None else x >= least, f"{key} in its range")
        return x
    def signs(self, x=None):
        y = vector(self.problem["y"] if x is None else x, self.n, double)
        need(set(y.entries()) == {1, -1}, "labels -1 and +1, both")
        return y
    def classes(self):
        y = vector(self.problem["y"], self.n, double).entries()
        return y, sorted(set(y))
    def kernels(self):
        """Those of the problem, and how far each is from what is meant."""
        every = self.problem["kernels"]
        pairs = zip(every, self.given.get("kernels", [None] * len(every)), strict=True)
        return zip(*(kernel(K, self.n, e) for K, e in pairs), strict=True)
    def similarity(self, x):
        S = matrix(x, self.n, self.n, double)
        need(S.T == S, "a similarity that is symmetric")
        return S
    def point(self, key, *shape):
        """A symbol of the certificate: a number, a vector, a matrix."""
        return (decimal, vector, matrix)[len(shape)](self.given[key], *shape)
    def alpha(self, y, C=None):
        return boxed(self.point("alpha", self.n), y, C)
def simplex(x, n):
    w = vector(x, n).entries()
    need(min(w) >= 0 and sum(w) == 1, "shares that are not negative and add up to one")
    return w
def boxed(alpha, y, C):
    """α ≥ 0, αᵀy = 0, and α ≤ C unless C is None."""
    need(min(alpha.entries()) >= 0 and dot(alpha, y) == 0, "α ≥ 0, αᵀy = 0")
    need(C is None or max(alpha.entries()) <= C, "α ≤ C")
    return alpha
def losses(y, f, b, blur=ZERO):
    """max(0, 1 - yᵢ(fᵢ + b)), each f known to within `blur`."""
    return y.by(f, lambda s, v: max(ZERO, 1 - s * (v + b) + blur))
def machine(claim, K, off, y, C):
    """Both ends of the support vector machine: max 1ᵀα - ½αᵀYKYα over α in A.
    Below, any α in A. Above, any c and b, with the losses ξ at Kc and b: ½cᵀKc + C·1ᵀξ. For α in A,
    1 ≤ yᵢ((Kc)ᵢ + b) + ξᵢ gives 1ᵀα ≤ (Yα)ᵀKc + C·1ᵀξ, since αᵀy = 0; and
    (Yα)ᵀKc - ½(Yα)ᵀK(Yα) ≤ ½cᵀKc, since K ⪰ 0. Where ‖K - K₊‖ ≤ ε = `off`, vᵀK₊v is at most
    vᵀKv + ε‖v‖², and each entry of K₊c within ε‖c‖ of that of Kc.
    """
    v = y * claim.alpha(y, C)
    below = size(v) - HALF * (form(K, v) + off * square(v))
    return below, machine_above(K, off, y, C, claim.point("c", claim.n), claim.point("b"))
def machine_above(K, off, y, C, c, b):
    lost = losses(y, K @ c, b, off * root(square(c)))
    return HALF * (form(K, c) + off * square(c)) + C * size(lost)

def normalized(K, off):
    """K/r, r = trace K, and how far it is from K₊/trace K₊: (n+1)ε/(r-nε) at most, as ‖K‖₂ ≤ r."""
    r, n = trace(K), len(K)
    need(r > n * off, "a kernel with a trace")
    return 1 / r * K, (n + 1) * off / (r - n * off)

@proves("ye2008-thm2.1 ye2008-thm2.2 -ye2008-thm2.3", binary=True)
@proves("ye2008-eq29 ye2008-eq29-single ye2008-thm3.2 -ye2008-thm3.3")
@proves("ye2008-eq41 ye2008-eq43 -ye2008-eq44", binary=True, joint=True)
@proves("ye2008-eq45-single ye2008-eq46 -ye2008-eq47", joint=True)
@proves("ye2008-thm3.1", restricted=True)
@proves("ye2008-eq45", restricted=True, joint=True)
def ye2008(claim, binary=False, joint=False, restricted=False):
    """Theorems 2.1 to 3.3, (29), (41) to (47): kernels for discriminant analysis.
    With P = I - 11ᵀ/n, G̃ᵢ = PGᵢP, rᵢ = trace G̃ᵢ, θᵢ = wᵢ/rᵢ, Σwᵢ = 1, M = I + ΣθᵢG̃ᵢ/λ ⪰ I, or joint
    with G̃₀ = I, r₀ = n, M ⪰ (w₀/n)I, the optimum is the least Σⱼ fⱼeⱼᵀM⁻¹eⱼ: eⱼ is P times the
    indicator of class j, √fⱼ·eⱼ the paper's hⱼ, fⱼ = n/nⱼ; or a = √f·e₂ for two, f = (n/(n₁n₂))².
    Above: EᵀM⁻¹E = XᵀE + RᵀX + RᵀM⁻¹R for any X, R = E - MX, and RᵀM⁻¹R ⪯ ‖R‖²I/θ₀ where M ⪰ θ₀I.
    Below: eᵀM⁻¹e ≥ βᵀe - ¼βᵀMβ for any β; what is linear in w is largest at a vertex.
    Restricted, (32) and (45): diag(t) ⪰ HᵀM⁻¹H, that is diag(s) ⪰ EᵀM⁻¹E, sⱼ = tⱼ/fⱼ ≥ 0. Below, for
    ZZᵀ with a diagonal ≤ f: Σfⱼsⱼ ≥ ⟨ZZᵀ, EᵀM⁻¹E⟩, which is as before with EZ for E.
    Kernels off by ε: G̃ᵢ/rᵢ is off by δᵢ (`normalized`), M by σ = Σwᵢδᵢ/λ, R by σ‖X‖, XᵀMX by σ‖X‖².
    """
    n, (K, off), (y, labels) = claim.n, claim.kernels(), claim.classes()
    need(len(labels) == 2 or (len(labels) > 2 and not binary), "as many classes as it takes")
    counts = [y.count(label) for label in labels]
    f = [Fraction(n, m) for m in counts]
    if binary:
        labels, f = labels[1:], [Fraction(n, counts[0] * counts[1]) ** 2]
    P = eye(n) - Matrix([Fraction(1, n)] * n for _ in range(n))
    E = P @ Matrix([Fraction(label == z) for label in labels] for z in y)
    G, delta = zip(*(normalized(P @ A @ P, e) for A, e in zip(K, off, strict=True)), strict=True)
    lam = ONE if joint else claim.number("lam")
    w = simplex(claim.given["shares"], len(G) + joint)
    theta, rest = (w[0] / n, w[1:]) if joint else (ONE, w)
    need(theta > 0, "a share of the identity")
    M = theta * eye(n) + 1 / lam * combined(rest, G)
    X, sigma = claim.point("X", n, len(f)), sum(map(mul, rest, delta)) / lam
    more = square(R := E - M @ X) / theta
    if sigma:
        more = 2 * more + sigma * square(X) + 2 * sigma**2 * square(X) / theta
    above = X.T @ E + R.T @ X + more * eye(len(f))
    upper = sum(x * above[j][j] for j, x in enumerate(f))
    if restricted:
        s, Z = claim.point("s", len(f)).entries(), claim.point("Z", len(f), None)
        need(all(dot(column(z), column(z)) <= x for z, x in zip(Z, f, strict=True)), "diag ZZᵀ ≤ f")
        diagonal = Matrix([x * s[i] for x in row] for i, row in enumerate(eye(len(f))))
        need(semidefinite(diagonal - above), "diag(s) ⪰ EᵀM⁻¹E")
        upper, E, f = sum(map(mul, f, s)), E @ Z, [ONE] * len(Z[0])
    B = claim.point("beta", n, len(f))
    weighted = Matrix([x * b for x, b in zip(f, row, strict=True)] for row in B)
    inner, length = dot(weighted, E), dot(weighted, B)
    forms = [dot(weighted, A @ B) + d * length for A, d in zip(G, delta, strict=True)]
    if joint:
        return inner - max([length / n, *forms]) / 4, upper
    return inner - length / 4 - max(forms) / lam / 4, upper

@proves("kim2006 kim2006-epigraph")
def kim2006(claim):
    """Maximize F(θ) = (1/λ)aᵀ(G - GJ(λI + JGJ)⁻¹JG)a over G = ΣθᵢGᵢ, θ ≥ 0, Σθᵢ = 1.
    λF(θ) is the least q(u) = (a - Ju)ᵀG(a - Ju) + λuᵀu. In a class of size m the paper's J is 1/√m
    times the centring there: with u = √m·û, Ju = Dû subtracts from û its mean over the class, and
    uᵀu = ûᵀmû, m = diag(mᵢ).
    Above, any û: F(θ) ≤ ûᵀmû + maxᵢ vᵀGᵢv/λ, v = a - Dû, whatever θ is.
    Below, any θ and û: q is quadratic in û, its Hessian ⪰ 2λm; with g = λmû - DGv, half its gradient,
    the least q is at least q(û) - gᵀm⁻¹g/λ. Kernels off by ε move vᵀGv by ε‖v‖² and g by ε‖v‖.
    """
    n, (K, off), lam = claim.n, claim.kernels(), claim.number("lam")
    y, labels = claim.classes()
    need(len(labels) == 2, "two classes")
    m = column(Fraction(y.count(z)) for z in y)
    a = m.by(column(y), lambda k, z: (1 if z == labels[1] else -1) / k)
    same = Matrix([Fraction(z == t, y.count(z)) for t in y] for z in y)
    u, low, theta = claim.point("u", n), claim.point("u_below", n), simplex(claim.given["shares"], len(K))
    v = a - u + same @ u
    forms = [form(A, v) + e * square(v) for A, e in zip(K, off, strict=True)]
    upper = dot(m * u, u) + max(forms) / lam
    v, G, eps = a - low + same @ low, combined(theta, K), sum(map(mul, theta, off))
    image = G @ v
    g = lam * m * low - image + same @ image
    steep = dot(g * g, m.by(m, lambda k, _: 1 / k)) / lam
    if eps:
        steep = 2 * steep + 2 * eps**2 * square(v) / (lam * min(m.entries()))
    return (form(G, v) - eps * square(v) - steep) / lam + dot(m * low, low), upper

@proves("lanckriet2004-sm1 lanckriet2004-sm2 lanckriet2004-sm2c kundu2010-eq5")
def lanckriet2004(claim):
    """The soft margins: max 2αᵀ1 - c·t (sm2: - αᵀα/C), t ≥ αᵀYKᵢYα/rᵢ, αᵀy = 0, α ≥ 0 (sm1: ≤ C).
    Below: any feasible α. Above, w ≥ 0, Σwᵢ = 1: c·t ≥ αᵀYKYα with K = cΣwᵢKᵢ/rᵢ, which leaves twice a
    support vector machine (sm1). Without the box, with the losses ξ at Kv and b for any v and b,
    2αᵀ1 ≤ 2(Yα)ᵀKv + 2αᵀξ, and 2αᵀξ - αᵀα/C ≤ Cξᵀξ: it is at most vᵀKv + Cξᵀξ (sm2).
    sm2c: the identity is a kernel too, r₀ = n, c = Σrᵢ + n, and its weight cw₀/n stands for 1/C.
    kundu2010 (5): half of sm1, with τ for c.
    Kernels off by εᵢ: Kᵢ/rᵢ by δᵢ (`normalized`), c by e = nΣεᵢ, K by cΣwᵢδᵢ + e.
    """
    n, y, (K, off), kind = claim.n, claim.signs(), claim.kernels(), claim.kind
    joint, C = kind == "sm2c", claim.number("C") if kind != "sm2c" else None
    pairs = list(map(normalized, K, off))
    c, e = sum(map(trace, K)) + n * joint, n * sum(off)
    if kind == "eq5":
        c, e = claim.number("tau"), ZERO
    alpha = claim.alpha(y, C if kind in ("sm1", "eq5") else None)
    forms = [form(A, y * alpha) + d * square(alpha) for A, d in pairs] + [square(alpha) / n] * joint
    lower = 2 * size(alpha) - (c + e) * max(forms) - (square(alpha) / C if kind == "sm2" else 0)
    w, v, b = simplex(claim.given["shares"], len(K) + joint), claim.point("c", n), claim.point("b")
    Q = c * combined(w[joint:], [A for A, _ in pairs])
    blur = c * sum(x * d for x, (_, d) in zip(w[joint:], pairs, strict=True)) + e
    if kind in ("sm1", "eq5"):
        half = machine_above(Q, blur, y, C, v, b)
        return (lower, 2 * half) if kind == "sm1" else (HALF * lower, half)
    lost = square(losses(y, Q @ v, b, blur * root(square(v))))
    need(not joint or w[0] > 0, "a share of the identity")
    C = n / ((c - e) * w[0]) if joint else C
    return lower, form(Q, v) + blur * square(v) + C * lost

@proves("tang2009-eq2 tang2009-thm3.1 tang2009-eq3-sdp tang2009-eq11 rakotomamonjy2008")
def tang2009(claim):
    """k labels, each with a kernel ΣᵢθᵢᵗKᵢ, θᵗ = ζ + γᵗ on the simplex; Ω = ½ΣₜΣᵢγᵢᵗ.
    (3) has a price λΩ, (11) a bound Ω ≤ β; (2) a kernel of its own for every label and no weights.
    Above: k machines at any θ, with ζᵢ = minₜ θᵢᵗ, which has the least Ω, and the price.
    Below: any αᵗ in A. Let gᵢᵗ = αᵗᵀYᵗKᵢYᵗαᵗ, A = maxᵢ Σₜgᵢᵗ, B = Σₜ maxᵢ gᵢᵗ ≥ A. With c = 1 - Σᵢζᵢ, so
    that Ω = ½kc, Σₜ(1ᵀαᵗ - ½Σᵢθᵢᵗgᵢᵗ) is at least Σₜ1ᵀαᵗ - ½((1-c)A + cB): linear in c. With the price
    ½kλc it is least at c = 0 or 1: Σₜ1ᵀαᵗ - ½max(A, B - kλ); with Ω ≤ β at c = 2β/k.
    Kernels off by ε: gᵢᵗ by ε‖αᵗ‖². SimpleMKL (rakotomamonjy2008) is (11) with one label.
    """
    rows = claim.problem["Y"] if claim.kind else [claim.problem["y"]]
    n, (K, off), C, k = claim.n, claim.kernels(), claim.number("C"), len(rows)
    Y, separate = [claim.signs(row) for row in rows], claim.kind == "eq2"
    alpha = [boxed(column(a), y, C) for a, y in zip(claim.point("alpha", k, n), Y, strict=True)]
    v = [y * a for y, a in zip(Y, alpha, strict=True)]
    need(not separate or len(K) == k, "a kernel for every label")
    theta = list(eye(k)) if separate else [simplex(w, len(K)) for w in claim.given["theta"]]
    points = zip(theta, Y, claim.point("c", k, n), claim.point("b", k).entries(), strict=True)
    machines = [(combined(w, K), sum(map(mul, w, off)), y, C, column(c), b) for w, y, c, b in points]
    upper, total = sum(machine_above(*at) for at in machines), sum(map(size, alpha))
    g = [[form(A, x) + e * square(x) for A, e in zip(K, off, strict=True)] for x in v]
    if separate:
        return total - HALF * sum(g[t][t] for t in range(k)), upper
    same, each = max(map(sum, zip(*g, strict=True))), sum(map(max, g))
    omega = Fraction(k, 2) * (1 - sum(map(min, zip(*theta, strict=True))))
    if claim.kind in ("thm3.1", "eq3-sdp"):
        lam = claim.number("lam", 0)
        return total - HALF * max(same, each - k * lam), upper + lam * omega
    beta = min(claim.number("beta", 0), Fraction(k, 2)) if claim.kind else 0 * ONE
    need(omega <= beta, "Ω ≤ β")
    return total - HALF * same - beta / k * (each - same), upper

@proves("chen2009-eq1 chen2009-eq3")
def given_kernel(claim):
    """chen2009 (1), and (3) = min 1ᵀξ/n + ηcᵀKc, which is 2η times (1) with C = 1/(2ηn)."""
    scale = 2 * claim.number("eta") if claim.kind == "eq3" else ONE
    C = 1 / (scale * claim.n) if claim.kind == "eq3" else claim.number("C")
    K, off = kernel(claim.problem["K"], claim.n, claim.given.get("K"))
    lower, upper = machine(claim, K, off, claim.signs(), C)
    return scale * lower, scale * upper

@proves("gonen2008-eq5 gonen2008-eq7")
def gonen2008(claim):
    """(7), and (5) of which it is the dual: the machine with K_η = ΣₘDₘKₘDₘ, Dₘ = diag ηₘ(xᵢ), the gates η = softmax(Vx + v₀).
    Each gate, 0 ≤ η ≤ 1, is enclosed: it is above a fraction η̂ by ε at most. Then an entry of DKD is
    off by 2ε|Kᵢⱼ| at most, and the matrix by no more than the sum of these; kernels off add theirs.
    """
    n, y, (K, off), C = claim.n, claim.signs(), claim.kernels(), claim.number("C")
    X = matrix(claim.problem["X"], n, None, double)
    V = matrix(claim.problem["V"], len(K), len(X[0]), double)
    v0, Q, blur = vector(claim.problem["v0"], len(K), double), 0 * eye(n), sum(off)
    every = [gates((V @ column(x) + v0).entries()) for x in X]
    for m, A in enumerate(K):
        eta = column(low[m] for low, _ in every)
        Q, blur = Q + A * (eta @ eta.T), blur + 2 * max(e for _, e in every) * size(A)
    return machine(claim, Q, blur, y, C)

def gates(x):
    """Fractions below softmax(x), and by how much at most.
    exp(t), t ≤ 0, is exp(t/2ᵏ), -½ ≤ t/2ᵏ ≤ 0, squared k times. Of the series 60 terms are taken,
    each cut off at 2⁻³²⁰: the rest is below 2⁻³²⁰, and all that was cut off below 75 times that.
    """
    unit, ends = Fraction(1, 1 << 320), []
    for t in (z - max(x) for z in x):
        k, total, term = int(-t).bit_length() + 1, ZERO, ONE
        for i in range(1, 61):
            total, term = total + term, int(term * t / (i << k) / unit) * unit
        low, high = total - 99 * unit, total + 99 * unit
        for _ in range(k):
            low, high = int(low**2 / unit) * unit, int(high**2 / unit) * unit + unit
        ends.append((low, high))
    least, most = map(sum, zip(*ends, strict=True))
    below = [int(low / most / unit) * unit for low, _ in ends]
    return below, max(high / least - g for (_, high), g in zip(ends, below, strict=True))

@proves("chen2009-eq7 chen2009-eq7-dual luss2007 luss2007-maxmin")
def learned(claim):
    """chen2009 (7) and its dual, and (2), of Luss and d'Aspremont.
    (7): min over K ⪰ 0 of 2η·(the machine with C = 1/(2ηn)) + γ‖K - S‖
    (2): max over α in A of the least 1ᵀα - ½αᵀYKYα + ρ‖K - S‖² over K ⪰ 0
    Above: K = FFᵀ. For any g and b, with the losses ξ at Fg and b, the machine is at most
    ½gᵀg + C·1ᵀξ, since x = Fᵀ(Yα) has xᵀg - ½xᵀx ≤ ½gᵀg.
    Below: v = Yα, α in A, W = κvvᵀ + BBᵀ with κ = η in (7), ½ in (2), so that ⟨K, W - κvvᵀ⟩ ≥ 0. With
    γ‖K - S‖ ≥ ⟨W, K - S⟩ where ‖W‖ ≤ γ, (7) is at least 2η·1ᵀα - ⟨W, S⟩; with
    ρ‖K - S‖² ≥ ⟨W, K - S⟩ - ‖W‖²/(4ρ), (2) is at least 1ᵀα - ⟨W, S⟩ - ‖W‖²/(4ρ).
    """
    n, y, S, robust = claim.n, claim.signs(), claim.similarity(claim.problem["S"]), claim.kind in ("", "maxmin")
    scale = ONE if robust else 2 * claim.number("eta")
    C = claim.number("C") if robust else 1 / (scale * n)
    price = claim.number("rho" if robust else "gamma")
    F, B = claim.point("F", n, None), claim.point("B", n, None)
    g, v = claim.point("g", len(F[0])), y * claim.alpha(y, C)
    W, far = scale / 2 * (v @ v.T) + B @ B.T, square(F @ F.T - S)
    above = HALF * square(g) + C * size(losses(y, F @ g, claim.point("b")))
    below = scale * size(v) - dot(W, S)
    if robust:
        return below - square(W) / (4 * price), above + price * far
    need(square(W) <= price**2, "‖W‖ ≤ γ")
    return below, scale * above + price * root(far)

@proves("chen2009-eq8 chen2009-eq8-qcqp")
def new_sample(claim):
    """chen2009 (8): min 2‖k - s‖² + (r - ψ)², [K k; kᵀ r] ⪰ 0; or √ of it and ‖K - S‖².
    Feasible are k = Kx, r ≥ xᵀKx, whatever x is, and no others. Below, for any p and ν > 0, add
    2ν(xᵀKx - r) ≤ 0: (r - ψ)² - 2νr ≥ -ν² - 2νψ, 2‖Kx - s‖² ≥ 4pᵀ(s - Kx) - 2pᵀp, and
    2νxᵀKx - 4pᵀKx ≥ -(2/ν)pᵀKp, together 4pᵀs - 2pᵀp - (2/ν)pᵀKp - ν² - 2νψ. Without ν, where Kp = 0,
    4pᵀs - 2pᵀp. Zero is a bound in any case.
    """
    n, (K, off) = claim.n, kernel(claim.problem["K"], claim.n, claim.given.get("K"))
    s, psi = vector(claim.problem["s"], n, double), double(claim.problem["psi"])
    x, p, nu = claim.point("x", n), claim.point("p", n), claim.point("nu")
    far, short = square(K @ x - s), form(K, x) + off * square(x) - psi
    far = (root(far) + off * root(square(x))) ** 2 if off else far
    above = 2 * far + max(ZERO, short) ** 2
    need(nu > 0 or (nu == off == 0 and not any((K @ p).entries())), "ν > 0, or Kp = 0")
    below = 4 * dot(p, s) - 2 * square(p) - nu**2 - 2 * nu * psi
    below = max(ZERO, below - (2 * (form(K, p) + off * square(p)) / nu if nu else 0))
    if claim.kind == "eq8-qcqp":
        return below, above
    far = root(square(K - claim.similarity(claim.problem["S"])))
    below, above = max(ZERO, far / (1 + TINY) - off) ** 2 + below, (far + off) ** 2 + above
    return below / root(below) if below else ZERO, root(above)

def eigenbasis(S, U, lam, given, zeros=True):
    """By how much at most eigenvalues of S differ from λᵢ, and eigenvectors from the columns of U.
    Sû = λû + R: an eigenvalue is within ρ = ‖R‖/‖û‖ of λ, and n intervals that are disjoint hold one
    each. What û has across its eigenvector u is then at most d = ‖R‖/gap, and û = cu + w, ‖w‖ ≤ d,
    c ≥ 0 by the choice of a sign, has |c - 1| ≤ |c² - 1| ≤ |‖û‖² - 1| + d²: so much and d is ‖û - u‖.
    An orthonormal U with SU = U·diag(λ) is a basis exactly. It is the one that is meant where the λ
    (but for zeros, if these do not matter) are distinct, or where it is the problem's own.
    """
    R = S @ U - Matrix([x * z for x, z in zip(row, lam, strict=True)] for row in U)
    if not any(R.entries()) and U.T @ U == eye(len(S)):
        matter = [z for z in lam if z or zeros]
        need(len(set(matter)) == len(matter) or U == given, "eigenvalues that are told apart")
        return [ZERO] * len(lam), [ZERO] * len(lam)
    short, long = ([square(column(x)) for x in A.T] for A in (R, U))
    rho, near = [root(a / b) for a, b in zip(short, long, strict=True)], []
    for i, z in enumerate(lam):
        gap = min(abs(z - lam[j]) - rho[j] for j in range(len(lam)) if j != i)
        need(gap > rho[i], "eigenvalues that are told apart")
        need(abs(z) > rho[i] or z == rho[i] == 0, "the signs of the eigenvalues")
        d = root(short[i]) / gap
        near.append(d + d * d + abs(long[i] - 1))
    return rho, near

@proves("chen2009-eq12")
def spectrum(claim):
    """chen2009 (12): K = U·diag(λᵢaᵢ)Uᵀ ⪰ 0 in eigenvectors of S, min 2η·machine + γh(a).
    h = ‖a - a₀‖ with a₀ = [λ ≥ 0] (clip), sgn λ (flip), their sum (both); or ‖λ∘(a - 1)‖ (spectrum).
    Above: any a with λᵢaᵢ ≥ 0, z and b: 1ᵀξ/n + ηΣzᵢ²/(λᵢaᵢ) + γh(a), the losses ξ at Uz and b.
    Below: 2η·1ᵀα for α in A and the least of γh(a) - ηΣλᵢqᵢaᵢ, qᵢ = (uᵢᵀYα)². γ‖a - a₀‖ ≥ wᵀ(a - a₀)
    where ‖w‖ ≤ γ; with sgn(λᵢ)wᵢ ≥ η|λᵢ|qᵢ, and wᵢ = 0 where λᵢ = 0, that is -wᵀa₀ at least; for both,
    w is the sum of two. With spectrum, wᵢ ≥ ηqᵢ where λᵢ ≠ 0: -wᵀλ. λ is known within ρ, u within ε.
    """
    n, y, problem, h = claim.n, claim.signs(), claim.problem, claim.problem["h"]
    eta, gamma, own = claim.number("eta"), claim.number("gamma"), problem.get("U")
    U, lam = claim.point("U", n, n), claim.point("lam", n).entries()
    own = None if own is None else matrix(own, n, n, double)
    rho, eps = eigenbasis(claim.similarity(problem["S"]), U, lam, own, zeros=False)
    a, z, v = claim.point("a", n), claim.point("z", n), y * claim.alpha(y, 1 / (2 * eta * n))
    above = size(losses(y, U @ z, claim.point("b"), size(z * column(eps)))) / n
    below, long, sign = 2 * eta * size(v), root(square(v)), [(x > 0) - (x < 0) for x in lam]
    q = [eta * (abs(x) + e * long) ** 2 for (x,), e in zip(U.T @ v, eps, strict=True)]
    clip, flip = column(ONE * (x >= 0) for x in lam), column(ONE * s for s in sign)
    starts = {"clip": [clip], "flip": [flip], "both": [clip, flip], "spectrum": [column([ONE] * n)]}[h]
    W = claim.point("w", len(starts), n)
    for i, s in enumerate(sign):
        w, x, t = sum(row[i] for row in W), a[i][0], z[i][0]
        need(s * x >= 0 and (t == 0 or s * x > 0), "Λa ≥ 0, and z in the range of K")
        above += eta * t * t / ((abs(lam[i]) - rho[i]) * abs(x)) if t else 0
        if h == "spectrum":
            need(s == 0 or w >= q[i], "w ≥ ηq")
        else:
            need(s * w >= (abs(lam[i]) + rho[i]) * q[i] if s else w == 0, "sgn(λ)w ≥ η|λ|q")
    for start, w in zip(starts, map(column, W), strict=True):
        need(square(w) <= gamma**2, "‖w‖ ≤ γ")
        moved, spread = a - start, column(rho if h == "spectrum" else [ZERO] * n)
        scale = column(lam if h == "spectrum" else [ONE] * n)
        above += gamma * (root(square(moved * scale)) + size(moved * spread))
        below -= dot(w, start * scale) + size(w * spread)
    return below, above

@proves("kundu2010-eq4 kundu2010-alg1 kundu2010-alg1-printed", one=True)
@proves("kundu2010-eq6 kundu2010-alg2 kundu2010-alg2-printed kundu2010-eq10")
@proves("kundu2010-eq7 kundu2010-alg3 kundu2010-alg3-printed", vectors=True)
def kundu2010(claim, one=False, vectors=False):
    """min Ω(K₁, …, K_m) + ρΣᵢL(Kᵢ - Sᵢ), Kᵢ ⪰ 0, trace Kᵢ = τ (6); one K for all (4); Ω alone (10).
    Ω = max over α in A, γ ≥ 0, Σγᵢ ≤ 1 of 1ᵀα - ½ΣαᵀYKᵢYα/γᵢ; for one kernel the machine.
    Above, Kᵢ = tᵢFᵢFᵢᵀ, tᵢ = τ/‖Fᵢ‖², any gᵢ and b: Ω ≤ ½maxᵢ gᵢᵀgᵢ/tᵢ + C·1ᵀξ, the losses ξ at ΣFᵢgᵢ and
    b, as (Yα)ᵀFᵢgᵢ ≤ ½αᵀYKᵢYα/γᵢ + ½γᵢgᵢᵀgᵢ/tᵢ. With Kᵢ given, Kᵢcᵢ and cᵢᵀKᵢcᵢ for Fᵢgᵢ and gᵢᵀgᵢ/tᵢ.
    (7): Kᵢ = Σⱼμᵢⱼvᵢⱼvᵢⱼᵀ in eigenvectors of Sᵢ, L the distance of the spectra ‖μᵢ - λᵢ‖; there Σⱼπᵢⱼvᵢⱼ
    and Σⱼπᵢⱼ²/μᵢⱼ.
    Below, a = Yα: ρL(X) ≥ ⟨W, X⟩ - (ρL)*(W), and where Wᵢ - aaᵀ/(2γᵢ) ⪰ μᵢI its product with Kᵢ is at
    least τμᵢ: 1ᵀα - Σ(⟨Wᵢ, Sᵢ⟩ + (ρL)*(Wᵢ) - τμᵢ); in (4) with ΣWᵢ, γ = 1 and one μ; in (7) in the
    basis of the vᵢⱼ. (ρL)* is 0 on |Wⱼₖ| ≤ ρ (L1), on ‖W‖ ≤ ρ (L2, (7)), and ‖W‖²/(4ρ) for L3.
    """
    n, y, problem, given, C = claim.n, claim.signs(), claim.problem, claim.given, claim.number("C")
    K, off = claim.kernels() if claim.kind == "eq10" else ([], [])
    a, f, m, above = y * claim.alpha(y, C), 0 * y, len(K or problem["S"]), ZERO
    below, long, blur, longest, sums = size(a), root(square(a)), ZERO, ZERO, []
    for key in ("c", "U", "lam", "shares", "pi", "W", "F", "g", "mu"):
        many = 1 if one and key in ("F", "g", "mu") else m
        need(key not in given or len(given[key]) == many, "a point for each kernel")
    gamma = [ONE] * m if one else claim.point("gamma", m).entries()
    need(min(gamma) >= 0 and (one or sum(gamma) <= 1), "γ ≥ 0, Σγ ≤ 1")
    for i, (A, e) in enumerate(zip(K, off, strict=True)):
        c, q = vector(given["c"][i], n), form(A, a) + e * square(a)
        need(gamma[i] > 0 or q == 0, "γ > 0")
        below -= HALF * q / gamma[i] if q else 0
        f, blur = f + A @ c, blur + e * root(square(c))
        longest = max(longest, form(A, c) + e * square(c))
    tau, rho = (ONE, ZERO) if K else (claim.number("tau"), claim.number("rho", 0))
    loss = "L2" if K or vectors else problem["loss"]
    for i in range(0 if K else m):
        need(gamma[i] > 0 and loss in ("L1", "L2", "L3"), "γ > 0, and a loss")
        S, j = claim.similarity(problem["S"][i]), 0 if one else i
        if vectors:
            U, lam, own = matrix(given["U"][i], n, n), vector(given["lam"][i], n), problem.get("U")
            own = None if own is None else matrix(own[i], n, n, double)
            spread, eps = eigenbasis(S, U, lam.entries(), own)
            mu = column(tau * x for x in simplex(given["shares"][i], n))
            pi, W, S, D = vector(given["pi"][i], n), vector(given["W"][i], n), lam, mu - lam
            need(all(x > 0 for (p,), (x,) in zip(pi, mu, strict=True) if p), "π in the range of K")
            length = sum((p * p / x for (p,), (x,) in zip(pi, mu, strict=True) if p), ZERO)
            f, blur = f + U @ pi, blur + size(pi * column(eps))
            above, below = above + rho * sum(spread), below - size(W * column(spread))
            near = zip(U.T @ a, eps, W, strict=True)
            below += tau * min(w - (abs(x) + e * long) ** 2 / (2 * gamma[i]) for (x,), e, (w,) in near)
        else:
            F, W = matrix(given["F"][j], n, None), matrix(given["W"][i], n, n)
            t, g = tau / square(F), vector(given["g"][j], len(F[0]))
            D, length, sums = t * (F @ F.T) - S, square(g) / t, [*sums, W]
            f = f if one and i else f + F @ g
        longest, below = max(longest, length), below - dot(W, S)
        need(loss != "L1" or max(map(abs, W.entries())) <= rho, "|W| ≤ ρ")
        need(loss != "L2" or square(W) <= rho**2, "‖W‖ ≤ ρ")
        need(loss != "L3" or rho > 0 or not square(W), "W = 0 where ρ = 0")
        below -= square(W) / (4 * rho) if loss == "L3" and rho else 0
        above += rho * {"L1": size, "L2": lambda D: root(square(D)), "L3": square}[loss](D)
    for i, W in enumerate([combined([ONE] * m, sums)] if one else sums):
        mu = decimal(given["mu"][i])
        need(semidefinite(W - mu * eye(n) - 1 / (2 * gamma[i]) * (a @ a.T)), "W - aaᵀ/(2γ) ⪰ μI")
        below += tau * mu
    return below, above + HALF * longest + C * size(losses(y, f, claim.point("b"), blur))

def ends(formulation, problem, certificate):
    """Both ends that a certificate shows."""
    need(formulation in PROGRAMS, f"a formulation that is known, not {formulation}")
    show, sign = PROGRAMS[formulation]
    lower, upper = show(Claim(formulation, problem, certificate))
    return (lower, upper) if sign > 0 else (-upper, -lower)

def check(claim):
    """Refuse unless lower ≤ optimum ≤ upper is shown."""
    lower, upper = ends(*(claim[key] for key in ("formulation", "problem", "certificate")))
    low, high = vector(claim["optimum"], 2).entries()
    need(low <= lower, f"a lower end of {float(lower):.17g} at most")
    need(upper <= high, f"an upper end of {float(upper):.17g} at least")

def claims(document):
    """Every claim of a file, by name."""
    if "groups" not in document:
        yield document["formulation"], document
    for test in (test for group in document.get("groups", []) for test in group["tests"]):
        own = {**test, "formulation": document["formulation"]}
        yield test["id"], own
        for slip in test["slips"]:
            changed = {**own, **slip, "problem": {**test["problem"], **slip["changes"]}}
            yield f"{test['id']}, slip {slip['flag']}", changed
def unique(pairs):
    need(len(dict(pairs)) == len(pairs), "keys that are there once")
    return dict(pairs)

def main(files):
    """A line for each claim; whether all were shown, and there were some."""
    results, hooks = [], {"parse_float": str, "parse_int": str, "object_pairs_hook": unique}
    for file in files:
        try:
            with open(file, encoding="utf-8") as stream:
                every = list(claims(json.load(stream, **hooks))) or [("no claim", {})]
        except Exception as error:
            every = [(f"{type(error).__name__}: {error}", {})]
        for name, claim in every:
            try:
                check(claim)
                line = f"shown   {file}: {name} in [{', '.join(claim['optimum'])}]"
            except Exception as error:
                line = f"REFUSED {file}: {name}: {type(error).__name__}: expected {error}"
            results.append("".join(c if c.isprintable() else "?" for c in line))
            print(results[-1], flush=True)
    return bool(results) and all(line.startswith("shown") for line in results)

if __name__ == "__main__":
    sys.stdout.reconfigure(errors="backslashreplace")  # whatever a terminal can write
    sys.exit(0 if main(sys.argv[1:]) else 1)
