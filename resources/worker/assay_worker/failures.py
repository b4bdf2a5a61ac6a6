# SPDX-License-Identifier: Apache-2.0
"""Why a request has no answer, as the wire says it."""

import traceback

import torch

from .plain_text import plain

_OutOfMemory = getattr(torch.cuda, "OutOfMemoryError", MemoryError)
_MEMORY_TEXTS = ("out of memory", "can't allocate memory", "not enough memory", "failed to allocate")


class Refusal(Exception):
    """A request that cannot be answered for a reason of the protocol: kind is one of its failure kinds."""

    def __init__(self, kind, message):
        super().__init__(message)
        self.kind = kind


def describe(error, where, launched=False):
    """The failure object of an exception that foreign code (or torch under it) raised."""
    if isinstance(error, Refusal):
        return {"kind": error.kind, "type": "", "message": plain(str(error), 2000), "traceback": "", "where": where,
                "launched": launched}
    try:
        message = str(error)
    except Exception:  # a foreign exception may not print
        message = "<%s does not print>" % type(error).__name__
    memory = isinstance(error, (MemoryError, _OutOfMemory)) or (
        isinstance(error, RuntimeError) and any(text in message.lower() for text in _MEMORY_TEXTS))
    try:
        trace = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    except Exception:
        trace = ""
    return {"kind": "out_of_memory" if memory else "raised", "type": plain(type(error).__name__, 200),
            "message": plain(message, 2000), "traceback": plain(trace, 4000, tail=True), "where": where,
            "launched": launched}
