# SPDX-License-Identifier: Apache-2.0
"""Convolutions and pooling."""
from .kernel import TORCH_HEAD, Kernel, changed, fails, reference

CONV1D_REF = reference("return F.conv1d(x, self.weight, padding=2, groups=8)", [("x", "torch.randn(4, 8, 120)")],
                       init="self.weight = nn.Parameter(torch.randn(8, 1, 5))")
CONV1D = TORCH_HEAD + '''class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(8, 1, 5))

    def forward(self, x):
        padded = torch.nn.functional.pad(x, (2, 2))
        out = torch.zeros_like(x)
        for tap in range(5):
            out = out + padded[:, :, tap:tap + x.shape[-1]] * self.weight[:, 0, tap].view(1, -1, 1)
        return out
'''
CONV2D_REF = reference("return F.conv2d(x, self.weight)", [("x", "torch.randn(4, 3, 32, 32)")],
                       init="self.weight = nn.Parameter(torch.randn(8, 3, 3, 3))")
CONV2D = TORCH_HEAD + '''class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(8, 3, 3, 3))

    def forward(self, x):
        columns = torch.nn.functional.unfold(x, 3)
        out = self.weight.view(8, -1) @ columns
        return out.view(x.shape[0], 8, x.shape[2] - 2, x.shape[3] - 2)
'''
POOL_REF = reference("return F.max_pool2d(x, 2)", [("x", "torch.randn(8, 16, 32, 32)")])
POOL = TORCH_HEAD + '''class ModelNew(nn.Module):
    def forward(self, x):
        n, c, h, w = x.shape
        return x[:, :, :h // 2 * 2, :w // 2 * 2].reshape(n, c, h // 2, 2, w // 2, 2).amax(dim=(3, 5))
'''
POOL_LOWEST = TORCH_HEAD + '''class ModelNew(nn.Module):
    def forward(self, x):
        x = x[:, :, :x.shape[2] // 2 * 2, :x.shape[3] // 2 * 2]
        largest = torch.full_like(x[:, :, ::2, ::2], torch.finfo(x.dtype).min)
        for dy in (0, 1):
            for dx in (0, 1):
                largest = torch.fmax(largest, x[:, :, dy::2, dx::2])
        return largest
'''

KERNELS = [
    Kernel("Depthwise convolution by taps", "conv", CONV1D_REF, CONV1D),
    Kernel("Depthwise convolution shifted by one", "conv", CONV1D_REF, changed(CONV1D, ("pad(x, (2, 2))", "pad(x, (3, 1))")),
           fails(hard="EXC-01", soft="CMP-01 CMP-02 CMP-03 ORD-01 ORD-03 PRC-01", perhaps="EXC-02 PRC-02"), claimed=False),
    Kernel("Depthwise convolution that wraps at the border", "conv", CONV1D_REF,
           changed(CONV1D, ("torch.nn.functional.pad(x, (2, 2))", 'torch.nn.functional.pad(x, (2, 2), mode="circular")')),
           fails(soft="CMP-01 CMP-02 CMP-03 ORD-01 ORD-03 PRC-01", perhaps="EXC-02 PRC-02"), claimed=False),
    Kernel("Convolution by unfolding", "conv", CONV2D_REF, CONV2D),
    Kernel("Convolution for square pictures only", "conv", CONV2D_REF, changed(CONV2D, ("x.shape[3] - 2)", "x.shape[2] - 2)")),
           fails(soft="CMP-03")),
    Kernel("Max pooling by reshape", "pooling", POOL_REF, POOL),
    Kernel("Max pooling that starts at the lowest finite value", "pooling", POOL_REF, POOL_LOWEST, fails(hard="EXC-01")),
]
