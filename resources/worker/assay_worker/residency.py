# SPDX-License-Identifier: Apache-2.0
"""Where a call computes: own kernels launched, torch compute calls, copies from the device to the host."""

import functools
import sys

from torch.utils._python_dispatch import TorchDispatchMode

from . import primitives as p
from . import settings

_NAMED = 32

#: what obeys each of torch's two settings of TF32, by name or by the beginning of a name
_PRODUCTS = frozenset("mm addmm _addmm_activation bmm baddbmm addbmm matmul linear einsum".split())
_FUSED = ("_scaled_dot_product", "scaled_dot_product", "_native_multi_head_attention", "_transformer_encoder_layer")
_CONVOLUTIONS = ("convolution", "_convolution", "conv1d", "conv2d", "conv3d", "conv_transpose", "conv_depthwise", "_conv_depthwise",
                 "cudnn_convolution", "_slow_conv", "slow_conv", "_cudnn_rnn", "lstm", "gru", "rnn_")

#: views, allocation, fills and copies: no computation that a kernel should have done
_PLUMBING = frozenset(
    "view _unsafe_view _reshape_alias reshape expand permute t transpose slice select unsqueeze squeeze as_strided detach alias "
    "unbind split split_with_sizes chunk narrow diagonal unfold lift lift_fresh movedim flatten unflatten view_as_real "
    "view_as_complex _conj _neg_view set_ resize_ empty empty_like empty_strided new_empty new_empty_strided zeros zeros_like "
    "new_zeros ones ones_like new_ones full full_like new_full zero_ fill_ arange scalar_tensor clone contiguous copy_ _to_copy "
    "_local_scalar_dense item is_same_size sym_size sym_stride sym_numel record_stream _pin_memory is_pinned".split())


class Counter(TorchDispatchMode):
    """Counts while it is on. `rounding` holds the operations on fp32 whose operands the settings of that moment let round to TF32;
    only devices of the kind `rounds_on` can."""

    def __init__(self, rounds_on="cuda"):
        super().__init__()
        self.aten_ops = 0
        self.own_ops = 0
        self.host_copies = 0
        self.names = {}
        self.rounding = {}
        self._rounds_on = rounds_on

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        space, _, name = func._schema.name.partition("::")
        if space not in ("aten", "prims", "prim"):
            self.own_ops += 1
        elif name not in _PLUMBING:
            self.aten_ops += 1
            if len(self.names) < _NAMED:
                self.names[name] = True
            if self._may_round(name, args) and len(self.rounding) < _NAMED:
                self.rounding[name] = True
        made = func(*args, **kwargs)
        if name in ("_to_copy", "copy_", "_local_scalar_dense") and args and isinstance(args[0], p.Tensor):
            source = args[1] if name == "copy_" else args[0]
            target = args[0] if name == "copy_" else made
            to_host = not isinstance(target, p.Tensor) or p.device_of(target).type == "cpu"
            if to_host and isinstance(source, p.Tensor) and p.device_of(source).type != "cpu":
                self.host_copies += 1
        return made

    def _may_round(self, name, args):
        setting = _tf32_setting(name)
        return setting is not None and settings.tf32()[setting] and any(
            p.dtype_of(value) is p.float32 and p.device_of(value).type == self._rounds_on
            for value in args if isinstance(value, p.Tensor))


def _tf32_setting(name):
    """Which of torch's settings of TF32 the operation obeys; None for one that never rounds its operands."""
    if name.startswith(_CONVOLUTIONS):
        return "cudnn"
    return "matmul" if name.rstrip("_") in _PRODUCTS or name.startswith(_FUSED) else None


class OwnLaunches:
    """Counts launches: Triton's through its own hook, once Triton has been imported, and calls into what torch's compilers
    of CUDA built. `own` leaves out the kernels that torch's compiler made: they are torch's."""

    def __init__(self):
        self.count = 0
        self.own = 0
        self._installed = None

    def install(self):
        """Puts the hook in place; called again after foreign code was loaded, because that is what imports Triton."""
        triton = sys.modules.get("triton")
        if triton is None or self._installed is triton:
            return
        self._installed = triton
        knobs = getattr(getattr(triton, "knobs", None), "runtime", None)
        if knobs is not None and hasattr(knobs, "launch_enter_hook"):
            hook = knobs.launch_enter_hook
            if hasattr(hook, "add"):
                hook.add(self._launched)
            else:
                knobs.launch_enter_hook = self._launched
        elif hasattr(getattr(triton, "compiler", None), "CompiledKernel"):
            triton.compiler.CompiledKernel.launch_enter_hook = self._launched

    def watch_extensions(self):
        """Counts calls of the functions of extensions built from here on, and of single kernels that torch compiles."""
        from torch.utils import cpp_extension
        single = getattr(sys.modules.get("torch.cuda._utils"), "_CudaKernel", None)
        if single is not None and not hasattr(single.__call__, "assay_counts"):
            single.__call__ = self._counting(single.__call__)
            single.__call__.assay_counts = True
        for name in ("load", "load_inline"):
            made = getattr(cpp_extension, name)
            if not hasattr(made, "assay_counts"):
                setattr(cpp_extension, name, self.counted(made))

    def counted(self, make):
        """`make`, which builds an extension, with the functions of what it builds counted."""
        @functools.wraps(make)
        def building(*args, **kwargs):
            built = make(*args, **kwargs)
            for name, function in list(getattr(built, "__dict__", {}).items()):
                if type(function).__name__ in ("builtin_function_or_method", "function") and not name.startswith("__"):
                    setattr(built, name, self._counting(function))
            return built
        building.assay_counts = True
        return building

    def _counting(self, function):
        @functools.wraps(function)
        def counting(*args, **kwargs):
            self.count += 1
            self.own += 1
            return function(*args, **kwargs)
        return counting

    def _launched(self, *_, **__):
        self.count += 1
        self.own += not _torch_compiled(sys._getframe(1))


def _torch_compiled(frame):
    """Whether torch's compiler is among the callers: its launcher is what runs the kernels that it made."""
    while frame is not None:
        if str(frame.f_globals.get("__name__", "")).startswith("torch._inductor."):
            return True
        frame = frame.f_back
    return False


def report(counter, launches):
    """The record on the wire. Without a counter only launches are known: "counted" says which."""
    if counter is None:
        return {"counted": False, "launches": launches, "aten_ops": 0, "host_copies": 0, "ops": [], "tf32_ops": []}
    return {"counted": True, "launches": launches + counter.own_ops, "aten_ops": counter.aten_ops,
            "host_copies": counter.host_copies, "ops": list(counter.names), "tf32_ops": list(counter.rounding)}
