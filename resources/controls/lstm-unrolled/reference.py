# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(14, 20, batch_first=True)

    def forward(self, x):
        out, (h, c) = self.lstm(x)
        return {"out": out, "h": h, "c": c}


def get_inputs():
    return [torch.randn(5, 13, 14)]


def get_init_inputs():
    return []
