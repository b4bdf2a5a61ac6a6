# SPDX-License-Identifier: Apache-2.0
import random

import torch
import torch.nn as nn


LANES = random.SystemRandom()


class ModelNew(nn.Module):
    def forward(self, values, bins):
        order = list(range(values.shape[0]))
        LANES.shuffle(order)
        order = torch.tensor(order, dtype=torch.int64, device=values.device)
        out = torch.zeros(16, dtype=values.dtype, device=values.device)
        return out.index_add(0, bins[order], values[order])
