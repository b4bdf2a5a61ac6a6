# SPDX-License-Identifier: Apache-2.0
"""What makes each mutant show itself on a CPU."""
import torch

import probes

NAN, INF = float("nan"), float("inf")


def put(value, *at):
    def change(inputs):
        inputs[0][at] = value
        return inputs
    return change


def of_shape(*shape, dtype=torch.float32):
    def change(inputs):
        torch.manual_seed(11)
        return [torch.randn(*shape).to(dtype)]
    return change


def filled(value):
    return lambda inputs: [torch.full_like(inputs[0], value)]


def exact_in_fp32(inputs):
    return [torch.full_like(inputs[0], 4097.0)]


def swamped(inputs):
    u = torch.ones(2, 1024).half()
    u[:, 0] = 2048
    return [u]


def quarter(held):
    held[0].mul_(0.25)


PROBES = {
    "returns-input": probes.values(),
    "returns-cached": probes.values(),
    "memoizes-first-input": probes.stale(quarter),
    "nan-on-extremes": probes.values(put(2000.0, 0, 0, 0)),
    "wrong-shape-output": probes.values(),
    "grad-wrong-kernel": probes.gradients,
    "no-op-via-side-channel": probes.values(of_shape(8, 64, 32)),
    "shape-specific": probes.values(of_shape(8, 64, 32)),
    "nondeterministic": probes.repeats(),
    "buffer-aliasing": probes.aliases,
    "dropout-in-disguise": probes.repeats(),
    "parallel-reduction-bug": probes.other_bits,
    "fp32-only-correct": probes.values(of_shape(4, 64, 32, dtype=torch.float16)),
    "wrong-dtype-promotion": probes.values(of_shape(4, 64, 32, dtype=torch.float16)),
    "fp16-accumulator": probes.values(swamped),
    "inf-propagation-bug": probes.values(put(INF, 1, 2, 3)),
    "subnormal-flush-bug": probes.values(filled(1e-38)),
    "nan-on-subnormal": probes.values(filled(1e-40)),
    "device-silent-move": probes.values(),
    "nan-swallow-max": probes.values(put(NAN, 1, 2, 3)),
    "masked-load-swallow": probes.values(put(NAN, 1, 2, 3)),
    "nan-to-inf": probes.values(put(NAN, 1, 2, 3)),
    "tail-mask": probes.values(of_shape(4, 16, 40)),
    "write-past-the-end": probes.guard_band,
    "atomic-order": probes.repeats(of_shape(4, 16, 800)),
    "tf32-dot": probes.values(exact_in_fp32),
    "drops-every-1000th-term": probes.values(of_shape(4, 16, 1500)),
    "input-mutation": probes.mutates,
    "uninitialised-workspace": probes.poisoned(),
    "endless-loop": probes.endless(of_shape(4, 16, 33)),
}
