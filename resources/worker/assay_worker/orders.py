# SPDX-License-Identifier: Apache-2.0
"""Orders in which a reduction may be carried out."""

import torch


class Order:
    """Cuts a dimension into pieces that are reduced one after another. All pieces together hold every element once, so a sum of the
    pieces' sums is the sum; two tensors of equal length along their dimensions are cut alike, so a contraction is too."""

    name = ""

    def pieces(self, tensor, dim):
        raise NotImplementedError

    def blocks(self, length):
        """Lengths of consecutive blocks, for scans, which cannot be reordered."""
        raise NotImplementedError


class Reversed(Order):
    """From the last element to the first."""

    name = "reversed"

    def pieces(self, tensor, dim):
        return [torch.flip(tensor, (dim,))]

    def blocks(self, length):
        return _equal_blocks(length, 2)


class Split(Order):
    """Four consecutive pieces of unequal length: split-K."""

    name = "split"

    def pieces(self, tensor, dim):
        made, begin = [], 0
        for length in self.blocks(tensor.shape[dim]):
            made.append(tensor.narrow(dim, begin, length))
            begin += length
        return made

    def blocks(self, length):
        if length < 4:
            return _equal_blocks(length, length)
        first, second, third = length // 7 + 1, length // 5 + 1, length // 3
        return [n for n in (first, second, third, length - first - second - third) if n > 0]


class Permuted(Order):
    """One random order, the same for the same length."""

    name = "permuted"

    def __init__(self):
        self._orders = {}

    def pieces(self, tensor, dim):
        length = tensor.shape[dim]
        key = length, tensor.device
        if key not in self._orders:
            generator = torch.Generator().manual_seed(length + 1)
            self._orders[key] = torch.randperm(length, generator=generator).to(tensor.device)
        return [tensor.index_select(dim, self._orders[key])]

    def blocks(self, length):
        return _equal_blocks(length, 5)


class Interleaved(Order):
    """Two halves of alternate elements."""

    name = "interleaved"

    def pieces(self, tensor, dim):
        if tensor.shape[dim] < 2:
            return [tensor]
        index = [slice(None)] * tensor.dim()
        made = []
        for start in (0, 1):
            index[dim] = slice(start, None, 2)
            made.append(tensor[tuple(index)])
        return made

    def blocks(self, length):
        return _equal_blocks(length, 3)


def _equal_blocks(length, count):
    count = max(1, min(count, length))
    base, extra = divmod(length, count)
    return [base + (number < extra) for number in range(count)]
