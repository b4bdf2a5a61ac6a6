# SPDX-License-Identifier: Apache-2.0
"""The gated linear recurrence token by token and, by autograd of that program, its gradients: what a kernel of the family owes.

    S_t = (I - k_t (b_t * k_t)^T) Diag(e^{g_t}) S_{t-1} + k_t (w_t * v_t)^T,   o_t = K^{-1/2} S_t^T q_t
"""
import torch

FAMILY = "gdn2"
B, T, H, K, V = 1, 64, 2, 16, 16
DTYPE = "float32"

# What the gates of a family are called, after q, k and v.
GATES = {"gdn2": ("b", "w", "g"), "kda": ("beta", "g"), "gdn": ("beta", "g"), "delta": ("beta",), "gla": ("g",),
         "mamba2": ("dt", "A"), "mamba3": ("dt", "A", "lambda")}
NAMES = ("q", "k", "v") + GATES[FAMILY]
SHORT = (torch.float16, torch.bfloat16)


def channels(x):
    """A gate per token [B, T, H] as one per channel, all alike."""
    return x[..., None]


def expected(q, v):
    """Shapes of all inputs, the cotangent last, as q and v give them."""
    tokens, keys, values = q.shape[:3], q.shape, v.shape
    shapes = {"q": keys, "k": keys, "v": values, "b": keys, "w": values, "g": tokens if FAMILY == "gdn" else keys, "beta": tokens,
              "dt": tokens, "A": tokens if FAMILY == "mamba3" else q.shape[2:3], "lambda": tokens}
    return [shapes[name] for name in NAMES] + [values]


def require(inputs):
    """Tensors that do not agree, or hold no token, head or channel, are refused."""
    q, v = inputs[0], inputs[2]
    if q.dim() != 4 or v.dim() != 4 or q.shape[:3] != v.shape[:3] or 0 in q.shape[1:] or 0 in v.shape[1:]:
        raise ValueError("q is %s and v is %s" % (tuple(q.shape), tuple(v.shape)))
    for name, x, shape in zip(NAMES + ("do",), inputs, expected(q, v)):
        if x.shape != shape:
            raise ValueError("%s is %s, expected %s" % (name, tuple(x.shape), tuple(shape)))


def gates(family):
    """(b, w, g) of the operator, broadcast over [B, T, H, channels]; b None where nothing is erased, g None where nothing decays."""
    if FAMILY == "gdn2":
        return family["b"], family["w"], family["g"]
    if FAMILY == "kda":
        return channels(family["beta"]), channels(family["beta"]), family["g"]
    if FAMILY == "gdn":
        return channels(family["beta"]), channels(family["beta"]), channels(family["g"])
    if FAMILY == "delta":
        return channels(family["beta"]), channels(family["beta"]), None
    if FAMILY == "gla":
        return None, None, family["g"]
    if FAMILY == "mamba2":
        return None, channels(family["dt"]), channels(family["dt"] * family["A"])
    return None, channels(family["lambda"] * family["dt"] + later_share(family)), channels(family["dt"] * family["A"])


def later_share(family):
    """Mamba-3: the part of the next token's step that a token writes, (1 - lambda_{t+1}) dt_{t+1}; 0 for the last one."""
    share = (1 - family["lambda"]) * family["dt"]
    return torch.cat([share[:, 1:], torch.zeros_like(share[:, :1])], dim=1)


def tokens_first(x):
    """[B, T, H, channels] as T matrices [B * H, 1, channels]; gates that are the same for all channels stay so."""
    return x.permute(1, 0, 2, 3).reshape(x.shape[1], x.shape[0] * x.shape[2], 1, x.shape[3]).unbind(0)


def recurrence(*inputs):
    """o [B, T, H, V] of q, k, v and the family's gates, in v's dtype; inputs of 16 bits are computed in fp32."""
    wide = [x.float() if x.dtype in SHORT else x for x in inputs]
    q, k, v = wide[:3]
    family = dict(zip(NAMES[3:], wide[3:]))
    b, w, g = gates(family)
    batch, tokens, heads, keys = q.shape
    scale = keys ** -0.5
    keyed, written = tokens_first(k), tokens_first(v if w is None else w * v)
    erased = None if b is None else tokens_first(b * k)
    decay = None if g is None else tokens_first(torch.exp(g))
    state = k.new_zeros(batch * heads, keys, v.shape[-1])
    states = []
    for t in range(tokens):
        if decay is not None:
            state = state * decay[t].transpose(1, 2)
        u = written[t] if erased is None else torch.baddbmm(written[t], erased[t], state, alpha=-1)
        state = torch.baddbmm(state, keyed[t].transpose(1, 2), u)
        states.append(state)
    read = torch.stack(tokens_first(q)) @ torch.stack(states)
    o = scale * read.reshape(tokens, batch, heads, v.shape[-1]).permute(1, 0, 2, 3)
    if FAMILY == "mamba3":
        o = o - scale * (q * k).sum(-1, keepdim=True) * channels(later_share(family)) * v
    return o.to(inputs[2].dtype)


class Model(torch.nn.Module):
    """o, which autograd can follow, and the gradients of all inputs but the last for the last as o's cotangent."""

    def forward(self, *inputs):
        require(inputs)
        with torch.enable_grad():
            leaves = [x.detach().clone().requires_grad_(True) for x in inputs[:-1]]
            o = recurrence(*leaves)
            gradients = torch.autograd.grad(o, leaves, inputs[-1].to(o.dtype))
        o = recurrence(*inputs[:-1]) if torch.is_grad_enabled() else o.detach()
        return dict([("o", o)] + [("d" + name, gradient) for name, gradient in zip(NAMES, gradients)])


def unit(x):
    return x / x.norm(dim=-1, keepdim=True)


def get_inputs():
    q = unit(torch.randn(B, T, H, K))
    v = torch.randn(B, T, H, V)
    k = unit(torch.randn_like(q))
    token, head = q[..., 0], q[0, 0, :, 0]
    # e^g from 1/2 to 1; gates that write or erase from 0 to 1.
    made = {"b": torch.rand_like(q), "w": torch.rand_like(v), "beta": torch.rand_like(token), "dt": torch.rand_like(token),
            "lambda": torch.rand_like(token), "A": -torch.rand_like(token if FAMILY == "mamba3" else head),
            "g": torch.log(1 - 0.5 * torch.rand_like(token if FAMILY == "gdn" else q))}
    dtype = getattr(torch, DTYPE)
    # Decays and steps are sums over many tokens: they have fp32 at least.
    long = torch.float64 if dtype is torch.float64 else torch.float32
    given = [q, k, v] + [made[name] for name in NAMES[3:]]
    given = [x.to(long if name in ("g", "dt", "A", "lambda") else dtype) for name, x in zip(NAMES, given)]
    return given + [torch.randn_like(v).to(dtype)]


def get_init_inputs():
    return []
