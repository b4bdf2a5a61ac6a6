# SPDX-License-Identifier: Apache-2.0
"""The Python side of a judgement: processes that run foreign code and answer the judge (see ../PROTOCOL.md)."""
