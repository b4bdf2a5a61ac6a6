# SPDX-License-Identifier: Apache-2.0
"""Tiny reference/candidate pairs for the tests of the baselines."""

REFERENCE = '''
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return x * 2


def get_inputs():
    return [torch.randn(4, 8)]


def get_init_inputs():
    return []
'''


def reference(forward="return x * 2", init="super().__init__()", inputs="[torch.randn(4, 8)]", init_inputs="[]", before="", parameters=""):
    """A reference like REFERENCE with some of its parts replaced."""
    return f'''
import torch
import torch.nn as nn

{before}

class Model(nn.Module):
    def __init__(self{parameters}):
        {init}

    def forward(self, x):
        {forward}


def get_inputs():
    return {inputs}


def get_init_inputs():
    return {init_inputs}
'''


def candidate(forward="return x * 2", init="super().__init__()", before="", parameters=""):
    """A candidate that doubles its input, with some of its parts replaced."""
    return f'''
import os
import sys
import torch
import torch.nn as nn

{before}

class ModelNew(nn.Module):
    def __init__(self{parameters}):
        {init}

    def forward(self, x):
        {forward}
'''
