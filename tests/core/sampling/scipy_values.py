#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints what scipy and numpy say of the intervals, estimates and kappas that core/sampling computes, as JSON.

usage: scipy_values.py > scipy_values.json

Nothing here follows the code under test: shares are means over arrays with one entry an item, hypergeometric bounds are found by
trying every count, and the bootstrap draws its items with a Philox of its own. Exit 77 where scipy is not installed.
"""
import json
import sys

try:
    import numpy as np
    from scipy import stats
except ImportError:
    sys.exit(77)

BINOMIAL = [(0, 1), (1, 1), (0, 7), (7, 7), (31, 31), (30, 31), (18, 18), (3, 4), (5, 10), (827, 1533), (1043, 2638),
            (1639, 2638), (1, 100000), (99999, 100000), (500000, 1000000)]
CONFIDENCES = [0.9, 0.95, 0.99]
FINITE = [(0, 2, 4), (2, 2, 4), (4, 4, 4), (7, 7, 12), (3, 7, 12), (5, 12, 42), (0, 12, 42), (12, 12, 42), (31, 31, 1533),
          (28, 31, 1533), (20, 50, 172), (171, 172, 172), (100, 400, 2638), (15, 30, 4000)]
# Per stratum: population, labelled, domain, successes.
STRATA = {
    "the published sizes, all confirmed": [(827, 6, 6, 6), (67, 3, 3, 3), (200, 4, 4, 4), (12, 2, 2, 2), (48, 2, 2, 2),
                                           (172, 4, 4, 4), (123, 3, 3, 3), (42, 3, 3, 3), (1, 1, 1, 1), (26, 2, 2, 2),
                                           (15, 1, 1, 1)],
    "mixed": [(827, 60, 60, 51), (200, 20, 20, 20), (12, 12, 12, 9), (48, 1, 1, 0), (172, 30, 30, 11)],
    "with undecided items": [(827, 60, 55, 51), (200, 20, 12, 12), (12, 12, 12, 9), (172, 30, 21, 11)],
    "none": [(100, 10, 10, 0), (50, 5, 5, 0)],
    "a census": [(10, 10, 10, 7), (5, 5, 5, 5)],
    "one stratum": [(1533, 31, 31, 31)],
}
PAIRS = {
    "mostly agreed": [(0, 0)] * 20 + [(1, 1)] * 5 + [(0, 1)] * 3 + [(1, 0)] * 2 + [(2, 2)] * 2 + [(3, 0)],
    "skewed": [(0, 0)] * 28 + [(0, 1), (1, 0), (2, 0)],
    "by chance": [(0, 0), (0, 1), (1, 0), (1, 1)] * 4,
    "one label": [(0, 0)] * 9,
    "one dissent": [(0, 0)] * 9 + [(0, 1)],
}
CATEGORIES = 4
SEED = 20260422
RESAMPLES = 2000


def binomial():
    rows = []
    for k, n in BINOMIAL:
        for confidence in CONFIDENCES:
            tested = stats.binomtest(k, n)
            exact = tested.proportion_ci(confidence, method="exact")
            wilson = tested.proportion_ci(confidence, method="wilson")
            rows.append({"k": k, "n": n, "confidence": confidence, "exact": [exact.low, exact.high],
                         "wilson": [wilson.low, wilson.high]})
    return rows


def finite():
    rows = []
    for k, n, population in FINITE:
        totals = np.arange(k, population - (n - k) + 1)
        at_least = stats.hypergeom.sf(k - 1, population, totals, n)
        at_most = stats.hypergeom.cdf(k, population, totals, n)
        likely = totals[(at_least > 0.025) & (at_most > 0.025)]
        rows.append({"k": k, "n": n, "population": population, "low": int(likely.min()), "high": int(likely.max())})
    return rows


def wilson_of(share, trials, z):
    centre = (share + z * z / (2 * trials)) / (1 + z * z / trials)
    spread = z / (1 + z * z / trials) * np.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    return [max(0.0, float(centre - spread)), min(1.0, float(centre + spread))]


def stratified(strata):
    z = stats.norm.ppf(0.975)
    totals_y = totals_x = totals_smooth = 0.0
    for population, labelled, domain, successes in strata:
        y = np.array([1.0] * successes + [0.0] * (labelled - successes))
        x = np.array([1.0] * domain + [0.0] * (labelled - domain))
        smooth = successes
        if labelled < population and domain > 0 and successes in (0, domain):
            smooth = domain * (successes + 0.5) / (domain + 1)
        totals_y += population * y.mean()
        totals_x += population * x.mean()
        totals_smooth += population * smooth / labelled
    share = totals_y / totals_x
    variance = 0.0
    for population, labelled, domain, successes in strata:
        if labelled < population and domain > 0 and successes in (0, domain):
            # a share p of the domain's items as fractions of an item: weights instead of whole successes
            p = (successes + 0.5) / (domain + 1)
            residuals = np.array([1 - share] * domain + [-share] * domain + [0.0] * (labelled - domain))
            weights = np.array([p] * domain + [1 - p] * domain + [1.0] * (labelled - domain))
        else:
            residuals = np.array([1 - share] * successes + [-share] * (domain - successes) + [0.0] * (labelled - domain))
            weights = np.ones(labelled)
        mean = (weights * residuals).sum() / labelled
        spread = (weights * (residuals - mean) ** 2).sum() / max(1, labelled - 1)
        variance += population ** 2 * (1 - labelled / population) * spread / labelled
    variance /= totals_x ** 2
    row = {"strata": strata, "share": share, "standard_error": float(np.sqrt(variance)), "total": totals_y}
    if variance == 0:
        return {**row, "effective": None, "wilson": [share, share], "logit": None}
    inside = 0 < share < 1
    base = share if inside else totals_smooth / totals_x
    effective = base * (1 - base) / variance
    row.update(effective=effective, wilson=wilson_of(share, effective, z), logit=None)
    if inside:
        logit = np.log(share / (1 - share)) + np.array([-z, z]) * np.sqrt(variance) / (share * (1 - share))
        row["logit"] = [float(v) for v in 1 / (1 + np.exp(-logit))]
    return row


def kappa_of(first, second):
    table = np.zeros((CATEGORIES, CATEGORIES))
    np.add.at(table, (first, second), 1)
    observed = np.trace(table) / table.sum()
    expected = (table.sum(axis=1) * table.sum(axis=0)).sum() / table.sum() ** 2
    return observed, expected, None if table.max() == table.sum() and observed == 1 else (observed - expected) / (1 - expected)


def mix(value):
    value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & (2 ** 64 - 1)
    value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & (2 ** 64 - 1)
    return value ^ (value >> 31)


def stream_key(seed, *names):
    """FNV-1a over the seed's bytes and the names, each ended by 0xFF, then mixed."""
    state = 0xCBF29CE484222325
    for byte in seed.to_bytes(8, "little") + b"".join(name.encode() + b"\xff" for name in names):
        state = ((state ^ byte) * 0x100000001B3) & (2 ** 64 - 1)
    return mix(state)


def philox_bits(key, count):
    """The first count 64-bit numbers of the stream with input 0."""
    blocks = np.arange((count + 1) // 2, dtype=np.uint64)
    mask = np.uint64(0xFFFFFFFF)
    shift = np.uint64(32)
    c = [blocks & mask, blocks >> shift, np.zeros_like(blocks), np.zeros_like(blocks)]
    k0, k1 = key & 0xFFFFFFFF, key >> 32
    for _ in range(10):
        a = np.uint64(0xD2511F53) * c[0]
        b = np.uint64(0xCD9E8D57) * c[2]
        c = [(b >> shift) ^ c[1] ^ np.uint64(k0), b & mask, (a >> shift) ^ c[3] ^ np.uint64(k1), a & mask]
        k0, k1 = (k0 + 0x9E3779B9) & 0xFFFFFFFF, (k1 + 0xBB67AE85) & 0xFFFFFFFF
    halves = np.stack([c[0] | (c[1] << shift), c[2] | (c[3] << shift)], axis=1)
    return halves.reshape(-1)[:count]


def agreement(name):
    first, second = (np.array(side) for side in zip(*PAIRS[name]))
    n = len(first)
    observed, expected, kappa = kappa_of(first, second)
    bits = philox_bits(stream_key(SEED, "", "sample", "kappa"), RESAMPLES * n)
    picks = np.array([(int(value) * n) >> 64 for value in bits]).reshape(RESAMPLES, n)
    kappas = [kappa_of(first[pick], second[pick])[2] for pick in picks]
    defined = np.sort([value for value in kappas if value is not None])
    interval = None
    if len(defined):
        cut = int(np.floor(len(defined) * 0.025 + 0.5))
        interval = [float(defined[cut]), float(defined[-1 - cut])]
    return {"name": name, "pairs": PAIRS[name], "observed": observed, "expected": expected, "kappa": kappa,
            "pabak": (CATEGORIES * observed - 1) / (CATEGORIES - 1), "interval": interval,
            "undefined": RESAMPLES - len(defined)}


json.dump({"binomial": binomial(), "finite": finite(),
           "stratified": [{"name": name, **stratified(strata)} for name, strata in STRATA.items()],
           "seed": SEED, "resamples": RESAMPLES, "categories": CATEGORIES,
           "agreement": [agreement(name) for name in PAIRS]}, sys.stdout, indent=1)
print()
