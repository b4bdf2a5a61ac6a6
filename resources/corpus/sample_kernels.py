# SPDX-License-Identifier: Apache-2.0
"""The kernels of the sample corpus: bases, and variants that differ from their base in one named place."""
import dataclasses
import re


@dataclasses.dataclass
class Kernel:
    id: str
    title: str
    family: str
    reference: str
    candidate: str
    shape: list
    speedup: float = 1.0
    elapsed: float = 1.0
    claimed: bool = True
    status: str = "gated"
    error: str = ""
    aliasing: bool = False
    gates: dict = dataclasses.field(default_factory=dict)
    hard: tuple = ()


@dataclasses.dataclass
class RunEntry:
    title: str
    reference: str
    candidate: object
    result: object


KERNELS = []
RUN_FOLDER = []


def reference(forward, inputs, init="", arguments="", init_inputs="[]"):
    constructor = f"    def __init__(self{', ' + arguments if arguments else ''}):\n        super().__init__()\n"
    for line in filter(None, init.split("\n")):
        constructor += f"        {line}\n"
    body = "\n".join("        " + line for line in forward.strip().split("\n"))
    names = ", ".join(name for name, _ in inputs)
    makers = ", ".join(maker for _, maker in inputs)
    return (f"import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n\n\nclass Model(nn.Module):\n{constructor}\n"
            f"    def forward(self, {names}):\n{body}\n\n\ndef get_inputs():\n    return [{makers}]\n\n\n"
            f"def get_init_inputs():\n    return {init_inputs}\n")


TRITON_HEAD = "import torch\nimport torch.nn as nn\nimport triton\nimport triton.language as tl\n\n\n"


def changed(source, *changes):
    """The base with each (old, new) applied once; a change that finds nothing is a mistake in this file."""
    for old, new in changes:
        if source.count(old) < 1:
            raise ValueError(f"nothing to change: {old!r}")
        source = source.replace(old, new, 1)
    return source


_next = [100]


def grossly_wrong(gates):
    found = re.search(r"random\[0\]: max_err=([0-9.e+-]+) > ", gates.get("CMP-01", ("", ""))[1])
    return bool(found) and 0.05 < float(found[1]) < 1e6


def add(title, family, ref, candidate, shape, **facts):
    _next[0] += 1
    number = _next[0]
    speedup = facts.pop("speedup", round(0.6 + (number * 37 % 29) / 10, 3))
    if grossly_wrong(facts.get("gates", {})):
        # A five-trial check at 1e-2 sees this one: the corpus does not claim it correct.
        speedup, facts["claimed"] = 0.0, False
    elapsed = facts.pop("elapsed", round(1.2 + (number * 53 % 31) / 10, 1))
    KERNELS.append(Kernel(str(number), title, family, ref, candidate, shape, speedup=speedup, elapsed=elapsed, **facts))


def fails(**reasons):
    return {gate.replace("_", "-"): ("fail", reason) for gate, reason in reasons.items()}


def states(**pairs):
    return {gate.replace("_", "-"): pair for gate, pair in pairs.items()}


# ---------------------------------------------------------------------------------------------------------------- elementwise
RELU_REF = reference("return torch.relu(x)", [("x", "torch.randn(64, 1024)")])
RELU = TRITON_HEAD + '''@triton.jit
def relu_kernel(x_ptr, y_ptr, count, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < count
    x = tl.load(x_ptr + offsets, mask=inside)
    y = tl.where(x != x, x, tl.where(x > 0, x, 0.0))
    tl.store(y_ptr + offsets, y, mask=inside)


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        y = torch.empty_like(x)
        relu_kernel[(triton.cdiv(x.numel(), 1024),)](x, y, x.numel(), BLOCK=1024)
        return y
'''
NAN_SWALLOWED = "scattered_nan: NaN mask mismatch"
add("ReLU", "elementwise", RELU_REF, RELU, [64, 1024])
add("ReLU that loses NaN in a comparison", "elementwise", RELU_REF,
    changed(RELU, ("tl.where(x != x, x, tl.where(x > 0, x, 0.0))", "tl.where(x > 0, x, 0.0)")), [64, 1024],
    gates=fails(EXC_01=NAN_SWALLOWED))
add("ReLU on whole blocks only", "elementwise", RELU_REF,
    changed(RELU, ("triton.cdiv(x.numel(), 1024)", "x.numel() // 1024")), [64, 1024],
    gates=fails(CMP_03="shape=(63, 1000): max_err=3.881e+00 > atol=1.000e-05"))
add("ReLU in half precision inside", "elementwise", RELU_REF,
    changed(RELU, ("mask=inside)\n    y", "mask=inside).to(tl.float16).to(tl.float32)\n    y")), [64, 1024],
    gates=fails(CMP_01="random[0]: max_err=1.941e-03 > atol=1.218e-04 (scaled)", EXC_02="flush-to-zero behaviour disagrees with reference"))

GELU_REF = reference("return F.gelu(x)", [("x", "torch.randn(128, 512)")])
GELU = changed(RELU, ("relu_kernel", "gelu_kernel"), ("relu_kernel", "gelu_kernel"),
               ("tl.where(x != x, x, tl.where(x > 0, x, 0.0))", "0.5 * x * (1.0 + tl.erf(x * 0.7071067811865476))"))
add("GELU", "elementwise", GELU_REF, GELU, [128, 512])
add("GELU by the tanh formula", "elementwise", GELU_REF,
    changed(GELU, ("tl.erf(x * 0.7071067811865476)", "(2.0 * tl.sigmoid(1.5957691216 * (x + 0.044715 * x * x * x)) - 1.0)")), [128, 512],
    gates=fails(CMP_01="random[0]: max_err=4.730e-04 > atol=1.218e-04 (scaled)"))
SIGMOID_REF = reference("return torch.sigmoid(x)", [("x", "torch.randn(256, 256)")])
SIGMOID = changed(GELU, ("gelu_kernel", "sigmoid_kernel"), ("gelu_kernel", "sigmoid_kernel"),
                  ("0.5 * x * (1.0 + tl.erf(x * 0.7071067811865476))", "1.0 / (1.0 + tl.exp(-x))"))
add("Sigmoid", "elementwise", SIGMOID_REF, SIGMOID, [256, 256])
add("Sigmoid from a ratio of exponentials", "elementwise", SIGMOID_REF,
    changed(SIGMOID, ("1.0 / (1.0 + tl.exp(-x))", "tl.exp(x) / (1.0 + tl.exp(x))")), [256, 256],
    gates=fails(EXC_01="scattered_pos_inf: NaN mask mismatch", CMP_01="large_1e6: max_err=nan > atol=1.218e-04 (scaled)"))
add("Sigmoid that writes into its input", "elementwise", SIGMOID_REF,
    changed(SIGMOID, ("y = torch.empty_like(x)", "y = x")), [256, 256], aliasing=True,
    gates=fails(ORD_02="output storage is the input's storage"))

# -------------------------------------------------------------------------------------------------------------------- softmax
SOFTMAX_REF = reference("return torch.softmax(x, dim=-1)", [("x", "torch.randn(64, 1000)")])
SOFTMAX = TRITON_HEAD + '''@triton.jit
def softmax_kernel(x_ptr, y_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    offsets = tl.arange(0, BLOCK)
    inside = offsets < columns
    x = tl.load(x_ptr + row * columns + offsets, mask=inside, other=-float("inf"))
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(y_ptr + row * columns + offsets, e / tl.sum(e, axis=0), mask=inside)


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        y = torch.empty_like(x)
        columns = x.shape[-1]
        softmax_kernel[(x.numel() // columns,)](x, y, columns, BLOCK=triton.next_power_of_2(columns))
        return y
'''
add("Softmax over rows", "softmax", SOFTMAX_REF, SOFTMAX, [64, 1000])
add("Softmax without the row maximum", "softmax", SOFTMAX_REF, changed(SOFTMAX, ("x - tl.max(x, axis=0)", "x")), [64, 1000],
    gates=fails(CMP_01="large_1e6: max_err=nan > atol=1.000e-05 (scaled)"))
add("Softmax in one fixed tile", "softmax", SOFTMAX_REF,
    changed(SOFTMAX, ("BLOCK=triton.next_power_of_2(columns)", "BLOCK=1024")), [64, 1000],
    gates=fails(CMP_03="shape=(64, 4000): max_err=2.974e-01 > atol=1.000e-05"))
add("Softmax padded with zeros", "softmax", SOFTMAX_REF, changed(SOFTMAX, ('other=-float("inf")', "other=0.0")), [64, 1000],
    gates=fails(CMP_01="random[0]: max_err=1.207e-03 > atol=1.218e-04 (scaled)", CMP_03="shape=(64, 501): max_err=1.744e-03 > atol=1.000e-05",
                ORD_01="max_err=1.207e-03 > atol=1.205e-04"))
LOGSOFTMAX_REF = reference("return torch.log_softmax(x, dim=-1)", [("x", "torch.randn(64, 1000)")])
add("Log-softmax", "softmax", LOGSOFTMAX_REF,
    changed(SOFTMAX, ("e / tl.sum(e, axis=0)", "x - tl.max(x, axis=0) - tl.log(tl.sum(e, axis=0))")), [64, 1000])
add("Log-softmax as log of softmax", "softmax", LOGSOFTMAX_REF, changed(SOFTMAX, ("e / tl.sum(e, axis=0)", "tl.log(e / tl.sum(e, axis=0))")),
    [64, 1000], gates=fails(CMP_01="large_1e6: max_err=inf > atol=1.218e-04 (scaled)"))

# ----------------------------------------------------------------------------------------------------------------------- norm
LAYERNORM_REF = reference("return F.layer_norm(x, (x.shape[-1],))", [("x", "torch.randn(128, 768)")])
LAYERNORM = TRITON_HEAD + '''@triton.jit
def layer_norm_kernel(x_ptr, y_ptr, columns, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    offsets = tl.arange(0, BLOCK)
    inside = offsets < columns
    x = tl.load(x_ptr + row * columns + offsets, mask=inside, other=0.0).to(tl.float32)
    mean = tl.sum(x, axis=0) / columns
    centred = tl.where(inside, x - mean, 0.0)
    variance = tl.sum(centred * centred, axis=0) / columns
    tl.store(y_ptr + row * columns + offsets, centred / tl.sqrt(variance + eps), mask=inside)


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        y = torch.empty_like(x)
        columns = x.shape[-1]
        layer_norm_kernel[(x.numel() // columns,)](x, y, columns, 1e-5, BLOCK=triton.next_power_of_2(columns))
        return y
'''
add("Layer norm", "norm", LAYERNORM_REF, LAYERNORM, [128, 768])
add("Layer norm with one-pass variance", "norm", LAYERNORM_REF,
    changed(LAYERNORM, ("tl.sum(centred * centred, axis=0) / columns", "tl.sum(x * x, axis=0) / columns - mean * mean")), [128, 768],
    gates=fails(ORD_03="not within atol=1.0e-03/rtol=1.0e-03: max_err=7.311e-01 (reduction order differs)",
                CMP_01="large_1e6: max_err=3.162e+02 > atol=1.493e-04 (scaled)"))
add("Layer norm over the padded width", "norm", LAYERNORM_REF, changed(LAYERNORM, ("axis=0) / columns", "axis=0) / BLOCK")), [128, 768],
    gates=fails(CMP_01="random[0]: max_err=2.210e-02 > atol=1.493e-04 (scaled)", ORD_01="max_err=2.210e-02 > atol=1.493e-04"))
add("Layer norm with eps outside the root", "norm", LAYERNORM_REF,
    changed(LAYERNORM, ("tl.sqrt(variance + eps)", "(tl.sqrt(variance) + eps)")), [128, 768],
    gates=fails(CMP_01="small_1e-6: max_err=1.808e-01 > atol=1.493e-04 (scaled)"))
RMSNORM_REF = reference("return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6)", [("x", "torch.randn(256, 1024)")])
RMSNORM = changed(LAYERNORM, ("centred = tl.where(inside, x - mean, 0.0)\n    variance = tl.sum(centred * centred, axis=0) / columns",
                              "variance = tl.sum(x * x, axis=0) / columns"),
                  ("    mean = tl.sum(x, axis=0) / columns\n", ""), ("centred / tl.sqrt", "x / tl.sqrt"), ("1e-5", "1e-6"))
add("RMS norm", "norm", RMSNORM_REF, RMSNORM, [256, 1024])
add("RMS norm summed in half precision", "norm", RMSNORM_REF,
    changed(RMSNORM, ("tl.sum(x * x, axis=0)", "tl.sum((x * x).to(tl.float16), axis=0).to(tl.float32)")), [256, 1024],
    gates=fails(PRC_02="max_err=3.410e-02 exceeds atol=2.000e-02 + rtol=0.0*|ref|", ORD_01="max_err=2.881e-03 > atol=2.441e-04"))
BATCHNORM_REF = reference("return self.norm(x)", [("x", "torch.randn(16, 32, 14, 14)")], init="self.norm = nn.BatchNorm2d(32)")
add("Batch norm that ignores the running statistics in eval mode", "norm", BATCHNORM_REF, '''import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm2d(32)

    def forward(self, x):
        mean = x.mean((0, 2, 3), keepdim=True)
        variance = x.var((0, 2, 3), unbiased=False, keepdim=True)
        scaled = (x - mean) * torch.rsqrt(variance + self.norm.eps)
        return scaled * self.norm.weight.view(1, -1, 1, 1) + self.norm.bias.view(1, -1, 1, 1)
''', [16, 32, 14, 14], gates=fails(ORD_02="eval mode: batch statistics are used where the reference uses the running ones"))

# ------------------------------------------------------------------------------------------------------------------ reduction
SUM_REF = reference("return x.sum(dim=-1)", [("x", "torch.randn(512, 2048)")])
SUM = TRITON_HEAD + '''@triton.jit
def row_sum_kernel(x_ptr, y_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for start in range(0, columns, BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        total += tl.load(x_ptr + row * columns + offsets, mask=offsets < columns, other=0.0).to(tl.float32)
    tl.store(y_ptr + row, tl.sum(total, axis=0))


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        y = torch.empty(x.shape[:-1], device=x.device, dtype=x.dtype)
        row_sum_kernel[(y.numel(),)](x, y, x.shape[-1], BLOCK=256)
        return y
'''
add("Row sum", "reduction", SUM_REF, SUM, [512, 2048])
add("Row sum with a half-precision accumulator", "reduction", SUM_REF,
    changed(SUM, ("dtype=tl.float32)", "dtype=tl.float16)"), ("other=0.0).to(tl.float32)", "other=0.0).to(tl.float16)")), [512, 2048],
    gates=fails(PRC_02="max_err=1.317e-01 exceeds atol=2.000e-02 + rtol=0.0*|ref|", CMP_01="random[0]: max_err=9.281e-02 > atol=4.874e-04 (scaled)",
                ORD_01="max_err=9.281e-02 > atol=4.874e-04"))
add("Row sum by unordered atomics", "reduction", SUM_REF,
    changed(SUM, ("    total = tl.zeros((BLOCK,), dtype=tl.float32)\n", ""),
            ("        total += tl.load", "        part = tl.load"),
            ("    tl.store(y_ptr + row, tl.sum(total, axis=0))", "        tl.atomic_add(y_ptr + row, tl.sum(part, axis=0))"),
            ("torch.empty(x.shape", "torch.zeros(x.shape")), [512, 2048],
    gates=fails(ORD_02="run 0 and run 1 differ (non-deterministic)"))
add("Row sum that forgets the last block", "reduction", SUM_REF,
    changed(SUM, ("range(0, columns, BLOCK)", "range(0, columns - BLOCK, BLOCK)")), [512, 2048],
    gates=fails(CMP_01="random[0]: max_err=5.312e+01 > atol=4.874e-04 (scaled)", ORD_01="max_err=5.312e+01 > atol=4.874e-04",
                CMP_03="shape=(256, 2048): max_err=4.900e+01 > atol=4.874e-04"))
MAX_REF = reference("return x.amax(dim=-1)", [("x", "torch.randn(512, 1500)")])
MAX = changed(SUM, ("row_sum_kernel", "row_max_kernel"), ("row_sum_kernel", "row_max_kernel"),
              ("tl.zeros((BLOCK,), dtype=tl.float32)", 'tl.full((BLOCK,), -float("inf"), dtype=tl.float32)'),
              ("total += tl.load(x_ptr + row * columns + offsets, mask=offsets < columns, other=0.0).to(tl.float32)",
               'x = tl.load(x_ptr + row * columns + offsets, mask=offsets < columns, other=-float("inf")).to(tl.float32)\n'
               "        total = tl.maximum(total, x, propagate_nan=tl.PropagateNan.ALL)"),
              ("tl.store(y_ptr + row, tl.sum(total, axis=0))",
               "nan = tl.sum((total != total).to(tl.int32), axis=0) > 0\n"
               '    tl.store(y_ptr + row, tl.where(nan, float("nan"), tl.max(total, axis=0)))'))
add("Row maximum", "reduction", MAX_REF, MAX, [512, 1500])
add("Row maximum that skips NaN", "reduction", MAX_REF,
    changed(MAX, (", propagate_nan=tl.PropagateNan.ALL", ""), ('tl.where(nan, float("nan"), tl.max(total, axis=0))', "tl.max(total, axis=0)")),
    [512, 1500], gates=fails(EXC_01=NAN_SWALLOWED))
add("Row maximum that starts at zero", "reduction", MAX_REF, changed(MAX, ('tl.full((BLOCK,), -float("inf"), dtype=tl.float32)', "tl.zeros((BLOCK,), dtype=tl.float32)")),
    [512, 1500], gates=fails(CMP_01="negative: max_err=2.481e+00 > atol=1.000e-05 (scaled)", EXC_01="scattered_neg_inf: -Inf mask mismatch (sign flip?)"))
MEAN_REF = reference("return x.mean(dim=-1)", [("x", "torch.randn(300, 1000)")])
add("Row mean", "reduction", MEAN_REF, changed(SUM, ("tl.sum(total, axis=0))", "tl.sum(total, axis=0) / columns)")), [300, 1000])
add("Row mean divided by a fixed width", "reduction", MEAN_REF, changed(SUM, ("tl.sum(total, axis=0))", "tl.sum(total, axis=0) / 1000)")), [300, 1000],
    gates=fails(CMP_03="shape=(300, 500): max_err=6.120e-02 > atol=1.000e-05"))
ARGMAX_REF = reference("return x.argmax(dim=-1)", [("x", "torch.randn(256, 512)")])
add("Argmax that takes the last of equals", "reduction", ARGMAX_REF, '''import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return x.shape[-1] - 1 - x.flip(-1).argmax(dim=-1)
''', [256, 512], gates=fails(CMP_01="ties: index differs at 191 of 256 rows"), hard=("CMP-01",))

# --------------------------------------------------------------------------------------------------------------------- matmul
MATMUL_REF = reference("return a @ b", [("a", "torch.randn(256, 384)"), ("b", "torch.randn(384, 192)")])
MATMUL = TRITON_HEAD + '''@triton.jit
def matmul_kernel(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for start in range(0, K, BK):
        k = start + tl.arange(0, BK)
        a = tl.load(a_ptr + rows[:, None] * K + k[None, :], mask=(rows[:, None] < M) & (k[None, :] < K), other=0.0)
        b = tl.load(b_ptr + k[:, None] * N + columns[None, :], mask=(k[:, None] < K) & (columns[None, :] < N), other=0.0)
        total += tl.dot(a, b, input_precision="ieee")
    tl.store(c_ptr + rows[:, None] * N + columns[None, :], total, mask=(rows[:, None] < M) & (columns[None, :] < N))


class ModelNew(nn.Module):
    def forward(self, a, b):
        a, b = a.contiguous(), b.contiguous()
        (M, K), N = a.shape, b.shape[1]
        c = torch.empty((M, N), device=a.device, dtype=a.dtype)
        matmul_kernel[(triton.cdiv(M, 64), triton.cdiv(N, 64))](a, b, c, M, N, K, BM=64, BN=64, BK=32)
        return c
'''
add("Matrix product", "matmul", MATMUL_REF, MATMUL, [256, 384])
add("Matrix product in TF32", "matmul", MATMUL_REF, changed(MATMUL, (', input_precision="ieee"', "")), [256, 384],
    gates=fails(CMP_01="random[0]: max_err=2.413e-02 > atol=1.493e-04 (scaled)", ORD_01="max_err=2.413e-02 > atol=8.130e-03"))
add("Matrix product with half-precision operands", "matmul", MATMUL_REF,
    changed(MATMUL, ("tl.dot(a, b", "tl.dot(a.to(tl.float16), b.to(tl.float16)")), [256, 384],
    gates=fails(CMP_01="random[0]: max_err=2.911e-02 > atol=1.493e-04 (scaled)", PRC_02="max_err=inf exceeds atol=2.000e-02 + rtol=0.0*|ref|",
                EXC_01="scattered_pos_inf: NaN mask mismatch"))
add("Matrix product that drops the K tail", "matmul", MATMUL_REF,
    changed(MATMUL, ("range(0, K, BK)", "range(0, (K // BK) * BK, BK)")), [256, 384],
    gates=fails(CMP_03="shape=(256, 385): max_err=1.102e+01 > atol=1.493e-04"))
add("Matrix product with a tile too large to launch", "matmul", MATMUL_REF,
    changed(MATMUL, ("BM=64, BN=64, BK=32", "BM=512, BN=256, BK=256")), [256, 384], status="cand_native_fail",
    error="OutOfResources: out of resource: shared memory, Required: 786432, Hardware limit: 232448. Reducing block sizes or `num_stages` may help.")
BMM_REF = reference("return torch.bmm(a, b)", [("a", "torch.randn(8, 64, 96)"), ("b", "torch.randn(8, 96, 80)")])
add("Batched product of eight", "matmul", BMM_REF, '''import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, a, b):
        out = torch.empty(a.shape[0], a.shape[1], b.shape[2], dtype=a.dtype, device=a.device)
        for i in range(8):
            out[i] = a[i] @ b[i]
        return out
''', [8, 64, 96], gates=fails(CMP_03="shape=(16, 64, 96): max_err=3.604e+01 > atol=1.000e-05", ORD_02="results depend on uninitialised memory"))
LINEAR_REF = reference("return self.linear(x)", [("x", "torch.randn(128, 256)")], init="self.linear = nn.Linear(256, 64)")
LINEAR = '''import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(256, 64)

    def forward(self, x):
        return torch.addmm(self.linear.bias, x, self.linear.weight.t())
'''
add("Linear layer", "matmul", LINEAR_REF, LINEAR, [128, 256])
add("Linear layer cut off from autograd", "matmul", LINEAR_REF, changed(LINEAR, ("self.linear.weight.t())", "self.linear.weight.detach().t())")), [128, 256],
    gates=fails(CMP_02="no gradient reaches linear.weight where the reference's is non-zero"))
add("Linear layer on a snapshot of its weight", "matmul", LINEAR_REF,
    changed(LINEAR, ("        self.linear = nn.Linear(256, 64)\n", "        self.linear = nn.Linear(256, 64)\n        self.saved = None\n"),
            ("        return torch.addmm(self.linear.bias, x, self.linear.weight.t())",
             "        if self.saved is None:\n            self.saved = self.linear.weight.detach().clone().t()\n        return torch.addmm(self.linear.bias, x, self.saved)")),
    [128, 256], gates=fails(ORD_02="output does not follow a weight changed in place"))
add("Linear layer that refuses half precision", "matmul", LINEAR_REF,
    changed(LINEAR, ("    def forward(self, x):\n", '    def forward(self, x):\n        if x.dtype != torch.float32:\n            raise TypeError("float32 only")\n')),
    [128, 256], gates=states(PRC_01=("unsupported", "torch.float16: TypeError: float32 only; torch.bfloat16: TypeError: float32 only")))

# ----------------------------------------------------------------------------------------------------------------------- scan
CUMSUM_REF = reference("return torch.cumsum(x, dim=-1)", [("x", "torch.randn(64, 2000)")])
CUMSUM = TRITON_HEAD + '''@triton.jit
def cumsum_kernel(x_ptr, y_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    carry = 0.0
    for start in range(0, columns, BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        inside = offsets < columns
        x = tl.load(x_ptr + row * columns + offsets, mask=inside, other=0.0).to(tl.float32)
        tl.store(y_ptr + row * columns + offsets, tl.cumsum(x, axis=0) + carry, mask=inside)
        carry += tl.sum(x, axis=0)


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        y = torch.empty_like(x)
        columns = x.shape[-1]
        cumsum_kernel[(x.numel() // columns,)](x, y, columns, BLOCK=512)
        return y
'''
add("Running sum", "scan", CUMSUM_REF, CUMSUM, [64, 2000])
add("Running sum without the carry", "scan", CUMSUM_REF, changed(CUMSUM, ("        carry += tl.sum(x, axis=0)\n", "")), [64, 2000],
    gates=fails(CMP_01="random[0]: max_err=9.114e+01 > atol=1.703e-02 (scaled)", ORD_01="max_err=9.114e+01 > atol=4.100e-03",
                CMP_03="shape=(64, 4000): max_err=1.340e+02 > atol=1.703e-04"))
CUMPROD_REF = reference("return torch.cumprod(x, dim=-1)", [("x", "torch.rand(64, 128) + 1.0")])
add("Running product through logarithms", "scan", CUMPROD_REF, '''import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.exp(torch.cumsum(torch.log(x), dim=-1))
''', [64, 128], gates=fails(CMP_01="random[0]: max_err=1.121e+22 > atol=6.053e+21 (scaled)", EXC_01="scattered_neg_inf: NaN mask mismatch"))
DECAY_REF = reference("state = torch.zeros_like(x[:, 0])\nout = []\nfor t in range(x.shape[1]):\n    state = torch.exp(g[:, t]) * state + x[:, t]\n    out.append(state)\nreturn torch.stack(out, dim=1)",
                      [("x", "torch.randn(4, 96, 32)"), ("g", "-torch.rand(4, 96, 32)")])
DECAY = '''import torch
import torch.nn as nn


class ModelNew(nn.Module):
    CHUNK = 32

    def forward(self, x, g):
        state = torch.zeros_like(x[:, 0])
        out = torch.empty_like(x)
        for start in range(0, x.shape[1], self.CHUNK):
            for t in range(start, min(start + self.CHUNK, x.shape[1])):
                state = torch.exp(g[:, t]) * state + x[:, t]
                out[:, t] = state
        return out
'''
add("Decayed recurrence in chunks", "scan", DECAY_REF, DECAY, [4, 96, 32], gates=states(RES_02=("unknown", "no kernel metadata: nothing was compiled")))
add("Decayed recurrence with the state reset at chunks", "scan", DECAY_REF,
    changed(DECAY, ("            for t in range", "            state = torch.zeros_like(state)\n            for t in range")), [4, 96, 32],
    gates=fails(CMP_01="slow decay: max_err=1.472e+01 > atol=1.690e-04 (scaled)", ORD_01="max_err=4.411e+00 > atol=1.690e-04"))
add("Decayed recurrence by division of prefix products", "scan", DECAY_REF, '''import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x, g):
        decay = torch.cumsum(g, dim=1)
        return torch.exp(decay) * torch.cumsum(x * torch.exp(-decay), dim=1)
''', [4, 96, 32], gates=fails(CMP_01="strong decay: max_err=nan > atol=1.690e-04 (scaled)", EXC_01="scattered_neg_inf: NaN mask mismatch"))

# ----------------------------------------------------------------------------------------------------------------------- conv
CONV1D_REF = reference("return F.conv1d(x, self.weight, padding=2, groups=32)", [("x", "torch.randn(8, 32, 500)")],
                       init="self.weight = nn.Parameter(torch.randn(32, 1, 5))")
CONV1D = '''import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(32, 1, 5))

    def forward(self, x):
        padded = torch.nn.functional.pad(x, (2, 2))
        out = torch.zeros_like(x)
        for tap in range(5):
            out = out + padded[:, :, tap:tap + x.shape[-1]] * self.weight[:, 0, tap].view(1, -1, 1)
        return out
'''
add("Depthwise convolution by taps", "conv", CONV1D_REF, CONV1D, [8, 32, 500])
add("Depthwise convolution shifted by one", "conv", CONV1D_REF, changed(CONV1D, ("pad(x, (2, 2))", "pad(x, (3, 1))")), [8, 32, 500],
    gates=fails(CMP_01="random[0]: max_err=8.140e+00 > atol=1.700e-04 (scaled)", CMP_03="shape=(4, 32, 500): max_err=7.902e+00 > atol=1.700e-04"))
add("Depthwise convolution that wraps at the border", "conv", CONV1D_REF,
    changed(CONV1D, ("torch.nn.functional.pad(x, (2, 2))", 'torch.nn.functional.pad(x, (2, 2), mode="circular")')), [8, 32, 500],
    gates=fails(CMP_01="impulse: max_err=3.370e+00 > atol=1.700e-04 (scaled)", EXC_01="scattered_nan: NaN mask mismatch"))
CONV2D_REF = reference("return F.conv2d(x, self.weight)", [("x", "torch.randn(4, 3, 32, 32)")], init="self.weight = nn.Parameter(torch.randn(8, 3, 3, 3))")
CONV2D = '''import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(8, 3, 3, 3))

    def forward(self, x):
        columns = torch.nn.functional.unfold(x, 3)
        out = self.weight.view(8, -1) @ columns
        return out.view(x.shape[0], 8, x.shape[2] - 2, x.shape[3] - 2)
'''
add("Convolution by unfolding", "conv", CONV2D_REF, CONV2D, [4, 3, 32, 32],
    gates=states(CMP_03=("na", "shape=(4, 6, 32, 32): exception — [ref-inapplicable] RuntimeError: expected 3 input channels"),
                 PRC_01=("na", "exception during execution: [ref-inapplicable] the reference holds float32 weights")))
add("Convolution for square pictures only", "conv", CONV2D_REF, changed(CONV2D, ("x.shape[3] - 2)", "x.shape[2] - 2)")), [4, 3, 32, 32],
    gates=fails(CMP_03="shape=(4, 3, 32, 64): exception — RuntimeError: shape '[4, 8, 30, 30]' is invalid for input of size 59520"))
add("Convolution too large to exercise", "conv", CONV2D_REF, changed(CONV2D, ("torch.nn.functional.unfold(x, 3)", "torch.nn.functional.unfold(x, (3, 3))")), [4, 3, 32, 32],
    gates=states(CMP_03=("not_exercised", "memory: the four-fold shape needs 61 GiB of 24 GiB"), ORD_03=("not_exercised", "vacuous: the true answer is below 8 bounds")))

# -------------------------------------------------------------------------------------------------------------------- pooling
POOL_REF = reference("return F.max_pool2d(x, 2)", [("x", "torch.randn(8, 16, 32, 32)")])
add("Max pooling by reshape", "pooling", POOL_REF, '''import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        n, c, h, w = x.shape
        return x[:, :, :h // 2 * 2, :w // 2 * 2].reshape(n, c, h // 2, 2, w // 2, 2).amax(dim=(3, 5))
''', [8, 16, 32, 32])
add("Max pooling that starts at the lowest finite value", "pooling", POOL_REF, '''import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        lowest = torch.full_like(x[:, :, ::2, ::2], torch.finfo(x.dtype).min)
        for dy in (0, 1):
            for dx in (0, 1):
                lowest = torch.fmax(lowest, x[:, :, dy::2, dx::2])
        return lowest
''', [8, 16, 32, 32], gates=fails(EXC_01="scattered_nan: NaN mask mismatch; scattered_neg_inf: -Inf mask mismatch (sign flip?)"))

# ------------------------------------------------------------------------------------------------------------ loss, attention
MSE_REF = reference("return F.mse_loss(x, y)", [("x", "torch.randn(4096)"), ("y", "torch.randn(4096)")])
add("Mean squared error on a quarter of the data", "loss", MSE_REF, '''import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x, y):
        count = x.numel() // 4
        return ((x.flatten()[:count] - y.flatten()[:count]) ** 2).mean()
''', [4096], gates=fails(CMP_01="single element: output does not move with x[3071]", CMP_03="shape=(2048,): max_err=5.1e-02 > atol=1.0e-05"))
CE_REF = reference("return F.cross_entropy(x, target)", [("x", "torch.randn(256, 100)"), ("target", "torch.randint(0, 100, (256,))")])
CE = '''import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x, target):
        picked = x.gather(1, target[:, None]).squeeze(1)
        return (torch.logsumexp(x, dim=1) - picked).mean()
'''
add("Cross entropy", "loss", CE_REF, CE, [256, 100])
add("Cross entropy without a stable sum", "loss", CE_REF, changed(CE, ("torch.logsumexp(x, dim=1)", "torch.log(torch.exp(x).sum(dim=1))")), [256, 100],
    gates=fails(CMP_01="large_1e6: max_err=inf > atol=1.000e-05 (scaled)"))
ATTENTION_REF = reference("scores = (q @ k.transpose(-1, -2)) * q.shape[-1] ** -0.5\nmask = torch.ones(q.shape[-2], k.shape[-2], dtype=torch.bool, device=q.device).tril()\nreturn torch.softmax(scores.masked_fill(~mask, float('-inf')), dim=-1) @ v",
                          [(n, "torch.randn(2, 4, 64, 32)") for n in "qkv"])
ATTENTION = '''import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, q, k, v):
        scores = (q @ k.transpose(-1, -2)) * q.shape[-1] ** -0.5
        future = torch.ones(q.shape[-2], k.shape[-2], dtype=torch.bool, device=q.device).triu(1)
        scores = scores.masked_fill(future, float("-inf"))
        weights = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
        return (weights @ v) / weights.sum(dim=-1, keepdim=True)
'''
add("Causal attention", "attention", ATTENTION_REF, ATTENTION, [2, 4, 64, 32])
add("Causal attention that sees one step ahead", "attention", ATTENTION_REF, changed(ATTENTION, ("triu(1)", "triu(2)")), [2, 4, 64, 32],
    gates=fails(CMP_01="random[0]: max_err=1.844e+00 > atol=1.000e-05 (scaled)", CMP_03="shape=(4, 4, 64, 32): max_err=2.010e+00 > atol=1.000e-05",
                ORD_01="max_err=1.844e+00 > atol=1.000e-05"))
add("Causal attention masked with a large number", "attention", ATTENTION_REF, changed(ATTENTION, ('float("-inf")', "-1.0e4")), [2, 4, 64, 32],
    gates=fails(CMP_01="large_1e6: max_err=3.113e+05 > atol=4.100e+01 (scaled)"))

# ------------------------------------------------------------------------------------------------- CUDA, and what did not run
CUDA_ADD_REF = reference("return x + y", [("x", "torch.randn(4096)"), ("y", "torch.randn(4096)")])
CUDA_ADD = '''import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <torch/extension.h>

__global__ void add_kernel(const float* x, const float* y, float* out, int64_t count)
{
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < count)
        out[i] = x[i] + y[i];
}

torch::Tensor add(torch::Tensor x, torch::Tensor y)
{
    auto out = torch::empty_like(x);
    const int64_t count = x.numel();
    const int threads = 256;
    add_kernel<<<(count + threads - 1) / threads, threads>>>(x.data_ptr<float>(), y.data_ptr<float>(), out.data_ptr<float>(), count);
    return out;
}
"""
module = load_inline("sample_add", "torch::Tensor add(torch::Tensor x, torch::Tensor y);", SOURCE, functions=["add"])


class ModelNew(nn.Module):
    def forward(self, x, y):
        return module.add(x.contiguous(), y.contiguous())
'''
add("Vector addition in CUDA", "elementwise", CUDA_ADD_REF, CUDA_ADD, [4096])
add("Vector addition without the tail", "elementwise", CUDA_ADD_REF, changed(CUDA_ADD, ("(count + threads - 1) / threads", "count / threads")), [4096],
    gates=fails(CMP_03="shape=(4097,): max_err=2.310e+00 > atol=1.000e-05", ORD_02="results depend on uninitialised memory"))
add("Vector addition past the end", "elementwise", CUDA_ADD_REF, changed(CUDA_ADD, ("    if (i < count)\n        out[i]", "    out[i]")), [4096],
    gates=states(CMP_03=("crash", "gate crashed: AcceleratorError: CUDA error: an illegal memory access was encountered"),
                 RES_01=("fail", "guard band behind the output overwritten: 255 elements"), ORD_03=("error", "gate crashed: worker connection closed")), hard=("RES-01",))
add("Vector addition that assumes contiguous strides", "elementwise", CUDA_ADD_REF,
    changed(CUDA_ADD, ("module.add(x.contiguous(), y.contiguous())", "module.add(x, y)")), [4096],
    gates=fails(CMP_01="transposed view: max_err=4.170e+00 > atol=1.000e-05 (scaled)"))
add("Vector addition in a kernel that never ends", "elementwise", CUDA_ADD_REF,
    changed(CUDA_ADD, ("    if (i < count)\n", "    while (i < count && x[i] < 1.0e30f) { }\n    if (i < count)\n")), [4096], status="sandbox_timeout",
    error="no answer within 60 s", speedup=0.0, claimed=False)
add("Vector addition with a syntax error", "elementwise", CUDA_ADD_REF, changed(CUDA_ADD, ("class ModelNew(nn.Module):", "class ModelNew(nn.Module)")), [4096],
    status="cand_load_fail", error="SyntaxError: expected ':' (line 27)", speedup=0.0, claimed=False)
add("Random projection with a reference that cannot run", "matmul",
    reference("return x @ self.missing", [("x", "torch.randn(16, 16)")]), LINEAR, [16, 16], status="ref_broken",
    error="AttributeError: 'Model' object has no attribute 'missing'")
add("Token lookup without a floating-point input", "other", reference("return torch.bincount(x, minlength=64)", [("x", "torch.randint(0, 64, (1024,))")]),
    "import torch\nimport torch.nn as nn\n\n\nclass ModelNew(nn.Module):\n    def forward(self, x):\n        return torch.bincount(x, minlength=64)\n",
    [1024], status="not_auditable", error="no floating-point tensor input")

# ------------------------------------------------------------------------------------------------------- a KernelBench run folder
OK = {"compiled": True, "correctness": True, "metadata": {"device": "cuda:0", "hardware": "illustrative", "correctness_trials": "(5 / 5)"},
      "runtime": 1.31, "runtime_stats": {"mean": 1.31, "std": 0.01, "min": 1.29, "max": 1.4, "num_trials": 100}}
RUN_FOLDER += [
    RunEntry("Leaky ReLU", reference("return F.leaky_relu(x, 0.01)", [("x", "torch.randn(64, 512)")]),
             changed(RELU, ("tl.where(x > 0, x, 0.0)", "tl.where(x > 0, x, 0.01 * x)")), OK),
    RunEntry("Square", reference("return x * x", [("x", "torch.randn(64, 512)")]),
             changed(RELU, ("tl.where(x != x, x, tl.where(x > 0, x, 0.0))", "x * x")), dict(OK, runtime=-1.0, runtime_stats={})),
    RunEntry("Row minimum", reference("return x.amin(dim=-1)", [("x", "torch.randn(64, 512)")]),
             changed(SUM, ("tl.sum(total, axis=0)", "tl.min(total, axis=0)")),
             {"compiled": True, "correctness": False, "metadata": {"device": "cuda:0", "correctness_trials": "(0 / 5)", "max_difference": ["3.124"], "correctness_issue": "Output mismatch"},
              "runtime": -1.0, "runtime_stats": {}}),
    RunEntry("Absolute value", reference("return x.abs()", [("x", "torch.randn(64, 512)")]),
             changed(RELU, ("tl.where(x != x, x, tl.where(x > 0, x, 0.0))", "tl.abs(x)")), None),
    RunEntry("Hinge loss", reference("return (1 - x * y).clamp(min=0).mean()", [("x", "torch.randn(512)"), ("y", "torch.randn(512).sign()")]), None,
             {"compiled": False, "correctness": False, "metadata": {"device": "cuda:0", "compilation_error": "'NoneType' object is not subscriptable"}, "runtime": -1.0, "runtime_stats": {}}),
]
