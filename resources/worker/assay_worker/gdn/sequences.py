# SPDX-License-Identifier: Apache-2.0
"""cu_seqlens: where the sequences that one batch row holds start."""

import weakref

import torch


class Sequences:
    """The sequences of a call. Without cu_seqlens each batch row is one."""

    def __init__(self, cu_seqlens, batch, tokens):
        """ValueError or TypeError where `cu_seqlens` is not N + 1 rising offsets from 0 to T of the only batch row."""
        self.starts = [] if cu_seqlens is None else _offsets(cu_seqlens)
        self.count = len(self.starts) - 1 if self.starts else batch
        self._given = cu_seqlens
        self._tokens = tokens
        if cu_seqlens is not None:
            _check(self.starts, batch, tokens)

    def ends(self, device):
        """[T, 1], true for the last token of a sequence."""
        past_last = torch.zeros(self._tokens + 1, 1, dtype=torch.bool, device=device)
        if self.starts:
            past_last.index_fill_(0, self.on(device)[1:].long(), True)  # one that is empty and comes first ends at 0, which is no token
        else:
            past_last[self._tokens] = True
        return past_last[1:]

    def on(self, device):
        """The offsets as int32 on a device; None where there are none."""
        if not self.starts:
            return None
        given = self._given if isinstance(self._given, torch.Tensor) else torch.tensor(self.starts, dtype=torch.int32)
        return given.to(device=device, dtype=torch.int32).contiguous()


_last_read = (None, None, None)  # weak reference to a tensor, its version, its offsets


def _offsets(given):
    """As a list. A tensor on a device is waited for, once for as long as nobody writes to it."""
    global _last_read
    if not isinstance(given, torch.Tensor):
        return [int(offset) for offset in given]
    if given.dim() != 1 or given.dtype not in (torch.int32, torch.int64):
        raise TypeError("cu_seqlens has shape %s and holds %s, expected [N + 1] offsets in int32 or int64" % (
            list(given.shape), given.dtype))
    if given.device.type == "cpu" or given.is_inference():  # an inference tensor counts no versions
        return given.tolist()
    reference, version, offsets = _last_read
    if reference is None or reference() is not given or version != given._version:
        offsets = given.tolist()
        _last_read = (weakref.ref(given), given._version, offsets)
    return offsets


def _check(starts, batch, tokens):
    if batch != 1:
        raise ValueError("cu_seqlens packs the sequences of one batch row, expected q with B = 1 and not %d" % batch)
    if not starts or starts[0] != 0 or starts[-1] != tokens:
        raise ValueError("cu_seqlens %s, expected from 0 to T = %d" % (
            "runs from %d to %d" % (starts[0], starts[-1]) if starts else "is empty", tokens))
    for i in range(1, len(starts)):
        if starts[i] < starts[i - 1]:
            raise ValueError("cu_seqlens has %d at %d after %d, expected rising offsets" % (starts[i], i, starts[i - 1]))
