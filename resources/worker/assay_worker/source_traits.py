# SPDX-License-Identifier: Apache-2.0
"""What a reference's source shows about it without running it. Only what the model computes counts, not how inputs are made."""

import ast

_SORTS = frozenset("topk sort argsort msort kthvalue median nanmedian mode unique".split())
_RANDOM = frozenset(
    "rand randn randint rand_like randn_like randint_like randperm bernoulli bernoulli_ multinomial normal normal_ uniform_ "
    "exponential_ geometric_ log_normal_ cauchy_ random_ poisson dropout dropout1d dropout2d dropout3d alpha_dropout "
    "feature_alpha_dropout gumbel_softmax rrelu Dropout Dropout1d Dropout2d Dropout3d AlphaDropout FeatureAlphaDropout RReLU".split())
_WIDE = frozenset(("float32", "float64", "double", "float"))
_MAKERS = frozenset(("get_inputs", "get_init_inputs"))


class _Reader(ast.NodeVisitor):
    def __init__(self):
        self.sorts = self.widens = self.random = self.mutates = False
        self._initialising = False

    def visit_FunctionDef(self, node):
        if node.name in _MAKERS:
            return
        outer, self._initialising = self._initialising, node.name == "__init__"
        self.generic_visit(node)
        self._initialising = outer

    def visit_Call(self, node):
        called = node.func
        name = called.attr if isinstance(called, ast.Attribute) else called.id if isinstance(called, ast.Name) else ""
        self.sorts |= name in _SORTS
        if name in _RANDOM and (name[:1].isupper() or not self._initialising):
            self.random = True
        if isinstance(called, ast.Attribute) and not self._initialising:
            self.widens |= name in ("float", "double") and not node.args
            self.mutates |= name.endswith("_") and not name.endswith("__")
            if name in ("to", "type"):
                self.widens |= any(_is_wide(argument) for argument in node.args)
        for keyword in node.keywords:
            if keyword.arg == "dtype" and not self._initialising:
                self.widens |= _is_wide(keyword.value)
            if keyword.arg == "inplace" and getattr(keyword.value, "value", None) is True:
                self.mutates = True
        self.generic_visit(node)

    def visit_Assign(self, node):
        self.mutates |= not self._initialising and any(isinstance(target, ast.Subscript) for target in node.targets)
        self.generic_visit(node)

    def visit_AugAssign(self, node):
        self.mutates |= not self._initialising
        self.generic_visit(node)


def _is_wide(node):
    return isinstance(node, ast.Attribute) and node.attr in _WIDE


def read(source):
    """{"sorts","widens","random","mutates"}: sorts calls topk, sort, median, ...; widens casts up explicitly; random draws in forward;
    mutates assigns into tensors. All False where the source does not parse."""
    reader = _Reader()
    try:
        reader.visit(ast.parse(source))
    except (SyntaxError, ValueError, RecursionError):
        pass
    return {"sorts": reader.sorts, "widens": reader.widens, "random": reader.random, "mutates": reader.mutates}
