# SPDX-License-Identifier: Apache-2.0
"""Sizes that a task's inputs and constructor arguments are made of, and making them with other sizes.

A size is a number that get_inputs or get_init_inputs gives to a tensor factory, or an integer that get_init_inputs returns; it
does not matter whether it was written as a literal or as a module's constant. Uses of one native value belong to one slot where
the reference refuses to have one of them changed alone and accepts them changed together. The reference is asked on tensors
without memory where it can run on those.
"""

import itertools
import warnings

from . import primitives as p
from . import seeding, tree
from .factories import Factories, argument
from .failures import Refusal

_TRIALS = 400
_COMBINATIONS = 40  # partner sets of one size that are tried
_REAL_ELEMENTS = 1 << 24  # above this, nothing is tried on tensors with memory
_ALL_ELEMENTS = 1 << 28  # over all trials on tensors with memory


class Use:
    """One place where a size is written: `where` is a factory's argument ((occurrence, argument)) or a path into the value that
    get_init_inputs returns ("value", index, ...)."""

    __slots__ = ("call", "occurrence", "where", "argument", "native")

    def __init__(self, call, occurrence, where, text, native):
        self.call = call
        self.occurrence = occurrence
        self.where = where
        self.argument = text
        self.native = native


class Slot:
    """Uses that change together."""

    def __init__(self, number, uses, in_parameters):
        self.number = number
        self.uses = uses
        self.in_parameters = in_parameters

    def describe(self):
        calls = {use.call for use in self.uses}
        return {"id": self.number, "native": self.uses[0].native,
                "uses": [{"call": use.call, "occurrence": use.occurrence, "argument": use.argument} for use in self.uses],
                "where": "both" if len(calls) > 1 else calls.pop(), "in_parameters": self.in_parameters}


class Choice:
    """Values for uses; makes constructor arguments and inputs with them."""

    def __init__(self, values=None):
        self._values = values or {}

    def make(self, module, seed):
        """(what get_init_inputs returns, what get_inputs returns), each under `seed`. Raises what they raise."""
        return self.init(module, seed), self.inputs(module, seed)

    def init(self, module, seed, mode=None):
        maker = getattr(module, "get_init_inputs", None)
        if maker is None:
            return []
        made = self._under("init", maker, seed, mode)
        for use, value in self._values.items():
            if use.call == "init" and use.where[0] == "value":
                made = _replace(made, use.where[1:], value)
        return made

    def inputs(self, module, seed, mode=None):
        maker = getattr(module, "get_inputs", None)
        if not callable(maker):
            raise Refusal("no_entry", "the source defines no function get_inputs")
        return self._under("inputs", maker, seed, mode)

    def _under(self, call, maker, seed, mode):
        rewrites = {(use.occurrence, use.where): value for use, value in self._values.items()
                    if use.call == call and use.where[0] != "value"}
        seeding.manual_seed(seed)
        if mode is None and not rewrites:
            return maker()
        with Factories(rewrites, meta=mode == "meta") as factories:
            made = maker()
        self.seen = factories.uses
        return made


def choice(slots, sizes, single_uses):
    """The Choice of a build request: {slot id: value} for every use of a slot, {"slot.use": value} for single ones."""
    values = {}
    by_number = {slot.number: slot for slot in slots}
    for number, value in sizes.items():
        slot = by_number.get(int(number))
        if slot is None:
            raise Refusal("missing", "there is no size slot %s" % number)
        values.update((use, int(value)) for use in slot.uses)
    for name, value in single_uses.items():
        number, _, index = str(name).partition(".")
        slot = by_number.get(int(number))
        if slot is None or int(index) >= len(slot.uses):
            raise Refusal("missing", "there is no use %s of a size slot" % name)
        values[slot.uses[int(index)]] = int(value)
    return Choice(values)


def discover(module, seed):
    """The slots of a reference's module."""
    return _Discovery(module, seed).slots()


def footprint(module, chosen, seed):
    """{"inputs", "state", "outputs", "largest": elements, "ran": bool} of one forward call with the sizes of `chosen` (a Choice), found on
    tensors without memory. `largest` is that of the largest tensor on the way. Where the call cannot be made so, or is refused, `ran`
    is false and what only it would tell is 0. Raises what making the inputs or the model raises."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        factories, model, inputs = _prepare(module, chosen, seed, "meta")
        found = {"inputs": _count(inputs), "state": sum(p.numel(value) for _, value in _state(model)), "outputs": 0, "largest": 0,
                 "ran": True}
        try:
            found["outputs"] = _count(_call(factories, model, inputs))
            found["largest"] = factories.largest
        except Exception:
            found["ran"] = False
    return found


def _prepare(module, chosen, seed, mode):
    """(the mode that calls are to be made in, model in eval mode, inputs) with the sizes of `chosen`."""
    init = chosen.init(module, seed, mode)
    inputs = chosen.inputs(module, seed, mode)
    factories = Factories(meta=mode == "meta")
    factories.recording = False
    with factories, p.no_grad():
        args, kwargs = tree.arguments(init)
        model = module.Model(*args, **kwargs)
        if isinstance(model, p.Module):
            model.train(False)
    return factories, model, inputs


def _call(factories, model, inputs):
    args, kwargs = tree.arguments(inputs)
    with factories, p.no_grad():
        return model(*args, **kwargs)


def _state(model):
    return itertools.chain(model.named_parameters(), model.named_buffers()) if isinstance(model, p.Module) else ()


def _count(value):
    return sum(p.numel(leaf) for leaf in tree.flatten(value)[1])


class _Discovery:
    def __init__(self, module, seed):
        self._module = module
        self._seed = seed
        self._trials = 0
        self._known = {}
        self._mode = "meta"
        self._uses = []
        self._native = None
        self._elements_left = _ALL_ELEMENTS

    def slots(self):
        """Finds uses at the native sizes, then links them."""
        try:
            self._uses = self._find("meta")
        except Exception:
            self._mode = "real"
            self._uses = self._find("real")
        self._native = self._shapes({})
        if self._native is None and self._mode == "meta":
            self._mode = "real" if self._elements() < _REAL_ELEMENTS else None
            self._native = self._shapes({}) if self._mode else None
        if self._native is None:
            return self._by_value()
        return self._linked()

    def _find(self, mode):
        uses = []
        for call in ("init", "inputs"):
            made = Choice()
            value = getattr(made, call)(self._module, self._seed, mode)
            for occurrence, where, native, name in getattr(made, "seen", ()):
                uses.append(Use(call, occurrence, where, argument(where, name), native))
            if call == "init":
                uses += [Use("init", number, ("value",) + path, "value %s" % ".".join(map(str, path)), native)
                         for number, (path, native) in enumerate(_integers(value))]
        return uses

    def _elements(self):
        """Elements of the native inputs, estimated from their factories' sizes."""
        by_call = {}
        for use in self._uses:
            if use.call == "inputs":
                by_call[use.occurrence] = by_call.get(use.occurrence, 1) * max(1, use.native)
        return sum(by_call.values())

    def _shapes(self, values):
        """The module's parameter and buffer shapes where the reference accepts `values` ({use: value}), else None."""
        key = frozenset((id(use), value) for use, value in values.items())
        if key not in self._known:
            if self._trials >= _TRIALS or self._elements_left <= 0 or self._mode is None:
                return None
            self._trials += 1
            if self._mode == "real":
                self._elements_left -= self._elements()
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    self._known[key] = self._try(Choice(values))
            except Exception:
                self._known[key] = None
        return self._known[key]

    def _try(self, chosen):
        factories, model, inputs = _prepare(self._module, chosen, self._seed, self._mode)
        _call(factories, model, inputs)
        return tuple((name, tuple(value.shape)) for name, value in _state(model))

    def _accepted(self, uses):
        """The shapes with all of `uses` at a larger value that the reference takes, or None."""
        native = uses[0].native
        for value in (2 * native, native + 1) if native > 1 else (native + 1, native + 3):
            shapes = self._shapes({use: value for use in uses})
            if shapes is not None:
                return shapes
        return None

    def _linked(self):
        slots, taken = [], set()

        def add(uses, shapes):
            taken.update(id(use) for use in uses)
            slots.append(Slot(len(slots), uses, shapes is not None and shapes != self._native))

        inputs = [use for use in self._uses if use.call == "inputs"]
        inits = [use for use in self._uses if use.call == "init"]
        for use in inputs:
            if id(use) in taken:
                continue
            uses, shapes = self._with_partners(use, [w for w in inputs + inits if id(w) not in taken])
            add(uses, shapes)
        for use in inits:
            if id(use) in taken or use.native < 1:
                continue
            uses, shapes = self._with_partners(use, [w for w in inits if id(w) not in taken])
            if shapes is not None and shapes != self._native:  # a hyper-parameter that changes no shape is left alone
                add(uses, shapes)
        return slots

    def _with_partners(self, use, free):
        """`use` alone where that is accepted, else with the fewest others of its value that make it accepted, else alone and
        refused."""
        partners = [other for other in free if other is not use and other.native == use.native]
        for count in range(len(partners) + 1):
            for others in itertools.islice(itertools.combinations(partners, count), _COMBINATIONS):
                shapes = self._accepted([use] + list(others))
                if shapes is not None:
                    return [use] + list(others), shapes
        return [use], None

    def _by_value(self):
        """Where the reference cannot be asked, uses of one value are one slot."""
        groups = {}
        for use in self._uses:
            groups.setdefault(use.native, []).append(use)
        groups = [uses for uses in groups.values() if any(use.call == "inputs" for use in uses)]
        return [Slot(number, sorted(uses, key=lambda use: use.call != "inputs"), any(use.call == "init" for use in uses))
                for number, uses in enumerate(groups)]


def _integers(value, path=()):
    if type(value) is int:
        yield path, value
    elif isinstance(value, (list, tuple)):
        for number, item in enumerate(value):
            yield from _integers(item, path + (number,))
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _integers(item, path + (key,))


def _replace(value, path, new):
    if not path:
        return new
    if isinstance(value, dict):
        return {key: _replace(item, path[1:], new) if key == path[0] else item for key, item in value.items()}
    made = [_replace(item, path[1:], new) if number == path[0] else item for number, item in enumerate(value)]
    return type(value)(made) if type(value) in (list, tuple) else made
