"""Functions that change lists, dicts and objects under several names: in the JVM as in Python.

What is changed under one name is changed under all, and nothing else is.
"""

from __future__ import annotations

import random

from tests.fuzz import containers

NAMESPACE = containers.NAMESPACE
# What is kept by the first letter of a name: l a list, d a dict, o an object, n a list of lists.
_MADE = {
    "l": ("[n, 1]", "[]", "[1, 2]", "list(range(3))", "[n] * 2", "[v for v in (n, 2)]", "{l}[:]"),
    "d": ("{{'a': n, 'b': 1}}", "{{}}", "{{'a': 1}}", "dict(a=n, b=2)", "dict({d})"),
    "o": ("Point(n, 1)", "Plain(n, 1)", "Point(1, 2)"),
    "n": ("[{l}, {l}]", "[[n, 1], {l}]", "[[n, 1], [2, n]]", "[[1, 2], [3, 4]]", "[[]] * 2",
          "[[0] * 2 for _ in range(2)]"),
}  # fmt: skip
_CHANGES = {
    "l": (
        *("{l}.append({v})", "{l}[0:1] = [9]", "{l} += [{v}]", "{l} = {l} + [3]", "{l} *= 2"),
        *("{l}.extend([4, {v}])", "{l}.insert(0, {v})", "{l}.reverse()", "{l}.sort()"),
        *("{l}.clear()", "{l}.extend({l})", "{l} = {l}", "del {l}[-1:]"),
        *("if {l}:\n    {l}[0] = {v}", "if {l}:\n    {l}.pop()"),
        "if len({l}) > 1:\n    {l}[0], {l}[-1] = {l}[-1], {l}[0]",
    ),
    "d": (
        *(
            "{d}['a'] = {v}",
            "{d}['c'] = {v}",
            "{d}.update(b={v})",
            "{d}.update({d}, a={v})",
            "{d}.update({{'b': {v}}})",
            "{d}.setdefault('a', 8)",
        ),
        *("{d}.pop('b', None)", "{d} = {{**{d}, 'z': 1}}", "{d}['a'] = {d}.get('a', 0) + 1"),
        *("{d} = {d}", "{d} |= {{'q': {v}}}", "for k in list({d}):\n    {d}[k] = 4"),
    ),
    "o": ("{o}.a = {v}", "{o}.b += 1", "{o}.a, {o}.b = {o}.b, {o}.a", "{o} = {o}"),
    "n": (
        *("for each in {n}:\n    each.append({v})", "{n}[0].append(6)", "{n}[-1][0:0] = [{v}]"),
        *("for each in {n}:\n    each += [2]", "{n}.append([{v}])", "{n}.append({l})"),
        *("{n} = [each[:] for each in {n}]", "{n} = [each for each in {n} if each]"),
        *("{l} = {n}[0]", "{n}[0] = {l}", "{n}[0] *= 2"),
    ),
}
_SHOWN = {
    "l": "str({})",
    "d": "','.join(f'{{k}}={{v}}' for k, v in {}.items())",
    "o": "str({0}.a) + ',' + str({0}.b)",
    "n": "';'.join(str(each) for each in {})",
}
_AROUND = (
    "if n > {at}:\n{one}",
    "if n > {at}:\n{one}\nelse:\n{other}",
    "for i in range(2):\n{one}",
    "try:\n{one}\n    n // (n - 1)\nexcept ZeroDivisionError:\n    n += 3",
)


class _Names:
    """The names that a function has so far, and what is filled in for them."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.known: list[str] = []

    def some(self, kind: str) -> str:
        """One of the names of a kind, or what makes another."""
        known = [name for name in self.known if name[0] == kind]
        return self.chance.choice(known) if known else self.made(kind)

    def made(self, kind: str) -> str:
        """What makes another; as often as not it is one that is there."""
        known = [name for name in self.known if name[0] == kind]
        if known and self.chance.random() < 0.5:
            return self.chance.choice(known)
        forms = [form for form in _MADE[kind] if known or f"{{{kind}}}" not in form]
        return self.filled(self.chance.choice(forms))

    def filled(self, form: str) -> str:
        """A form, each of whose places is filled anew."""
        while place := next((p for p in ("{l}", "{d}", "{o}", "{n}", "{v}") if p in form), ""):
            value = self.chance.choice("n17") if place == "{v}" else self.some(place[1])
            form = form.replace(place, value.replace("{", "{{").replace("}", "}}"), 1)
        return form.format()

    def defined(self) -> str:
        """A statement that gives a name a value."""
        kind = self.chance.choice("ldonln")
        name, value = f"{kind}{self.chance.randint(0, 2)}", self.made(kind)
        if name not in self.known:
            self.known.append(name)
        return f"{name} = {value}"

    def changed(self) -> str:
        """A statement that changes what a name has, or gives the name another value."""
        kind = self.chance.choice(self.known)[0]
        while True:
            form = self.chance.choice(_CHANGES[kind])
            # Only what has a name can be changed.
            if all(f"{{{each}}}" not in form or self._has(each) for each in "ldon"):
                return self.filled(form)

    def _has(self, kind: str) -> bool:
        return any(name[0] == kind for name in self.known)


def drawn(chance: random.Random) -> str:
    """A function of one whole number, as text; it gives all that it has at its end."""
    names = _Names(chance)
    lines = [names.defined(), names.defined()]
    for _ in range(chance.randint(1, 5)):
        if chance.random() < 0.4:
            inner = [_indented(names.changed()) for _ in range(2)]
            form = chance.choice(_AROUND)
            lines.append(form.format(at=chance.randint(0, 2), one=inner[0], other=inner[1]))
        else:
            lines.append(names.changed() if chance.random() < 0.7 else names.defined())
    shown = " + '|' + ".join(_SHOWN[name[0]].format(name) for name in names.known)
    return _indented("def generated(n):\n" + "\n".join([*lines, f"return {shown}"]))[4:]


def _indented(text: str) -> str:
    return "\n".join("    " + line for line in text.split("\n"))
