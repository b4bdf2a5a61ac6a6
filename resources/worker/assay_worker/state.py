# SPDX-License-Identifier: Apache-2.0
"""Parameters and buffers of a module: what they are, the values that runs start from, and putting them back."""

from . import primitives as p
from . import tensors

_ALWAYS_BELOW = 16 << 20  # bytes that are copied back without asking whether they changed


class _Slot:
    __slots__ = ("name", "owner", "key", "is_parameter", "persistent", "object", "version", "shape")

    def __init__(self, name, owner, key, is_parameter, persistent, held):
        self.name = name
        self.owner = owner
        self.key = key
        self.is_parameter = is_parameter
        self.persistent = persistent
        self.object = held
        self.version = -1
        self.shape = p.shape_of(held)

    def table(self):
        return self.owner._parameters if self.is_parameter else self.owner._buffers


class ModuleState:
    """Follows the parameters and buffers that `module` has now. They are named by the objects they are now: code that rebinds
    `module.buffer = new` gets the old object back on restore."""

    def __init__(self, module, trusts_versions=False):
        self.module = module
        self.version = 0  # counts set(): twins of the module follow by it
        self._trusts_versions = trusts_versions
        self._slots = list(_slots(module))
        self.values = {slot.name: p.clone(p.detach(slot.object)) for slot in self._slots}
        total = sum(p.numel(v) * p.element_size(v) for v in self.values.values())
        self._copies_always = not trusts_versions or total < _ALWAYS_BELOW

    def names(self):
        return [slot.name for slot in self._slots]

    def describe(self, arena):
        """The state as the wire lists it."""
        return [dict(tensors.write(slot.object, arena), name=slot.name,
                     kind="parameter" if slot.is_parameter else "buffer",
                     requires_grad=bool(p.requires_grad_of(slot.object)), persistent=slot.persistent)
                for slot in self._slots]

    def set(self, values):
        """Takes new start values ({name: tensor}); unknown names raise KeyError, other shapes ValueError."""
        for name, value in values.items():
            held = self.values[name]
            if tuple(p.shape_of(value)) != tuple(p.shape_of(held)):
                raise ValueError("state %s has shape %s, not %s" % (name, list(p.shape_of(held)), list(p.shape_of(value))))
            self.values[name] = p.to(value, device=p.device_of(held), dtype=p.dtype_of(held), copy=True)
        self.version += 1
        for slot in self._slots:
            slot.version = -1

    def restore(self):
        """Puts the start values back into every parameter and buffer, rebinding those that were replaced."""
        with p.no_grad(), p.DisableTorchFunction():
            for slot in self._slots:
                held = slot.object
                table = slot.table()
                if table.get(slot.key) is not held:
                    table[slot.key] = held
                    slot.version = -1
                value = self.values[slot.name]
                if p.shape_of(held) != slot.shape or p.dtype_of(held) is not p.dtype_of(value) \
                        or p.device_of(held) != p.device_of(value):
                    held.data = p.clone(value)
                elif self._copies_always or held._version != slot.version:
                    p.copy_(held, value)
                slot.version = held._version
                if held.grad is not None:
                    held.grad = None

    def apply(self, values, how):
        """Changes the present values: "in_place" writes into the tensors, "load_state_dict" goes through the module's method."""
        present = self.present()
        if how == "load_state_dict":
            full = dict(self.module.state_dict())
            full.update((name, p.to(value, device=p.device_of(present[name]), dtype=p.dtype_of(present[name])))
                        for name, value in values.items())
            self.module.load_state_dict(full, strict=False)
            return
        with p.no_grad():
            for name, value in values.items():
                p.copy_(present[name], p.to(value, device=p.device_of(present[name])))

    def present(self):
        """{name: tensor} as the module holds them at this moment."""
        found = {}
        for slot in self._slots:
            held = slot.table().get(slot.key)
            found[slot.name] = slot.object if held is None else held
        return found

    def parameters(self):
        """[(name, parameter)] of floating parameters as they are now."""
        present = self.present()
        return [(slot.name, present[slot.name]) for slot in self._slots
                if slot.is_parameter and (p.is_floating_point(present[slot.name]) or p.is_complex(present[slot.name]))]


def _slots(module):
    if not isinstance(module, p.Module):
        return
    seen = set()
    for prefix, owner in module.named_modules():
        prefix = prefix + "." if prefix else ""
        for is_parameter, table in ((True, owner._parameters), (False, owner._buffers)):
            for key, held in table.items():
                if not isinstance(held, p.Tensor) or isinstance(held, p.Uninitialized) or id(held) in seen:
                    continue
                seen.add(id(held))
                persistent = is_parameter or key not in getattr(owner, "_non_persistent_buffers_set", ())
                yield _Slot(prefix + key, owner, key, is_parameter, persistent, held)
