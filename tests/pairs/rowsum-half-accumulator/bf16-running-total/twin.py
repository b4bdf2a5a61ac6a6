# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, deltas):
        carry = torch.zeros(deltas.shape[:-1], dtype=torch.float32, device=deltas.device)
        steps = []
        for t in range(deltas.shape[-1]):
            carry = carry + deltas[..., t].float()
            steps.append(carry.to(deltas.dtype))
        return torch.stack(steps, dim=-1) if steps else deltas.clone()
