# SPDX-License-Identifier: Apache-2.0
"""How far two harnesses agree, without torch and without the C++ side: GPU machines have only a Python.

The same definitions as core/sampling (wilson.h, agreement.h); the tests of both hold the same published values.
"""

import math
import statistics
from fractions import Fraction

Z95 = statistics.NormalDist().inv_cdf(0.975)


def wilson(successes, trials):
    """95 % Wilson score interval [low, high]; [0, 1] without trials."""
    if trials == 0:
        return [0.0, 1.0]
    share, z2 = successes / trials, Z95 * Z95
    centre = share + z2 / (2 * trials)
    spread = Z95 * math.sqrt(share * (1 - share) / trials + z2 / (4 * trials * trials))
    scale = 1 + z2 / trials
    return [max(0.0, (centre - spread) / scale), min(1.0, (centre + spread) / scale)]


def cohen_kappa(both_pass, pass_fail, fail_pass, both_fail):
    """Cohen's kappa, or None where it is undefined: no items, or one same answer for all of them."""
    total = both_pass + pass_fail + fail_pass + both_fail
    if total in (0, both_pass, both_fail):
        return None
    observed = Fraction(both_pass + both_fail, total)
    expected = Fraction((both_pass + pass_fail) * (both_pass + fail_pass) + (fail_pass + both_fail) * (pass_fail + both_fail), total**2)
    return float((observed - expected) / (1 - expected))


def mcnemar_exact(pass_fail, fail_pass):
    """Two-sided exact p over the discordant items, 1 where there are none."""
    discordant = pass_fail + fail_pass
    tail = sum(math.comb(discordant, k) for k in range(min(pass_fail, fail_pass) + 1))
    return float(min(Fraction(1), Fraction(2 * tail, 2**discordant)))


def summary(both_pass, pass_fail, fail_pass, both_fail):
    """Everything the study prints about a two-by-two table; the first judge is the harness itself."""
    total = both_pass + pass_fail + fail_pass + both_fail
    agreed = both_pass + both_fail
    return {
        "pass_pass": both_pass,
        "pass_fail": pass_fail,
        "fail_pass": fail_pass,
        "fail_fail": both_fail,
        "judged": total,
        "agreement": agreed / total if total else None,
        "wilson95": wilson(agreed, total),
        "kappa": cohen_kappa(both_pass, pass_fail, fail_pass, both_fail),
        "pabak": 2 * agreed / total - 1 if total else None,
        "mcnemar_exact_p": mcnemar_exact(pass_fail, fail_pass),
    }
