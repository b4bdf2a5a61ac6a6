# SPDX-License-Identifier: Apache-2.0
"""Foreign text made fit for the wire."""


def plain(text, limit, tail=False):
    """`text` as clean UTF-8 of at most `limit` characters, its end where `tail`."""
    text = text[-limit:] if tail else text[:limit]
    return text.encode("utf-8", "replace").decode("utf-8")
