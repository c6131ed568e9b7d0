"""Answers of the naive programs, right and wrong: an id, a kind of instance, its seed, the program.

Seeds are those of nothing else in the repository.
"""

# ruff: noqa: E501 (a table: a case is a line)

from __future__ import annotations

import numpy as np

from naive import programs as run

SIMILARITY = {"luss2007", "chen2009-eq7", "chen2009-eq12", "kundu2010-eq4", "kundu2010-eq6", "kundu2010-eq7"}  # fmt: skip


def problem(id, seed, kind):
    """What the id takes of the instance."""
    d = dict(run.instance(seed, kind))
    if id in SIMILARITY:
        d |= {
            "y": d["y_small"],
            "eta": 1 / (2 * d["C"] * 11),
            "h": "clip",
            "tau": 11.0,
            "loss": "L3",
        }
        d |= {"S": d["similarities"]} if id.startswith("kundu") else {}
        d["rho"] = 0.3 * d["rho"]
    if id in ("ye2008-thm3.2", "ye2008-eq46", "ye2008-thm3.1", "ye2008-eq29", "ye2008-thm3.3"):
        d["y"] = d["three"]
    if id == GIVEN:
        d["tau"] = float(len(d["y"]))
    if id == "tang2009-eq2":
        d["kernels"] = d["kernels"][:2]
    if id == "tang2009-thm3.1":
        d["lam"] = 0.2 * d["lam"]
    return d


def parts(answer, names):
    return {name: answer[name] for name in names.split()}


def times(answer, **factors):
    return {name: np.asarray(x) * factors.get(name, 1.0) for name, x in answer.items()}


def sums(answer, name, total=1.0):
    x = np.asarray(answer[name])
    return {**answer, name: total * x / x.sum()}


def case(id, kind, seed, answer, *kinds):
    return id, kind, seed, answer, set(kinds)


YE, SILP, JOINT = "ye2008-thm2.2", "ye2008-thm2.3", "ye2008-eq43"
MANY, JOINTS, SDP = "ye2008-thm3.2", "ye2008-eq46", "ye2008-thm2.1"
SM1, SM2, SM2C, RAKO = "lanckriet2004-sm1", "lanckriet2004-sm2", "lanckriet2004-sm2c", "rakotomamonjy2008"  # fmt: skip
EQ1, EQ3, LUSS, EQ7, EQ12 = "chen2009-eq1", "chen2009-eq3", "luss2007", "chen2009-eq7", "chen2009-eq12"  # fmt: skip
ONE, EACH, BUDGET, GIVEN = "kundu2010-eq4", "kundu2010-eq6", "kundu2010-eq10", "kundu2010-eq5"
T2, T3, T11, GATED, KIM, KIMQ = "tang2009-eq2", "tang2009-thm3.1", "tang2009-eq11", "gonen2008-eq7", "kim2006", "kim2006-epigraph"  # fmt: skip


def ye(d, **how):
    return run.fisher(d["kernels"], d["y"], how.pop("lam", d.get("lam")), **how)


def joint(d, **how):
    return run.fisher(d["kernels"], d["y"], None, **how)


def mkl(d, C=1.0, scale=1.0, **how):
    return run.group(d["kernels"] * scale, d["y"], C * d["C"], **how)


def sm(d, C=1.0, **how):
    return run.soft_margin(d["kernels"], d["y"], C * d["C"], **how)


def k7(d, eta=1.0, gamma=1.0, total=False, **how):
    n = len(d["y"])
    return run.learned(d["S"], d["y"], 1.0 if total else 1 / n, eta * d["eta"], gamma * d["gamma"], **how)  # fmt: skip


def k2(d, C=1.0, rho=1.0, half=0.5, **how):
    return run.learned(d["S"], d["y"], C * d["C"], half, rho * d["rho"], **{"term": "squares", **how})  # fmt: skip


def k12(d, eta=1.0, gamma=1.0, **how):
    return run.spectral(d["S"], d["y"], eta * d["eta"], gamma * d["gamma"], **how)


def eskl(d, C=1.0, rho=1.0, tau=1.0, **how):
    return run.robust(d["S"], d["y"], C * d["C"], rho * d["rho"], tau * d["tau"], **how)


def svm(d, C=1.0, scale=1.0, **how):
    return run.machine(d["K"] * scale, d["y"], C * d["C"], **how)


def local(d, C=1.0, b=1.0, offset=True, half=0.5, **how):
    K = run.localized(d["kernels"], d["X"], how.pop("V", d["V"]), how.pop("v0", d["v0"]), **how)
    found = run.machine(K, d["y"], C * d["C"], offset=offset, half=half)
    return {**parts(found, "alpha value"), "b": b * found["b"]}


def traces(d):
    return np.trace(d["kernels"], axis1=1, axis2=2)


def n(d):
    return len(d["y"])


RIGHT = {
    "ye": case(YE, "features", 301, ye),
    "ye, three classes": case(MANY, "poly", 302, ye),
    "ye, joint": case(JOINT, "counts", 303, joint),
    "ye, SDP": case(SDP, "poly", 304, lambda d: run.fisher_sdp(d["kernels"], d["y"], d["lam"])),
    "kim": case(KIM, "gauss", 305, lambda d: run.kim(d["kernels"], d["y"], d["lam"])),
    "mkl": case(RAKO, "counts", 306, mkl),
    "sm1": case(SM1, "features", 307, sm),
    "sm2": case(SM2, "gauss", 308, lambda d: sm(d, norm=2)),
    "sm2c": case(SM2C, "counts", 309, lambda d: run.soft_margin(d["kernels"], d["y"])),
    "svm": case(EQ1, "features", 310, lambda d: parts(svm(d), "alpha value")),
    "eq3": case(EQ3, "poly", 311, lambda d: parts(run.primal(d["K"], d["y"], d["eta"]), "c b alpha value")),
    "luss": case(LUSS, "counts", 312, lambda d: parts(k2(d), "alpha K value")),
    "eq7": case(EQ7, "gauss", 313, lambda d: parts(k7(d), "alpha K value")),
    "eq12": case(EQ12, "poly", 314, lambda d: parts(k12(d), "alpha a z U value")),
    "kundu, (4)": case(ONE, "gauss", 315, lambda d: parts(eskl(d), "K alpha value")),
    "kundu, (6)": case(EACH, "poly", 316, lambda d: parts(eskl(d, together=False), "K alpha gamma value")),
    "kundu, (10)": case(BUDGET, "counts", 317, lambda d: run.shared_budget(d["kernels"], d["y"], d["C"])),
    "gonen": case(GATED, "gauss", 318, local),
    "tang, (2)": case(T2, "counts", 319, lambda d: run.labelled(d["kernels"], d["Y"], d["C"])),
    "tang, 3.1": case(T3, "poly", 320, lambda d: run.labelled(d["kernels"], d["Y"], d["C"], d["lam"])),
    "tang, (11)": case(T11, "counts", 321, lambda d: run.labelled(d["kernels"], d["Y"], d["C"], None, d["beta"])),
    "kundu, (5)": case(GIVEN, "gauss", 322, lambda d: run.budgeted(d["kernels"], d["y"], d["C"], d["tau"])),
}  # fmt: skip


def separate(d):
    """A machine without b for each label; the mean of their values."""
    every = [
        run.machine(K, y, d["C"], offset=False) for K, y in zip(d["kernels"], d["Y"], strict=True)
    ]
    return {
        "alpha": np.array([m["alpha"] for m in every]),
        "value": np.mean([m["value"] for m in every]),
    }


def signless(d):
    """The objective of a minimization told for the maximum, the kernels not centred."""
    return times(parts(ye(d, centre=False), "theta value"), value=-1)


def first_lost(d):
    """θ₀ = λ not handed over."""
    return {"theta": np.append(0.0, joint(d)["theta"][1:])}


def on_clipped(d, how):
    K = run.modified(d["S"], how)
    return {"K": K, **parts(run.machine(K, d["y"], d["C"]), "alpha value")}


def one_round(d):
    """The machine on the clipped S, and the kernel of its α: no alternation."""
    alpha = run.machine(run.modified(d["S"], "clip"), d["y"], d["C"])["alpha"]
    v = d["y"] * alpha
    return {
        "alpha": alpha,
        "K": run.modified(d["S"] + np.outer(v, v) / (4 * d["rho"]), "clip"),
    }


def by_label(d, answer, kept, sorted_):
    """One of the two as it was, the other with the samples sorted."""
    return {kept: answer[kept], sorted_: answer[sorted_][np.argsort(d["y"], kind="stable")]}


def jittered(d):
    means = np.trace(d["kernels"], axis1=1, axis2=2) / n(d)
    return d["kernels"] + 0.05 * means[:, None, None] * np.eye(n(d))


# One or two mistakes each, and the kinds that explain them; none where no slip known was made.
WRONG = {
    "mkl, centred, of trace one": case(RAKO, "poly", 703, lambda d: run.group(run.traced(run.centred(d["kernels"])), d["y"], d["C"]), "kernels centred", "trace normalization"),
    "mkl, 2-norm": case(RAKO, "poly", 706, lambda d: mkl(d, norm=4 / 3), "2-norm MKL"),
    "mkl, squares": case(RAKO, "gauss", 708, lambda d: {"d": mkl(d)["d"] ** 2}, "squares of the weights"),
    "sm2c, c = 1, no b": case(SM2C, "gauss", 716, lambda d: run.soft_margin(d["kernels"], d["y"], offset=False, budget="one"), "c = 1", "no offset"),
    "svm, b in the kernel": case(EQ1, "poly", 718, lambda d: parts(run.machine(d["K"] + 1, d["y"], d["C"], offset=False), "alpha value"), "b penalized"),
    "svm, rows of K": case(EQ1, "gauss", 811, lambda d: parts(run.machine(d["K"] @ d["K"], d["y"], d["C"]), "alpha value"), "K²"),
    "eq3, cᵀc": case(EQ3, "poly", 722, lambda d: parts(run.primal(d["K"], d["y"], d["eta"], kernel=False), "c b value"), "cᵀc"),
    "ye, λ = 1, no sizes": case(YE, "gauss", 729, lambda d: ye(d, lam=1.0, how="plain"), "λ left out", "labels"),
    "ye, not centred, sign": case(SDP, "features", 730, signless, "kernels not centred", "sign of the value"),
    "ye, nλ, value over n": case(MANY, "poly", 732, lambda d: times(parts(ye(d, lam=n(d) * d["lam"]), "theta value"), value=1 / n(d)), "nλ", "factor of the value"),
    "ye, H not centred": case(MANY, "gauss", 819, lambda d: ye(d, how="not centred"), "labels"),
    "ye, joint, r₀ = 1": case(JOINT, "poly", 820, lambda d: joint(d, first=1.0), "r₀ = 1"),
    "ye, joint, no θ₀": case(JOINT, "poly", 734, first_lost, "θ₀ left out"),
    "kim, no sizes": case(KIM, "gauss", 821, lambda d: run.kim(d["kernels"], d["y"], d["lam"], how="plain"), "labels"),
    "tang, (2), no b, a mean": case(T2, "counts", 737, separate, "no offset", "factor of the value"),
    "tang, (11), no ½ twice": case(T11, "poly", 741, lambda d: parts(run.labelled(d["kernels"], d["Y"], d["C"], None, d["beta"], half=1.0), "alpha value"), "½ of (1)", "½ of Ω"),
    "luss, of clipped S": case(LUSS, "gauss", 742, lambda d: on_clipped(d, "clip"), "kernel not learned"),
    "luss, unit diagonal": case(LUSS, "gauss", 826, lambda d: parts(k2({**d, "S": d["S"] / np.sqrt(np.outer(np.diag(d["S"]), np.diag(d["S"])))}), "alpha K value"), "unit diagonal"),
    "eq7, flipped S": case(EQ7, "gauss", 747, lambda d: {"K": run.modified(d["S"], "flip")}, "kernel not learned"),
    "eq12, flip, ½η": case(EQ12, "gauss", 749, lambda d: parts(k12(d, h="flip", eta=0.5), "alpha a z U value"), "other h", "½η"),
    "kundu, (4), no b": case(ONE, "gauss", 753, lambda d: parts(eskl(d, offset=False), "K alpha value"), "no offset"),
    "kundu, (10), Σγ = m": case(BUDGET, "gauss", 755, lambda d: run.shared_budget(d["kernels"], d["y"], d["C"], total=len(d["kernels"])), "Σγ = m"),
    "kundu, (5), Σβ = τ": case(GIVEN, "poly", 757, lambda d: run.budgeted(d["kernels"], d["y"], d["C"], d["tau"], r=np.ones(len(d["kernels"]))), "weights sum to τ"),
    "gonen, no v0, C/n": case(GATED, "counts", 761, lambda d: parts(local(d, C=1 / n(d), v0=0 * d["v0"]), "alpha value"), "v0 left out", "C/n"),
    "eq7, ½η, no α": case(EQ7, "poly", 901, lambda d: parts(k7(d, eta=0.5), "K value"), "½η"),
    "eq7, no b, no α": case(EQ7, "gauss", 902, lambda d: parts(k7(d, offset=False), "K value"), "no offset"),
    "eq7, 2γ, value alone": case(EQ7, "counts", 903, lambda d: parts(k7(d, gamma=2), "value"), "2γ"),
    "eq12, flip, a alone": case(EQ12, "gauss", 904, lambda d: parts(k12(d, h="flip"), "a"), "other h"),
    "eq12, eigenvalues reversed": case(EQ12, "poly", 905, lambda d: {"a": k12(d)["a"][::-1]}, "order of the eigenvalues"),
    "eq3, squares, ½η": case(EQ3, "poly", 906, lambda d: parts(run.primal(d["K"], d["y"], d["eta"], squares=True, half=0.5), "c b value"), "½η", "other norm"),
    "luss, one round": case(LUSS, "gauss", 907, one_round, "one round"),
    "kundu, (4), another τ": case(ONE, "gauss", 908, lambda d: parts(eskl(d, tau=0.7), "K alpha value"), "another τ"),
    "kundu, (4), τ/m, value alone": case(ONE, "poly", 909, lambda d: parts(eskl(d, tau=0.5), "value"), "τ = τ/m"),
    "kundu, (10), 2-norm": case(BUDGET, "gauss", 910, lambda d: run.shared_budget(d["kernels"], d["y"], d["C"], norm=2), "2-norm of γ"),
    "kim, no roots, θᵀr = 1": case(KIM, "counts", 911, lambda d: parts(run.kim(d["kernels"], d["y"], d["lam"], blocks="none", r=traces(d)), "theta value"), "blocks of J", "θᵀr = 1"),
    "ye, indicators": case(MANY, "poly", 912, lambda d: ye(d, how="indicators"), "labels"),
    "ye, samples sorted": case(YE, "features", 913, lambda d: by_label(d, ye(d), "theta", "beta"), "order of the samples"),
    "sm2, box of sm1": case(SM2, "poly", 918, lambda d: sm(d, norm=2, both=True), "both norms"),
    "sm1, jitter": case(SM1, "poly", 915, lambda d: parts(run.soft_margin(jittered(d), d["y"], d["C"]), "alpha mu value"), "ridge"),
    "mkl, a sample lost": case(RAKO, "poly", 916, lambda d: parts(run.group(d["kernels"][:, :-1, :-1], d["y"][:-1], d["C"]), "d value"), "sample lost"),
    "tang, 3.1, s for ½s": case(T3, "poly", 917, lambda d: parts(run.labelled(d["kernels"], d["Y"], d["C"], d["lam"], half=1.0), "alpha zeta gamma value"), "½ of s"),
    "mkl, αy and weights of sum p": case(RAKO, "poly", 919, lambda d: {"d": 3 * mkl(d)["d"], "alpha": mkl(d)["alpha"] * d["y"]}, "weights rescaled", "sign of α"),
    "any weights": case(RAKO, "poly", 838, lambda _: {"d": np.array([0.2, 0.5, 0.3])}),
    "any α": case(EQ1, "gauss", 839, lambda d: {"alpha": np.random.default_rng(6).uniform(0, d["C"], n(d))}),
}  # fmt: skip
