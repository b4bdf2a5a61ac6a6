# SPDX-License-Identifier: Apache-2.0
"""Numbers for the memory behind tensors: equal numbers share bytes."""

from . import primitives as p


class Storages:
    """The numbers of one run. Memory that somebody keeps alive (inputs, kept outputs) has its number for the run's length; memory of
    tensors that nobody keeps gets a number for one record, because its address may be handed out again."""

    def __init__(self):
        self._next = 0
        self._held = []  # (begin, end, number, tensor): the tensor keeps the memory alive

    def hold(self, tensor):
        """The number of a tensor that stays alive for the rest of the run."""
        begin, length = p.storage_span(tensor)
        number = self._find(self._held, begin, length)
        if number is None:
            number = self._take()
            if length:
                self._held.append((begin, begin + length, number, tensor))
        return number

    def number(self, values, keeps):
        """The numbers of one record's leaves; Python numbers have storages of their own."""
        passing, numbers = [], []
        for value in values:
            if not isinstance(value, p.Tensor):
                numbers.append(self._take())
            elif keeps:
                numbers.append(self.hold(value))
            else:
                begin, length = p.storage_span(value)
                found = self._find(self._held, begin, length)
                if found is None:
                    found = self._find(passing, begin, length)
                if found is None:
                    found = self._take()
                    passing.append((begin, begin + length, found, None))
                numbers.append(found)
        return numbers

    def _take(self):
        self._next += 1
        return self._next - 1

    @staticmethod
    def _find(spans, begin, length):
        if not length:
            return None
        for first, end, number, _ in spans:
            if begin < end and first < begin + length:
                return number
        return None
