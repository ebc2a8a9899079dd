"""Ordinary functions of numbers."""

# People write % as well.
# ruff: noqa: UP031

from __future__ import annotations

import math
import string


def hms(n: int) -> str:
    return "%02d:%02d:%02d" % (n // 3600, n // 60 % 60, n % 60)


def money(x: float) -> str:
    return f"${x:,.2f}"


def pc(x: float) -> str:
    return "%.1f%%" % (x * 100)


def grade(x: float) -> str:
    for limit, g in ((90, "A"), (80, "B"), (70, "C")):
        if x >= limit:
            return g
    return "F"


def tax(x: float) -> float:
    t = 0.0
    b = [(0, 10000, 0.1), (10000, 40000, 0.2), (40000, float("inf"), 0.3)]
    for lo, hi, r in b:
        if x > lo:
            t += (min(x, hi) - lo) * r
    return t


def season(m: int) -> str:
    if m in (12, 1, 2):
        return "winter"
    if m in {3, 4, 5}:
        return "spring"
    return "other"


def status(c: int) -> str:
    match c // 100:
        case 2:
            return "ok"
        case 3:
            return "redirect"
        case 4 | 5:
            return "error"
        case _:
            return "other"


def roman(n: int) -> str:
    out = ""
    for v, s in [
        (1000, "M"),
        (900, "CM"),
        (500, "D"),
        (400, "CD"),
        (100, "C"),
        (90, "XC"),
        (50, "L"),
        (40, "XL"),
        (10, "X"),
        (9, "IX"),
        (5, "V"),
        (4, "IV"),
        (1, "I"),
    ]:
        while n >= v:
            out += s
            n -= v
    return out


def b36(n: int) -> str:
    d = string.digits + string.ascii_lowercase
    out = ""
    while n:
        n, r = divmod(n, 36)
        out = d[r] + out
    return out or "0"


def leap(y: int) -> bool:
    return y % 4 == 0 and (y % 100 != 0 or y % 400 == 0)


def binr(n: int) -> str:
    return bin(n)[2:]


def bits(n: int) -> int:
    return bin(n).count("1")


def fmtb(n: int) -> str:
    return format(n, "08b")


def size(n: float) -> str:
    for u in ("B", "KB", "MB", "GB"):
        if n < 1024:
            return f"{n:.1f} {u}"
        n /= 1024
    return f"{n:.1f} TB"


def rnd(x: float) -> int:
    return round(x)


def half(x: float) -> float:
    return math.floor(x * 2 + 0.5) / 2


def near5(n: int) -> int:
    return 5 * round(n / 5)


def sign(x: float) -> int:
    return (x > 0) - (x < 0)


def lerp(a: float, b: float, t: float) -> float:
    return a + (b - a) * t


def quad(a: float, b: float, c: float) -> float | None:
    d = b * b - 4 * a * c
    if d < 0:
        return None
    return (-b + math.sqrt(d)) / (2 * a)


def coll(n: int) -> int:
    s = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        s += 1
    return s


def digsum(n: int) -> int:
    return sum(map(int, str(abs(n))))


def digs(n: int) -> int:
    return sum(int(d) for d in str(n))


def chain(x: float) -> bool:
    return 0 <= x < 100


def nested(x: int) -> int:

    def inner(y):
        return y * 2

    return inner(x) + 1


def lam(x: int) -> int:
    return (lambda y: y + 1)(x)


def ternary(x: int) -> str:
    return "neg" if x < 0 else "zero" if x == 0 else "pos"


def tup(a: int, b: int) -> int:
    return max((a, b))


def f_to_c(f: float) -> float:
    return (f - 32) * 5 / 9


def f_to_c2(f: float) -> float:
    return round((f - 32) * 5.0 / 9.0, 2)


def clamp(x: float, lo: float, hi: float) -> float:
    return max(lo, min(hi, x))


def bands(n: int) -> str:
    if n < 18:
        return "child"
    elif n < 65:
        return "adult"
    else:
        return "senior"


def default(x: int | None) -> int:
    return x if x is not None else 0


def hyp(x: float, y: float) -> float:
    return math.sqrt(x * x + y * y)


def fizz(n: int) -> str:
    return "FizzBuzz" if n % 15 == 0 else "Fizz" if n % 3 == 0 else "Buzz" if n % 5 == 0 else str(n)


def cents(x: float) -> int:
    return round(x * 100)


def hexs(n: int) -> str:
    return hex(n)


def fmt(n: int) -> str:
    return f"{n:,}"


def pad(n: int) -> str:
    return str(n).zfill(8)


def fib(n: int) -> int:
    a, b = (0, 1)
    for _ in range(n):
        a, b = (b, a + b)
    return a


def gcd(a: int, b: int) -> int:
    while b:
        a, b = (b, a % b)
    return a


def gcd2(a: int, b: int) -> int:
    return math.gcd(a, b)


def prime(n: int) -> bool:
    if n < 2:
        return False
    i = 2
    while i * i <= n:
        if n % i == 0:
            return False
        i += 1
    return True


def pct(a: int, b: int) -> float:
    return round(100.0 * a / b, 2) if b else 0.0
