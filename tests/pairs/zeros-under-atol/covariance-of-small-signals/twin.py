# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, s):
        out = s.new_zeros(s.shape[1], s.shape[1])
        for part in torch.split(s, 128):
            out = out + part.transpose(0, 1) @ part
        return out / s.shape[0]
