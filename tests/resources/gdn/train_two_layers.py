# SPDX-License-Identifier: Apache-2.0
"""Trains a small model twice on the same batches from the same weights: once with the operator, once with the recurrence written
out in torch, token by token, in the precision of the weights. The two loss curves tell what the operator's rounding does to training.

    train_two_layers.py FOLDER_WITH_ASSAY_WORKER [--device cuda] [--dtype bfloat16] [--steps 300] [--out CURVES.csv]

The task is associative recall: pairs of a key and a value, then the keys again in another order; the model answers each with its
value. Writes step, loss with the operator, loss with the reference; prints how far they are apart."""

import argparse
import csv
import sys
import time

import torch
from torch import nn
from torch.nn import functional as F

PAIRS = 24  # 72 tokens: a whole chunk and a part of one
KEYS = VALUES = 32  # distinct tokens of each kind
WIDTH, HEADS, CHANNELS = 128, 2, 64


def batches(steps, size, seed):
    """(tokens [size, 3 PAIRS], answers [size, PAIRS]) a step, drawn on the CPU: the same on every device."""
    generator = torch.Generator().manual_seed(seed)
    for _ in range(steps):
        keys = torch.stack([torch.randperm(KEYS, generator=generator)[:PAIRS] for _ in range(size)])
        values = torch.randint(VALUES, (size, PAIRS), generator=generator)
        order = torch.stack([torch.randperm(PAIRS, generator=generator) for _ in range(size)])
        pairs = torch.stack([keys, KEYS + values], -1).flatten(1)
        yield torch.cat([pairs, keys.gather(1, order)], 1), values.gather(1, order)


def written_out(q, k, v, *, b, w, g):
    """The recurrence as its definition reads, one token after the other, in the inputs' own precision."""
    state = q.new_zeros(q.shape[0], q.shape[2], q.shape[3], v.shape[3])
    outputs = []
    for t in range(q.shape[1]):
        state = g[:, t].exp().unsqueeze(-1) * state
        u = w[:, t] * v[:, t] - ((b[:, t] * k[:, t]).unsqueeze(-2) @ state).squeeze(-2)
        state = state + k[:, t].unsqueeze(-1) * u.unsqueeze(-2)
        outputs.append((q[:, t].unsqueeze(-2) @ state).squeeze(-2) * q.shape[3] ** -0.5)
    return torch.stack(outputs, 1)


def with_operator(dtype):
    """The same through the operator, its operands rounded to `dtype`."""
    from assay_worker.gdn import gdn2

    def recurrence(q, k, v, *, b, w, g):
        return gdn2(q.to(dtype), k.to(dtype), v.to(dtype), b=b, w=w, g=g).to(q.dtype)

    return recurrence


def normed(x):
    return x * (x.square().mean(-1, keepdim=True) + 1e-6).rsqrt()


class Layer(nn.Module):
    """A residual layer of Gated DeltaNet-2. Every token also sees the one before it, as the published models' short convolutions do."""

    def __init__(self, recurrence):
        super().__init__()
        self.project = nn.Linear(2 * WIDTH, 6 * HEADS * CHANNELS)
        self.out = nn.Linear(HEADS * CHANNELS, WIDTH)
        self.recurrence = recurrence

    def forward(self, x):
        seen = normed(x)
        seen = torch.cat([seen, F.pad(seen, (0, 0, 1, 0))[:, :-1]], -1)
        q, k, v, b, w, g = self.project(seen).unflatten(-1, (6, HEADS, CHANNELS)).unbind(2)
        o = self.recurrence(F.normalize(q, dim=-1), F.normalize(k, dim=-1), v, b=2 * b.sigmoid(), w=w.sigmoid(), g=-F.softplus(g - 4))
        return x + self.out(normed(o).flatten(2))


class Model(nn.Module):
    def __init__(self, recurrence):
        super().__init__()
        self.embedding = nn.Parameter(torch.randn(KEYS + VALUES, WIDTH))
        self.layers = nn.Sequential(Layer(recurrence), Layer(recurrence))
        self.head = nn.Linear(WIDTH, VALUES)

    def forward(self, tokens):
        # A product and not a look-up, whose gradient adds up in any order on a device.
        x = F.one_hot(tokens, KEYS + VALUES).to(self.embedding.dtype) @ self.embedding
        return self.head(normed(self.layers(x)))[:, -PAIRS:]


def train(recurrence, arguments, precision):
    """(loss of every step, share of right answers in the last tenth of the steps)"""
    torch.manual_seed(arguments.seed)
    model = Model(recurrence).to(arguments.device, precision)
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=0.01)
    losses, right = [], []
    for tokens, answers in batches(arguments.steps, arguments.batch, arguments.seed):
        tokens, answers = tokens.to(arguments.device), answers.to(arguments.device)
        scores = model(tokens)
        loss = F.cross_entropy(scores.flatten(0, 1), answers.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
        right.append((scores.argmax(-1) == answers).double().mean())
    last = right[-max(1, len(right) // 10):]
    return [loss.item() for loss in losses], (sum(last) / len(last)).item()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("worker", help="folder with assay_worker")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--dtype", choices=("bfloat16", "float16", "float32", "float64"), help="the operator's; bfloat16, or float32 on the CPU")
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", default="curves.csv")
    arguments = parser.parse_args()
    sys.path.insert(0, arguments.worker)
    dtype = getattr(torch, arguments.dtype or ("float32" if arguments.device == "cpu" else "bfloat16"))
    precision = torch.float64 if dtype == torch.float64 else torch.float32
    curves = []
    for title, recurrence in (("operator in %s" % dtype, with_operator(dtype)), ("written out in %s" % precision, written_out)):
        start = time.monotonic()
        losses, right = train(recurrence, arguments, precision)
        curves.append(losses)
        print("%s on %s: loss %.4f at first, %.4f at last, %.1f %% right, %.1f s" % (
            title, arguments.device, losses[0], losses[-1], 100 * right, time.monotonic() - start))
    with open(arguments.out, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("step", "operator", "reference"))
        writer.writerows((step, *pair) for step, pair in enumerate(zip(*curves), 1))
    apart = [abs(one - other) for one, other in zip(*curves)]
    print("losses apart: %.3g at most (step %d), %.3g on average" % (max(apart), apart.index(max(apart)) + 1, sum(apart) / len(apart)))


if __name__ == "__main__":
    main()
