"""Right answers of the naive programs: an id, a kind of instance, its seed, and the program.

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
ONE, EACH, BUDGET = "kundu2010-eq4", "kundu2010-eq6", "kundu2010-eq10"
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
}  # fmt: skip
