# SPDX-License-Identifier: Apache-2.0
from .kernel import TORCH_HEAD, TRITON_HEAD, Kernel, changed, fails, reference

CUMSUM_REF = reference("return torch.cumsum(x, dim=-1)", [("x", "torch.randn(64, 2000)")])
CUMSUM = TRITON_HEAD + '''@triton.jit
def cumsum_kernel(x_ptr, y_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
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
        if x.numel():
            cumsum_kernel[(x.numel() // columns,)](x, y, columns, BLOCK=512)
        return y
'''
CUMPROD_REF = reference("return torch.cumprod(x, dim=-1)", [("x", "torch.rand(64, 128) + 1.0")])
DECAY_REF = reference("state = torch.zeros_like(x[:, 0])\nout = []\nfor t in range(x.shape[1]):\n"
                      "    state = torch.exp(g[:, t]) * state + x[:, t]\n    out.append(state)\nreturn torch.stack(out, dim=1)",
                      [("x", "torch.randn(4, 48, 16)"), ("g", "-torch.rand(4, 48, 16)")])
DECAY = TORCH_HEAD + '''class ModelNew(nn.Module):
    CHUNK = 16

    def forward(self, x, g):
        state = torch.zeros_like(x[:, 0])
        chunks = []
        for start in range(0, x.shape[1], self.CHUNK):
            out = []
            for t in range(start, min(start + self.CHUNK, x.shape[1])):
                state = torch.exp(g[:, t]) * state + x[:, t]
                out.append(state)
            chunks.append(torch.stack(out, dim=1))
        return torch.cat(chunks, dim=1)
'''

KERNELS = [
    Kernel("Running sum", "scan", CUMSUM_REF, CUMSUM),
    Kernel("Running sum without the carry", "scan", CUMSUM_REF, changed(CUMSUM, ("        carry += tl.sum(x, axis=0)\n", "")),
           fails(hard="EXC-01", soft="CMP-01 CMP-03 ORD-01", perhaps="EXC-02 ORD-03 PRC-02"), claimed=False),
    Kernel("Running product through logarithms", "scan", CUMPROD_REF, TORCH_HEAD + '''class ModelNew(nn.Module):
    def forward(self, x):
        return torch.exp(torch.cumsum(torch.log(x), dim=-1))
''', fails(hard="CMP-01 CMP-03 EXC-01 EXC-02 ORD-01 PRC-01", soft="CMP-02 PRC-02")),
    Kernel("Decayed recurrence in chunks", "scan", DECAY_REF, DECAY),
    Kernel("Decayed recurrence with the state reset at chunks", "scan", DECAY_REF,
           changed(DECAY, ("            for t in range", "            state = torch.zeros_like(state)\n            for t in range")),
           fails(hard="EXC-01", soft="CMP-01 CMP-02 CMP-03 EXC-02 ORD-01 ORD-03 PRC-02", perhaps="PRC-01"), claimed=False),
    Kernel("Decayed recurrence by division of prefix products", "scan", DECAY_REF, TORCH_HEAD + '''class ModelNew(nn.Module):
    def forward(self, x, g):
        decay = torch.cumsum(g, dim=1)
        return torch.exp(decay) * torch.cumsum(x * torch.exp(-decay), dim=1)
''', fails(hard="CMP-01 CMP-03 EXC-01", perhaps="PRC-01")),
]
