# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, deltas):
        carry = torch.zeros_like(deltas[..., 0])
        steps = []
        for t in range(deltas.shape[-1]):
            carry = carry + deltas[..., t]
            steps.append(carry)
        return torch.stack(steps, dim=-1) if steps else deltas.clone()
