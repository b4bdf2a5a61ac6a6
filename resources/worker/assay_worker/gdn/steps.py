# SPDX-License-Identifier: Apache-2.0
"""Families with a step size: nothing is erased, g = dt A. In both, q is C, k is B and v is x of the papers."""

from .gates import Operands, as_decay, as_gate
from .arithmetic import constant, spread, total, wide


def _in(dtype, *tensors):
    return tuple(tensor.to(dtype) for tensor in tensors)


def _operands(x, write, decay):
    q, k, v = x["q"], x["k"], x["v"]
    write, decay = as_gate(write, q), as_decay(decay, q)
    erase = constant(0.0, q.shape, write.dtype, q.device)
    return Operands(q, k, v, erase, spread(write, v.shape[3]), spread(decay, q.shape[3]))


class Mamba2:
    """w_t = dt_t, g_t = dt_t A with one A for all tokens of a head."""

    def operands(self, x, sequences):
        dt, rate = _in(wide(x["q"].dtype), x["dt"], x["A"])
        return _operands(x, dt, dt * rate)

    def output(self, x, sequences, scale, o):
        return o

    def gradients(self, x, sequences, scale, grads, do):
        dt, rate = _in(wide(x["q"].dtype), x["dt"], x["A"])
        decay = total(grads.g)
        return {"q": grads.q, "k": grads.k, "v": grads.v, "dt": total(grads.w) + rate * decay, "A": (dt * decay).sum((0, 1))}


class Mamba3:
    """The state takes half of a token's write one step late (kernels/gdn/mamba3.h):

        h_t = a_t h_{t-1} + (1 - lam_t) dt_t a_t k_{t-1} v_{t-1}^T + lam_t dt_t k_t v_t^T,   a_t = e^{dt_t A_t}

    which is the operator with w_t = lam_t dt_t + n_t, n_t = (1 - lam_{t+1}) dt_{t+1}, when -n_t scale (q_t . k_t) v_t is added to the
    output: what t+1 will write is not there yet at t."""

    def operands(self, x, sequences):
        dt, rate, lam = _in(wide(x["q"].dtype), x["dt"], x["A"], x["lam"])
        return _operands(x, lam * dt + _next_share(dt, lam, sequences), dt * rate)

    def output(self, x, sequences, scale, o):
        q, k, v, dt, lam = _in(wide(x["q"].dtype), x["q"], x["k"], x["v"], x["dt"], x["lam"])
        score = scale * (q * k).sum(-1, keepdim=True)
        return o - _next_share(dt, lam, sequences).unsqueeze(-1) * score * v

    def gradients(self, x, sequences, scale, grads, do):
        q, k, v, do, dt, rate, lam = _in(wide(x["q"].dtype), x["q"], x["k"], x["v"], do, x["dt"], x["A"], x["lam"])
        share = _next_share(dt, lam, sequences).unsqueeze(-1)
        score, score_grad = (q * k).sum(-1, keepdim=True), (v * do).sum(-1, keepdim=True)
        write, decay = total(grads.w), total(grads.g)
        # Of n_t, which is made of the next token's lam and dt: none where a sequence ends.
        next_grad = (write - scale * (score * score_grad).squeeze(-1)).masked_fill(sequences.ends(dt.device), 0)
        dt_grad, lam_grad = lam * write + rate * decay, dt * write
        dt_grad[:, 1:] += (1 - lam[:, 1:]) * next_grad[:, :-1]
        lam_grad[:, 1:] -= dt[:, 1:] * next_grad[:, :-1]
        share = scale * share
        return {"q": grads.q - share * score_grad * k, "k": grads.k - share * score_grad * q, "v": grads.v - share * score * do,
                "dt": dt_grad, "A": dt * decay, "lam": lam_grad}


def _next_share(dt, lam, sequences):
    """n_t [B, T, H]; 0 for the last token of a sequence."""
    share = dt.new_zeros(dt.shape)
    share[:, :-1] = (1 - lam[:, 1:]) * dt[:, 1:]
    return share.masked_fill(sequences.ends(dt.device), 0)
