# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    """F(2x2, 3x3): four by four tiles at stride two, 16 products per tile and channel pair."""

    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(0.2 * torch.randn(7, 5, 3, 3))

    def forward(self, image):
        n, c, h, w = image.shape
        if c != self.w.shape[1]:
            raise ValueError(f"expected {self.w.shape[1]} channels, got {c}")
        tiles_h, tiles_w = -(-h // 2), -(-w // 2)
        padded = F.pad(image, (1, 2 * tiles_w - w + 1, 1, 2 * tiles_h - h + 1))
        if image.numel() == 0:
            return F.conv2d(image, self.w, padding=1)
        bt = image.new_tensor([[1, 0, -1, 0], [0, 1, 1, 0], [0, -1, 1, 0], [0, 1, 0, -1]])
        g = image.new_tensor([[1, 0, 0], [0.5, 0.5, 0.5], [0.5, -0.5, 0.5], [0, 0, 1]])
        at = image.new_tensor([[1, 1, 1, 0], [0, 1, -1, -1]])
        tiles = padded.unfold(2, 4, 2).unfold(3, 4, 2)
        data = bt @ tiles @ bt.t()
        weight = g @ self.w @ g.t()
        product = torch.einsum("nchwij,ocij->nohwij", data, weight)
        out = at @ product @ at.t()
        out = out.permute(0, 1, 2, 4, 3, 5).reshape(n, -1, 2 * tiles_h, 2 * tiles_w)
        return out[..., :h, :w].contiguous()
