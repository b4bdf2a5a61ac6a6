# SPDX-License-Identifier: Apache-2.0
from .kernel import TORCH_HEAD, Kernel, changed, fails, reference

MSE_REF = reference("return F.mse_loss(x, y)", [("x", "torch.randn(4096)"), ("y", "torch.randn(4096)")])
MSE_QUARTER = TORCH_HEAD + '''class ModelNew(nn.Module):
    def forward(self, x, y):
        count = x.numel() // 4
        return ((x.flatten()[:count] - y.flatten()[:count]) ** 2).mean()
'''
CE_REF = reference("return F.cross_entropy(x, target)", [("x", "torch.randn(256, 100)"), ("target", "torch.randint(0, 100, (256,))")])
CE = TORCH_HEAD + '''class ModelNew(nn.Module):
    def forward(self, x, target):
        picked = x.gather(1, target[:, None]).squeeze(1)
        return (torch.logsumexp(x, dim=1) - picked).mean()
'''

KERNELS = [
    Kernel("Mean squared error on a quarter of the data", "loss", MSE_REF, MSE_QUARTER, fails(hard="CMP-03 EXC-01", soft="CMP-01 CMP-02 ORD-01 ORD-03 PRC-02"), claimed=False),
    Kernel("Cross entropy", "loss", CE_REF, CE),
    Kernel("Cross entropy without a stable sum", "loss", CE_REF,
           changed(CE, ("torch.logsumexp(x, dim=1)", "torch.log(torch.exp(x).sum(dim=1))")), fails(hard="CMP-01 CMP-03 EXC-01 PRC-01")),
]
