# SPDX-License-Identifier: Apache-2.0
"""Vector-Jacobian products."""

from . import primitives as p
from . import tensors, tree


def vjp(instance, evaluator, used, cotangents, writer):
    """Forward with gradients, then one backward with one cotangent per floating output leaf, in order. `used` is the input set, whose
    floating leaves require gradients. A null gradient never arrived; zeros are zeros."""
    args, kwargs = instance.arguments(used.tensors)
    with p.enable_grad(), evaluator.context():
        try:
            output = evaluator.plain(args, kwargs)
        except RuntimeError as error:
            if "leaf" not in str(error):
                raise
            # Forward writes into its input, which autograd refuses for a leaf: it gets copies that are no leaves.
            output = evaluator.plain(*_with_copies(args, kwargs, used))
        structure, leaves = tree.flatten(output, scalars_are_leaves=True)
        floating = [leaf for leaf in leaves if isinstance(leaf, p.Tensor) and (p.is_floating_point(leaf) or p.is_complex(leaf))]
        if len(cotangents) != len(floating):
            raise ValueError("%d cotangents for %d floating outputs" % (len(cotangents), len(floating)))
        pairs = [(leaf, _fitting(leaf, cotangent)) for leaf, cotangent in zip(floating, cotangents)
                 if p.requires_grad_of(leaf)]
        wanted = [tensor for tensor in used.tensors if p.requires_grad_of(tensor)]
        parameters = [(name, value) for name, value in evaluator.state.parameters() if p.requires_grad_of(value)]
        sources = wanted + [value for _, value in parameters]
        found = [None] * len(sources)
        if pairs and sources:
            found = p.grad([leaf for leaf, _ in pairs], sources, [cotangent for _, cotangent in pairs], allow_unused=True)
        p.synchronize(instance.device)
    by_identity = {id(source): value for source, value in zip(sources, found)}
    grads = [by_identity.get(id(tensor)) for tensor in used.tensors]
    return {
        "input_grads": [None if value is None else tensors.write(value, writer) for value in grads],
        "state_grads": [{"name": name, "missing": True} if by_identity[id(value)] is None
                        else dict(tensors.write(by_identity[id(value)], writer), name=name) for name, value in parameters],
        "requires_grad": [isinstance(leaf, p.Tensor) and bool(p.requires_grad_of(leaf)) for leaf in leaves],
        "outputs": structure,
    }


def _fitting(leaf, cotangent):
    """`cotangent` in the output's dtype; for a complex one it crosses as pairs of reals."""
    if p.is_complex(leaf) and p.shape_of(cotangent) == (*p.shape_of(leaf), 2):
        cotangent = p.view_as_complex(cotangent)
    return p.to(cotangent, p.dtype_of(leaf))


def _with_copies(args, kwargs, used):
    passed = {id(tensor): p.clone(tensor) for tensor in used.tensors if p.requires_grad_of(tensor)}
    return _replaced(args, passed), _replaced(kwargs, passed)


def _replaced(value, passed):
    if isinstance(value, p.Tensor):
        return passed.get(id(value), value)
    if isinstance(value, (list, tuple)):
        return type(value)(_replaced(item, passed) for item in value)
    if isinstance(value, dict):
        return {key: _replaced(item, passed) for key, item in value.items()}
    return value
