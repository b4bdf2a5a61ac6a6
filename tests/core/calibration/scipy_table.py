#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The statistics of core/calibration computed a second time by scipy and numpy, as a table that its tests read.

usage: scipy_table.py            writes scipy_table.json beside this file
       scipy_table.py --check    computes again and compares with the file: exit 1 where they differ, 77 without scipy
"""
import json
import math
import sys
from pathlib import Path

try:
    import numpy as np
    from scipy import optimize, special, stats
except ImportError as missing:
    print(f"not checked: {missing}", file=sys.stderr)
    sys.exit(77)

TABLE = Path(__file__).resolve().parent / "scipy_table.json"
TOLERANCE = 1e-9  # of two scipy versions; root finders stop there


def short(values):
    """Few digits, so that the table is short and its inputs exact."""
    return [float(f"{value:.4g}") for value in values]


def kolmogorov_smirnov(rng):
    cases = []
    for n, m, shift, digits in ((7, 9, 0.0, 4), (25, 40, 0.8, 4), (60, 60, 0.2, 1), (200, 150, 1.5, 4)):
        first = [round(float(v), digits) for v in 10 ** rng.normal(0, 0.5, n)]
        second = [round(float(v), digits) for v in 10 ** rng.normal(shift, 0.5, m)]
        exact = stats.ks_2samp(first, second, method="exact")
        scale = math.sqrt(n * m / (n + m))
        cases.append({"first": first, "second": second, "statistic": exact.statistic, "exact": exact.pvalue,
                      "limit": special.kolmogorov(scale * exact.statistic)})
    return {"samples": cases, "tail": [[x, special.kolmogorov(x)] for x in (0.2, 0.5, 0.8276, 0.999, 1.0, 1.001, 1.3581, 2.0, 3.5, 6.0)]}


def placements(values, others):
    others = np.asarray(others)
    return np.array([((others < v).sum() + (others <= v).sum()) / (2 * len(others)) for v in values])


def obuchowski(negatives, positives, v01, v10, area):
    """Variance of the area with clusters that may have samples on both sides; by matrix of clusters rather than by maps."""
    clusters = sorted({c for _, c in negatives} | {c for _, c in positives})
    sums = np.zeros((2, len(clusters)))
    for row, (side, v) in enumerate(((negatives, v01), (positives, v10))):
        for (_, cluster), value in zip(side, v):
            sums[row, clusters.index(cluster)] += value - area
    count = [len({c for _, c in side}) for side in (negatives, positives)]
    n, m = len(negatives), len(positives)
    factor = lambda k: k / (k - 1)
    return (factor(count[1]) * (sums[1] ** 2).sum() / m ** 2 + factor(count[0]) * (sums[0] ** 2).sum() / n ** 2
            + 2 * factor(len(clusters)) * (sums[0] * sums[1]).sum() / (m * n))


def areas(rng):
    cases = []
    for n, m, shift, digits, clusters in ((12, 9, 1.0, 4, 6), (40, 30, 0.5, 1, 8), (150, 90, 2.0, 2, 12)):
        first = [[round(float(v), digits), int(c)] for v, c in zip(10 ** rng.normal(0, 0.5, n), rng.integers(0, clusters, n))]
        second = [[round(float(v), digits), int(c)] for v, c in zip(10 ** rng.normal(shift, 0.5, m), rng.integers(0, clusters, m))]
        low, high = [v for v, _ in first], [v for v, _ in second]
        area = stats.mannwhitneyu(high, low).statistic / (n * m)
        v10, v01 = placements(high, low), 1 - placements(low, high)
        plain = math.sqrt(np.var(v10, ddof=1) / m + np.var(v01, ddof=1) / n)
        clustered = math.sqrt(obuchowski(first, second, v01, v10, area))
        z = stats.norm.ppf(0.975)
        cases.append({"conforming": first, "defective": second, "area": area, "plain_error": plain, "clustered_error": clustered,
                      "low": max(0.0, area - z * plain), "high": min(1.0, area + z * plain)})
    return cases


def log_cdf(link, eta):
    return special.log_ndtr(eta) if link == "probit" else -np.log1p(np.exp(-eta))


def density(link, eta):
    if link == "probit":
        return np.exp(-eta * eta / 2) / math.sqrt(2 * math.pi)
    return np.exp(-eta) / (1 + np.exp(-eta)) ** 2


def penalized(beta, x, seen, samples, link):
    """Log likelihood with Jeffreys' penalty, for complex beta too."""
    eta = beta[0] + beta[1] * x
    p, q = np.exp(log_cdf(link, eta)), np.exp(log_cdf(link, -eta))
    w = samples * density(link, eta) ** 2 / (p * q)
    determinant = w.sum() * (w * x * x).sum() - (w * x).sum() ** 2
    return (seen * log_cdf(link, eta) + (samples - seen) * log_cdf(link, -eta)).sum() + np.log(determinant) / 2, w


def gradient(beta, *data):
    """By complex steps, so without the formula that is to be checked."""
    step = 1e-30
    return [penalized(np.array([beta[0] + (1j * step if i == 0 else 0), beta[1] + (1j * step if i == 1 else 0)]), *data)[0].imag / step
            for i in (0, 1)]


def fits(rng):
    cases = []
    scales = np.logspace(-6, -1, 11)
    sigmoid = lambda centre, slope: 1 / (1 + np.exp(-slope * (np.log10(scales) - centre)))
    for what, seen, samples in (("smooth", rng.binomial(40, sigmoid(-3.2, 3.0)), 40), ("few", rng.binomial(3, sigmoid(-4.0, 1.5)), 3),
                                ("separated", np.where(scales > 3e-4, 10, 0), 10),
                                ("almost", np.where(scales > 3e-4, 20, np.where(scales > 5e-5, 7, 0)), 20)):
        for link in ("logistic", "probit"):
            x = np.log10([float(f"{s:.4g}") for s in scales])
            data = (x - x.mean(), seen.astype(float), np.full(len(x), float(samples)), link)
            root = optimize.root(gradient, [0.0, 1.0], args=data, tol=1e-14)
            b = root.x
            assert max(abs(v) for v in gradient(b, *data)) < 1e-9, (what, link, root)
            w = penalized(b, *data)[1]
            information = np.array([[w.sum(), (w * data[0]).sum()], [(w * data[0]).sum(), (w * data[0] ** 2).sum()]])
            covariance = np.linalg.inv(information)
            half = -b[0] / b[1]
            half_gradient = np.array([-1 / b[1], b[0] / b[1] ** 2])
            at = -3.0 - x.mean()
            spread = stats.norm.ppf(0.975) * math.sqrt(np.array([1, at]) @ covariance @ np.array([1, at]))
            probability = lambda eta: float(np.exp(log_cdf(link, eta)))
            cases.append({"what": what, "link": link, "scales": short(scales), "seen": [int(v) for v in seen], "samples": samples,
                          "log10_half": half + x.mean(), "slope": b[1], "slope_error": math.sqrt(covariance[1, 1]),
                          "log10_half_error": math.sqrt(half_gradient @ covariance @ half_gradient),
                          "band": [probability(b[0] + b[1] * at + sign * spread) for sign in (0, -1, 1)]})
    return cases


def densities(rng):
    values = short(10 ** np.concatenate([rng.normal(-7, 0.4, 60), rng.normal(-3, 0.2, 30)]))
    logs = np.sort(np.log10(values))
    quartiles = np.quantile(logs, [0.25, 0.75], method="inverted_cdf")
    bandwidth = 0.9 * min(np.std(logs, ddof=1), (quartiles[1] - quartiles[0]) / 1.34) * len(logs) ** -0.2
    grid = np.linspace(logs[0] - 3 * bandwidth, logs[-1] + 3 * bandwidth, 33)
    kde = stats.gaussian_kde(logs, bw_method=bandwidth / np.std(logs, ddof=1))
    return {"values": values, "bandwidth": bandwidth, "at": list(grid), "density": list(kde(grid))}


def false_alarms():
    return [[x, n, stats.beta.ppf(0.95, x + 1, n - x) if x < n else 1.0] for x, n in ((0, 20), (0, 300), (0, 20000), (1, 20), (3, 97), (20, 20))]


def philox(counter, key):
    """Philox4x32-10 on columns of counters."""
    c = [np.asarray(v, dtype=np.uint64) for v in counter]
    mask, k = np.uint64(0xFFFFFFFF), list(key)
    for _ in range(10):
        a, b = c[0] * np.uint64(0xD2511F53), c[2] * np.uint64(0xCD9E8D57)
        c = [(b >> np.uint64(32)) ^ c[1] ^ np.uint64(k[0]), b & mask, (a >> np.uint64(32)) ^ c[3] ^ np.uint64(k[1]), a & mask]
        k = [(k[0] + 0x9E3779B9) & 0xFFFFFFFF, (k[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return np.stack(c, axis=-1)


def draw(strata, clusters, replicate, seed):
    total = sum(len(s) for s in strata)
    blocks = np.arange((total + 3) // 4)
    zero = np.zeros_like(blocks)
    words = philox((blocks, zero + replicate, zero, zero), (seed & 0xFFFFFFFF, seed >> 32)).reshape(-1)[:total]
    weights, start = np.zeros(clusters, dtype=np.int64), 0
    for stratum in strata:
        picked = (words[start:start + len(stratum)] * np.uint64(len(stratum))) >> np.uint64(32)
        np.add.at(weights, np.array(stratum)[picked.astype(np.int64)], 1)
        start += len(stratum)
    return weights


def quantile(series, part, whole, weights):
    values, clusters = series
    repeated = np.repeat(values, weights[clusters])
    return repeated[max(1, -(-part * len(repeated) // whole)) - 1] if len(repeated) else math.nan


def intervals(original, drawn, left_out, strata):
    """Percentile and BCa, as core/calibration/bootstrap.h defines them."""
    drawn = np.sort(drawn[~np.isnan(drawn)])
    pick = lambda low, above: [float(drawn[min(max(math.floor(low * (len(drawn) + 1)), 1), len(drawn)) - 1]),
                               float(drawn[len(drawn) - min(max(math.floor(above * (len(drawn) + 1)), 1), len(drawn))])]
    tail = (1 - 0.95) / 2
    z0 = stats.norm.ppf(((drawn < original).sum() + (drawn <= original).sum()) / (2 * len(drawn)))
    cubes = squares = row = 0.0
    for stratum in strata:
        n, values = len(stratum), left_out[int(row):int(row) + len(stratum)]
        influence = (n - 1) * (values.mean() - values)
        cubes, squares, row = cubes + (influence ** 3).sum() / n ** 3, squares + (influence ** 2).sum() / n ** 2, row + n
    a = cubes / (6 * squares ** 1.5)
    moved = lambda z: z0 + (z0 + z) / (1 - a * (z0 + z))
    z = stats.norm.ppf(tail)
    return {"value": float(original), "percentile": pick(tail, tail), "bca": pick(stats.norm.cdf(moved(z)), stats.norm.cdf(-moved(-z)))}


def bootstrap(rng):
    seed, samples = (7 << 32) + 11, []
    for k in range(20):
        level = rng.normal(-2.5, 0.3)
        samples += [["conforming", f"c{k:02}", "", 0, v] for v in short(10 ** rng.normal(level, 0.2, 10))]
        if k % 2:
            samples += [["perturbed", f"c{k:02}", "spike", s, v] for s in (1e-4, 1e-3, 1e-2) for v in short(s * 1e3 * 10 ** rng.normal(level + 2.5, 0.3, 6))]
    for k in range(8):
        samples += [["defect", f"d{k:02}", "", 0, v] for v in short(10 ** rng.normal(1.5, 0.6, 5))]
    samples[3][4] = 0
    kernels = sorted({s[1] for s in samples})
    kinds = {name: frozenset(s[0] for s in samples if s[1] == name) for name in kernels}
    strata = [[i for i, name in enumerate(kernels) if kinds[name] == kind]
              for kind in ({"conforming"}, {"conforming", "perturbed"}, {"defect"})]

    def series(keep):
        rows = sorted((s[4], kernels.index(s[1])) for s in samples if keep(s))
        return np.array([v for v, _ in rows]), np.array([c for _, c in rows])

    floors = series(lambda s: s[0] == "conforming")
    seen = [series(lambda s: s[0] == "perturbed" and s[3] == 1e-3), series(lambda s: s[0] == "defect")]

    def statistics(weights):
        floor = math.log10(quantile(floors, 999, 1000, weights))
        onset = math.log10(np.nanmin([quantile(s, 1, 100, weights) for s in seen]))
        return floor, onset, (floor + onset) / 2

    one = np.ones(len(kernels), dtype=np.int64)
    original = statistics(one)
    drawn = np.array([statistics(draw(strata, len(kernels), b, seed)) for b in range(2000)])
    without = lambda c: np.where(np.arange(len(kernels)) == c, 0, 1)
    left_out = np.array([statistics(without(c)) for stratum in strata for c in stratum])
    columns = lambda f: (f(original), f(drawn.T), f(left_out.T))
    derived = {"floor": columns(lambda s: s[0]), "onset": columns(lambda s: s[1]), "threshold": columns(lambda s: s[2]),
               "below": columns(lambda s: original[2] - s[0]), "above": columns(lambda s: s[1] - original[2])}
    first = draw(strata, len(kernels), 0, seed)
    return {"seed": str(seed), "samples": samples, "weights": [int(v) for v in first],
            "estimates": {name: intervals(*parts, strata) for name, parts in derived.items()}}


def compute():
    rng = np.random.default_rng(20)
    return {"kolmogorov_smirnov": kolmogorov_smirnov(rng), "auc": areas(rng), "detection": fits(rng), "density": densities(rng),
            "false_alarms": false_alarms(), "bootstrap": bootstrap(rng)}


def differences(old, new, path=""):
    if isinstance(old, dict) and isinstance(new, dict) and old.keys() == new.keys():
        for key in old:
            yield from differences(old[key], new[key], f"{path}.{key}")
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for i, (a, b) in enumerate(zip(old, new)):
            yield from differences(a, b, f"{path}[{i}]")
    elif isinstance(old, (int, float)) and isinstance(new, (int, float)):
        if not math.isclose(old, new, rel_tol=TOLERANCE, abs_tol=TOLERANCE * 1e-3):
            yield f"{path}: {old!r} in the table, {new!r} now"
    elif old != new:
        yield f"{path}: {old!r} in the table, {new!r} now"


def main():
    table = json.loads(json.dumps(compute(), default=float))
    if "--check" not in sys.argv[1:]:
        lines = ",\n".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in table.items())
        TABLE.write_text("{\n" + lines + "\n}\n", encoding="utf-8")
        return 0
    found = list(differences(json.loads(TABLE.read_text(encoding="utf-8")), table))
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
