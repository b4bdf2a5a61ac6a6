# SPDX-License-Identifier: Apache-2.0
from .kernel import TORCH_HEAD, Kernel, changed, fails, reference

ATTENTION_REF = reference("scores = (q @ k.transpose(-1, -2)) * q.shape[-1] ** -0.5\n"
                          "mask = torch.ones(q.shape[-2], k.shape[-2], dtype=torch.bool, device=q.device).tril()\n"
                          "return torch.softmax(scores.masked_fill(~mask, float('-inf')), dim=-1) @ v",
                          [(name, "torch.randn(2, 4, 64, 32)") for name in "qkv"])
ATTENTION = TORCH_HEAD + '''class ModelNew(nn.Module):
    def forward(self, q, k, v):
        scores = (q @ k.transpose(-1, -2)) * q.shape[-1] ** -0.5
        future = torch.ones(q.shape[-2], k.shape[-2], dtype=torch.bool, device=q.device).triu(1)
        scores = scores.masked_fill(future, float("-inf"))
        weights = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
        return (weights @ v) / weights.sum(dim=-1, keepdim=True)
'''

KERNELS = [
    Kernel("Causal attention", "attention", ATTENTION_REF, ATTENTION),
    Kernel("Causal attention that sees one step ahead", "attention", ATTENTION_REF, changed(ATTENTION, ("triu(1)", "triu(2)")),
           fails(soft="CMP-01 CMP-02 CMP-03 EXC-02 ORD-01 ORD-03 PRC-01 PRC-02"), claimed=False),
    Kernel("Causal attention masked with a large number", "attention", ATTENTION_REF, changed(ATTENTION, ('float("-inf")', "-1.0e4")),
           fails(soft="CMP-01")),
]
