# SPDX-License-Identifier: Apache-2.0
"""What makes each defective pair show itself, and what each correct one has to survive."""
import torch

import probes

NAN, INF = float("nan"), float("inf")


def put(value, at, which=0):
    def change(inputs):
        inputs[which][at] = value
        return inputs
    return change


def made(*makers):
    def change(inputs):
        torch.manual_seed(11)
        return [maker() for maker in makers]
    return change


def randn(*shape):
    return lambda: torch.randn(*shape)


def ones(*shape, dtype=torch.float32):
    return lambda: torch.ones(*shape, dtype=dtype)


def every(function):
    return lambda inputs: [function(value) for value in inputs]


def only(which, function):
    return lambda inputs: [function(value) if i == which else value for i, value in enumerate(inputs)]


def raised(which, region):
    """Adds one to a region of one input."""
    def change(inputs):
        inputs[which][region] += 1.0
        return inputs
    return change


def swamped():
    a = torch.ones(3, 1024).half()
    a[:, 0] = 2048
    return a


def transposed(value):
    return value.transpose(-1, -2).contiguous().transpose(-1, -2)


def halve(held):
    for value in held:
        value.mul_(0.5)


def change_tail(held):
    held[0].view(-1)[8:].mul_(0.5)


def nothing(held):
    pass


def scale_state(model):
    for value in [*model.parameters(), *model.buffers()]:
        if value.is_floating_point():
            value.mul_(1.5).add_(0.25)


EVERYTHING = slice(None)
DEFECTS = {
    "column-minimum-tree": probes.values(put(NAN, (7, 3))),
    "absmax-quantizer-scale": probes.values(put(NAN, (5, 100))),
    "padded-key-attention": probes.values(put(0.0, 1, which=3)),
    "masked-mean-pooling": probes.values(put(0.0, 2, which=1)),
    "rmsnorm-per-block": probes.values(made(randn(2, 20, 700))),
    "logsumexp-first-tile": probes.values(made(randn(40, 800))),
    "l1-row-shares": probes.values(put(0.0, 3)),
    "standardize-constant-column": probes.values(put(2.0, (EVERYTHING, 5))),
    "peak-over-windows-1d": probes.values(put(NAN, (0, 0, slice(10, 13)))),
    "global-peak-small-sentinel": probes.values(put(-INF, (1, 2))),
    "gate-from-growing-exponential": probes.values(put(95.0, (0, 0))),
    "gelu-tanh-by-exponentials": probes.values(put(14.0, (0, 0, 0))),
    "leaky-slope-flush": probes.values(every(lambda z: torch.full_like(z, -1e-37))),
    "residual-add-daz": probes.values(every(lambda z: torch.full_like(z, 1e-39))),
    "optimizer-step-of-nothing": probes.values(),
    "covariance-of-small-signals": probes.values(),
    "huber-on-even-columns": probes.values(raised(0, (EVERYTHING, slice(1, None, 2)))),
    "channel-mean-on-half-the-lines": probes.values(raised(0, (EVERYTHING, EVERYTHING, slice(1, None, 2)))),
    "group-norm-from-two-sums": probes.values(every(lambda z: 1e4 + 0.1 * z)),
    "variance-from-two-sums": probes.values(every(lambda z: 1e4 + 0.1 * z)),
    "half-gemm-half-accumulator": probes.values(made(swamped, ones(1024, 5, dtype=torch.float16))),
    "bf16-running-total": probes.values(made(ones(2, 1024, dtype=torch.bfloat16))),
    "ema-over-fixed-time": probes.values(made(randn(5, 90, 24))),
    "twelve-heads-only": probes.values(made(randn(2, 13, 20, 16), randn(2, 13, 20, 16), randn(2, 13, 20, 16))),
    "row-blocks-floor": probes.poisoned(made(randn(75, 80))),
    "tiled-transpose-floor": probes.poisoned(made(randn(65, 113))),
    "row-total-flat-walk": probes.values(only(0, transposed)),
    "second-operand-flat-walk": probes.values(only(1, transposed)),
    "pointwise-conv-first-channels": probes.accepts(made(randn(2, 18, 14, 11))),
    "projection-shorter-contraction": probes.accepts(made(randn(3, 17, 60))),
    "split-k-arrival-order": probes.repeats(),
    "bin-totals-by-racing-lanes": probes.repeats(),
    "pair-of-pointers": probes.stale(halve),
    "fingerprint-of-a-prefix": probes.stale(change_tail),
    "residual-added-in-place": probes.mutates,
    "selection-strikes-out-winners": probes.mutates,
    "always-bfloat16": probes.values(every(lambda z: z.float())),
    "mean-buffer-float32": probes.values(every(lambda z: z.half())),
    "conv-on-detached-weight": probes.gradients,
    "norm-backward-forgets-gamma": probes.gradients,
    "adapter-merged-once": probes.stale(nothing, scale_state),
    "folded-batch-norm": probes.stale(nothing, scale_state),
    "nearest-code-last-wins": probes.values(made(lambda: torch.randint(0, 4, (75, 60)).float())),
    "maximum-with-index-folded": probes.values(made(lambda: torch.randint(0, 4, (33, 128)).float())),
    "layer-norm-row-on-chip": probes.values(made(randn(3, 16384))),
    "attention-scores-in-one-tile": probes.values(made(randn(2, 16, 24), randn(2, 640, 24), randn(2, 640, 24))),
    "concatenates-no-parts": probes.values(made(randn(0, 4, 50))),
    "flatten-with-minus-one": probes.values(made(randn(0, 3, 12, 13))),
}
ISOLATED = ("looks-into-callers-frames", "calls-the-reference", "every-close-is-true", "patches-at-first-call")
CORRECT = {
    "dot-in-eight-lanes": [made(randn(5, 701), randn(5, 701)), put(NAN, (3, 100))],
    "two-stage-mean": [made(randn(2, 1, 17)), put(INF, (3, 4, 5))],
    "nan-aware-average": [put(NAN, (slice(None), slice(0, 9))), put(NAN, 4), put(INF, (1, 1))],
    "positive-part-by-selection": [put(NAN, (3, 5)), put(-INF, (3, 5)), put(INF, (3, 5))],
    "clip-that-keeps-numbers": [put(NAN, 2), put(INF, 2), put(-INF, 2)],
    "peak-of-valid-readings": [put(NAN, (3, 5)), put(NAN, 3), put(-INF, 3)],
    "conv-by-unfolding": [put(NAN, (0, 1, 5, 5)), made(randn(3, 5, 7, 9))],
    "norm-with-fixed-width": [put(NAN, (0, 1, 5)), every(lambda z: 100.0 + z)],
    "noise-layer-in-training": [put(NAN, (3, 5))],
    "reparameterized-sample": [put(NAN, (3, 5)), put(100.0, (0, 0), which=1)],
    "extremes-of-rows": [put(NAN, (0, 1, 5)), put(INF, (0, 1, 5))],
    "recurrent-cell-with-state": [put(NAN, (0, 5)), put(NAN, (3, 4), which=2)],
    "cross-entropy-scalar": [put(NAN, (3, 5)), put(90.0, (3, 5))],
    "count-of-positives": [put(NAN, (3, 5)), made(randn(0, 19))],
    "prefix-sum-of-nothing": [made(randn(0, 100)), made(randn(4, 0)), put(NAN, (3, 50))],
    "product-over-no-terms": [made(randn(2, 3, 0), randn(2, 0, 4)), made(randn(0, 3, 5), randn(0, 5, 4))],
    "noise-gate": [every(lambda z: 1e-30 * z), put(NAN, (3, 5)), every(lambda z: torch.full_like(z, 1e-40))],
    "sixteenth-steps": [every(lambda z: torch.full_like(z, 1e-40)), every(lambda z: torch.round(z * 8) / 32), put(NAN, (3, 5))],
    "difference-turned-round": [put(NAN, (3, 5)), put(INF, (3, 5)), every(torch.zeros_like)],
    "clamp-that-loses-the-sign": [put(NAN, (3, 5)), put(-0.0, 3)],
    "affine-in-place": [put(NAN, (3, 5))],
    "cache-append": [put(NAN, (0, 2, 5), which=1)],
}
