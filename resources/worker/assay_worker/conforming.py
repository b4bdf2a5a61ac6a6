# SPDX-License-Identifier: Apache-2.0
"""Evaluations of the reference that a correct kernel may differ by: the same mathematics with the arithmetic in another order.

Which of them exist is found once per instance: each is evaluated in fp64 on the native inputs and has to agree with the oracle.
"""

import contextlib
import functools

import torch
from torch.overrides import TorchFunctionMode

try:
    from torch.nn.attention import SDPBackend, sdpa_kernel
except ImportError:
    sdpa_kernel = None

from . import oracle, orders, seeding, tree
from . import primitives as p
from .copying import copied
from .evaluators import Evaluator
from .reorder import Reordering
from .state import ModuleState

_AGREEMENT = 1e-9  # of the output's largest magnitude
_NUDGE = 2.0 ** -30
_NOISE = 2.0 ** -44  # of the inputs' largest magnitude: what fp64 leaves of outputs that are 0 by mathematics
_LARGE = 1 << 23  # input elements above which nothing is tried
_FUSING = (torch.nn.MultiheadAttention, torch.nn.TransformerEncoderLayer)
_BY_SIZE = ("batch_split",)  # what is cut with the batch is told from a weight by its size
_COPIED = 256 << 20  # bytes of state above which the module itself is tried instead of a copy


def examine(instance, leaves, earlier):
    """Tries every evaluation on the native inputs `leaves` and remembers those that exist in `instance.conforming`.
    {"conforming": names, "outputs_require_grad": whether the reference's outputs do as shipped}. Where an `earlier` instance of the same
    source was examined, what existed there is tried again only if it depends on the sizes, and not at all where the inputs are large
    (None: there was none, and no evaluation exists for large ones)."""
    answer = {"conforming": [], "outputs_require_grad": False}
    if earlier is not None and _refused_on_host(instance, leaves):
        makers = dict(_candidates(instance.device))
        answer = dict(earlier, conforming=[name for name in earlier["conforming"] if name not in _BY_SIZE])
        instance.conforming.update((name, makers[name]) for name in answer["conforming"])
        return answer
    if sum(p.numel(leaf.base) for leaf in leaves) > _LARGE and earlier is not None:
        makers = dict(_candidates(instance.device))
        instance.conforming.update((name, makers[name]) for name in earlier["conforming"])
        return dict(earlier)
    try:
        answer["outputs_require_grad"] = _requires_grad(instance, leaves)
        if sum(p.numel(leaf.base) for leaf in leaves) > _LARGE:
            return answer
        examiner = None
        if earlier is None or any(name in earlier["conforming"] for name in _BY_SIZE):
            examiner = _Examiner(instance, leaves)
    except Exception:  # a reference that does not run here has no evaluations; its runs will say why
        return answer
    for name, make in _candidates(instance.device):
        exists = earlier is None or name in earlier["conforming"]
        if exists and (earlier is None or name in _BY_SIZE):
            exists = examiner.exists(make)
        if exists:
            instance.conforming[name] = make
            answer["conforming"].append(name)
    return answer


def _candidates(device):
    for order in (orders.Reversed(), orders.Split(), orders.Permuted()):
        yield order.name, functools.partial(_reordered, order, False)
    yield "formulas", functools.partial(_reordered, orders.Interleaved(), True)
    yield "batch_split", _batch_split
    yield "layout", _layout
    yield "plain", _plain
    if device.type != "cpu":
        yield "host", functools.partial(_host, device)


def _refused_on_host(instance, leaves):
    """Whether the host refuses inputs that hold integers, asked before a GPU is: an index out of range is an assertion there, which ends
    this process's use of the device."""
    if instance.device.type == "cpu" or all(leaf.floats() or leaf.complex or leaf.base.dtype is p.bool_ for leaf in leaves):
        return False
    evaluator = _host(instance.device, instance.module, None, contextlib.nullcontext)
    args, kwargs = instance.arguments([leaf.fresh() for leaf in leaves])
    seeding.manual_seed(0)
    try:
        with p.no_grad():
            evaluator.call(args, kwargs)
    except Exception:
        return True
    return False


def _scratch(module):
    """A copy of `module` to try things on, so that caches in it stay untouched."""
    if not isinstance(module, p.Module):
        return copied(module)
    size = sum(p.numel(value) * p.element_size(value) for value in module.parameters())
    return copied(module) if size < _COPIED else module


def _requires_grad(instance, leaves):
    args, kwargs = instance.arguments([leaf.fresh() for leaf in leaves])
    seeding.manual_seed(0)
    with p.enable_grad():
        outputs = tree.flatten(_scratch(instance.module)(*args, **kwargs), scalars_are_leaves=True)[1]
    return any(isinstance(leaf, p.Tensor) and bool(p.requires_grad_of(leaf)) for leaf in outputs)


class _Examiner:
    """Evaluates in fp64 on the native inputs and compares with the oracle."""

    def __init__(self, instance, leaves):
        self._instance = instance
        self._leaves = [leaf.to(instance.device, p.float64) for leaf in leaves]
        oracle_of = instance.evaluator("r64")
        self._module = _scratch(oracle_of.module)
        self._context = oracle_of.context
        self._noise = _NOISE * max([float(leaf.base.abs().max()) for leaf in leaves if leaf.floats() and p.numel(leaf.base)],
                                   default=0.0)
        oracle_itself = Evaluator(self._module, None, self._context)
        self._truth = self._outputs(oracle_itself, self._leaves)
        # How far the outputs move with the inputs: where they cancel, their own size says nothing about agreement.
        self._moved = self._outputs(oracle_itself, [_nudged(leaf) for leaf in self._leaves])

    def exists(self, make):
        """Whether the evaluation runs, changes something and agrees with the oracle."""
        try:
            evaluator = make(self._module, None, self._context)
            found = self._outputs(evaluator, self._leaves)
        except Exception:
            return False
        if evaluator.rewrites == 0:
            return False
        return len(found) == len(self._truth) == len(self._moved) and all(
            _agrees(*each, self._noise) for each in zip(self._truth, self._moved, found))

    def _outputs(self, evaluator, leaves):
        args, kwargs = self._instance.arguments([leaf.fresh() for leaf in leaves])
        seeding.manual_seed(0)
        with p.no_grad():
            found = tree.flatten(evaluator.call(args, kwargs), scalars_are_leaves=True)[1]
        p.synchronize(self._instance.device)
        return found


def _nudged(leaf):
    """`leaf` with every second floating element larger by a relative 2^-30, far above the noise of fp64."""
    if not leaf.floats():
        return leaf
    factors = torch.ones(p.numel(leaf.base), dtype=p.float64, device=p.device_of(leaf.base))
    factors[::2] += _NUDGE
    return type(leaf)(leaf.base * factors, leaf.shape, leaf.strides, leaf.lead, leaf.complex)


def _agrees(truth, moved, found, noise):
    if not isinstance(truth, p.Tensor):
        return truth == found or truth != truth
    if not isinstance(found, p.Tensor) or truth.shape != found.shape or truth.dtype != found.dtype:
        return False
    if not truth.is_floating_point():
        return p.equal(truth, found)
    finite = torch.isfinite(truth)
    if not p.equal(finite, torch.isfinite(found)):
        return False
    truth, found = truth[finite], found[finite]
    if truth.numel() == 0:
        return True
    reach = (moved[finite] - truth).abs().max() if moved.shape == finite.shape else truth.new_zeros(())
    return bool((truth - found).abs().max() <= torch.fmax(_AGREEMENT * truth.abs().max(), reach) + noise)


def _reordered(order, other_formulas, module, state, context):
    @contextlib.contextmanager
    def within():
        mode = Reordering(order, other_formulas)
        with context(), _explicit_attention(module), mode:
            yield
        evaluator.rewrites += mode.rewrites

    evaluator = Evaluator(module, state, within)
    evaluator.rewrites = 0
    return evaluator


@contextlib.contextmanager
def _explicit_attention(module):
    """Attention as products and softmax, which can be reordered, instead of one fused operation."""
    with contextlib.ExitStack() as stack:
        if isinstance(module, p.Module) and any(isinstance(part, _FUSING) for part in module.modules()):
            stack.enter_context(_Watched())
        if sdpa_kernel is not None:
            stack.enter_context(sdpa_kernel(SDPBackend.MATH))
        yield


class _Watched(TorchFunctionMode):
    """Changes nothing: torch's transformer layers leave their fused path where anybody watches."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))


def _plain(module, state, context):
    """Other library kernels: no oneDNN, no cuDNN, one thread."""
    @contextlib.contextmanager
    def within():
        threads = torch.get_num_threads()
        onednn, cudnn = torch._C._get_mkldnn_enabled(), torch._C._get_cudnn_enabled()
        with context():
            # Not through torch.backends...flags(): those set TF32 as well, and warn about it.
            torch._C._set_mkldnn_enabled(False)
            torch._C._set_cudnn_enabled(False)
            torch.set_num_threads(1)
            try:
                yield
            finally:
                torch._C._set_mkldnn_enabled(onednn)
                torch._C._set_cudnn_enabled(cudnn)
                torch.set_num_threads(threads)
    return Evaluator(module, state, within)


def _host(device, module, state, context):
    """On the processor instead of the device."""
    twin = copied(module)
    if isinstance(twin, p.Module):
        twin.to("cpu")
        for part in twin.modules():
            for key, value in list(part.__dict__.items()):
                if key not in ("_parameters", "_buffers", "_modules"):
                    part.__dict__[key] = _each(value, _to_host)

    def forward(module, args, kwargs):
        return _each(module(*_each(args, _to_host), **_each(kwargs, _to_host)), lambda tensor: p.to(tensor, device))

    return Evaluator(twin, None if state is None else ModuleState(twin, trusts_versions=True), context, forward=forward)


def _to_host(tensor):
    return p.to(tensor, "cpu")


def _layout(module, state, context):
    """Inputs of the same values in another memory layout."""
    def forward(module, args, kwargs):
        return module(*_each(args, _otherwise), **_each(kwargs, _otherwise))
    return Evaluator(module, state, context, forward=forward)


def _otherwise(tensor):
    if tensor.numel() < 2:
        return tensor
    if tensor.dim() == 4 and tensor.shape[1] > 1:
        made = tensor.contiguous(memory_format=torch.channels_last)
        if made.stride() != tensor.stride():
            return made
    if tensor.dim() >= 2 and min(tensor.shape[-2:]) > 1:
        return tensor.transpose(-1, -2).contiguous().transpose(-1, -2)
    # One element past the alignment that vector loops like.
    moved = torch.empty(tensor.numel() + 1, dtype=tensor.dtype, device=tensor.device)[1:]
    return moved.copy_(tensor.reshape(-1)).view(tensor.shape)


def _batch_split(module, state, context):
    """The batch in two parts, one after the other."""
    def forward(module, args, kwargs):
        batch = _batch(args, kwargs)
        if batch is None or batch < 2:
            raise ValueError("there is no batch to split")

        def part(begin, end):
            def cut(tensor):
                return tensor[begin:end] if tensor.dim() > 0 and tensor.shape[0] == batch else tensor
            return module(*_each(args, cut), **_each(kwargs, cut))

        return _joined([part(0, batch // 2), part(batch // 2, batch)])
    return Evaluator(module, state, context, forward=forward)


def _batch(args, kwargs):
    """The first dimension of the input of most dimensions."""
    _, leaves = tree.flatten([list(args), kwargs])
    tensors = [leaf for leaf in leaves if leaf.dim() > 0]
    return max(tensors, key=lambda leaf: leaf.dim()).shape[0] if tensors else None


def _joined(outputs):
    first = outputs[0]
    if isinstance(first, p.Tensor):
        return torch.cat(outputs, 0)
    if isinstance(first, (list, tuple)):
        made = [_joined(items) for items in zip(*outputs)]
        return made if isinstance(first, list) else tuple(made)
    if isinstance(first, dict):
        return {key: _joined([output[key] for output in outputs]) for key in first}
    return first


def _each(value, change):
    if isinstance(value, p.Tensor):
        return change(value)
    if isinstance(value, (list, tuple)):
        made = [_each(item, change) for item in value]
        return made if isinstance(value, list) else tuple(made)
    if type(value) is dict:
        return {key: _each(item, change) for key, item in value.items()}
    return value
