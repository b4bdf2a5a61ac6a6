# SPDX-License-Identifier: Apache-2.0
"""Tasks that cannot be asked much, whatever the candidate does."""
from .kernel import INAPPLICABLE, TORCH_HEAD, Kernel, reference
from .matmul import LINEAR

MISSING_REF = reference("return x @ self.missing", [("x", "torch.randn(16, 16)")])
ENDING_REF = reference("import os\nos._exit(3)", [("x", "torch.randn(16, 16)")])
DRAW_REF = reference("return x + torch.rand_like(x)", [("x", "torch.randn(64, 64)")])
DRAW = TORCH_HEAD + '''class ModelNew(nn.Module):
    def forward(self, x):
        return x + torch.rand_like(x)
'''

COUNT_REF = reference("return torch.bincount(x, minlength=64)", [("x", "torch.randint(0, 64, (1024,))")])
COUNT = TORCH_HEAD + '''class ModelNew(nn.Module):
    def forward(self, x):
        return torch.bincount(x, minlength=64)
'''

KERNELS = [
    Kernel("Random projection with a reference that cannot run", "matmul", MISSING_REF, LINEAR, INAPPLICABLE, claimed=False),
    Kernel("Uniform noise from the global generator", "other", DRAW_REF, DRAW, claimed=False),
    Kernel("Token counts without a floating-point input", "other", COUNT_REF, COUNT),
    Kernel("Linear layer with a reference that ends its process", "matmul", ENDING_REF, LINEAR, INAPPLICABLE, claimed=False),
]
