"""Ordinary functions of texts."""

from __future__ import annotations

import hashlib
import re
import string

CODES = {"US": "United States", "DE": "Germany"}
R = re.compile(r"(\d+)\s*(kg|g)")


def name(a: str, b: str) -> str:
    return f"{a} {b}"


def name2(a: str, b: str) -> str:
    return f"{b}, {a}"


def trunc(s: str, n: int) -> str:
    return s if len(s) <= n else s[: n - 3] + "..."


def cnt(s: str, sub: str) -> int:
    return s.lower().count(sub.lower())


def rev(s: str) -> str:
    return " ".join(reversed(s.split()))


def rev2(s: str) -> str:
    return " ".join(w[::-1] for w in s.split(" "))


def lead(s: str) -> str:
    return s.lstrip("0") or "0"


def parse(s: str) -> int | None:
    return int(s) if s.isdigit() else None


def safe(s: str) -> float:
    try:
        return float(s)
    except (TypeError, ValueError):
        return float("nan")


def soundex(s: str) -> str:
    codes = {"B": "1", "F": "1", "P": "1", "V": "1", "C": "2", "G": "2"}
    s = s.upper()
    out = s[0]
    last = codes.get(s[0], "")
    for c in s[1:]:
        k = codes.get(c, "")
        if k and k != last:
            out += k
        last = k
    return (out + "000")[:4]


def rle(s: str) -> str:
    if not s:
        return ""
    out, prev, n = ([], s[0], 1)
    for c in s[1:]:
        if c == prev:
            n += 1
        else:
            out.append(f"{prev}{n}")
            prev, n = (c, 1)
    out.append(f"{prev}{n}")
    return "".join(out)


def ean(s: str) -> bool:
    d = [int(c) for c in s]
    return (10 - (sum(d[0:12:2]) + 3 * sum(d[1:12:2])) % 10) % 10 == d[12]


def iban(s: str) -> bool:
    s = s.replace(" ", "").upper()
    s = s[4:] + s[:4]
    n = "".join(str(int(c, 36)) for c in s)
    return int(n) % 97 == 1


def rot(s: str) -> str:
    return s.translate(str.maketrans("abc", "bcd"))


def strip_punct(s: str) -> str:
    return s.translate(str.maketrans("", "", string.punctuation))


def norm_ws(s: str) -> str:
    return " ".join(s.split())


def ema(s: str) -> bool:
    return re.fullmatch("[\\w.+-]+@[\\w-]+\\.[\\w.]+", s) is not None


def wt(s: str) -> float | None:
    m = R.search(s)
    if not m:
        return None
    v = float(m.group(1))
    return v / 1000 if m.group(2) == "g" else v


def nfa(s: str) -> int:
    return len(re.findall("\\d+", s))


def cap(s: str) -> str:
    return s.capitalize()


def swap(s: str) -> str:
    return s.swapcase()


def just(s: str) -> str:
    return s.rjust(10, "0")


def cen(s: str) -> str:
    return s.center(20, "*")


def enc(s: str) -> int:
    return len(s.encode("utf-8"))


def crc(s: str) -> int:
    h = 0
    for b in s.encode():
        h = (h * 31 + b) % 1000000007
    return h


def fnv(s: str) -> int:
    h = 2166136261
    for b in s.encode("utf-8"):
        h ^= b
        h = h * 16777619 & 4294967295
    return h


def hexd(s: str) -> int:
    return int(s, 16)


def pw(s: str) -> str:
    c = 0
    if any(x.isupper() for x in s):
        c += 1
    if any(x.isdigit() for x in s):
        c += 1
    if len(s) >= 8:
        c += 1
    return ["weak", "medium", "strong", "great"][c]


def dflt(a: str | None, b: str | None) -> str:
    return a or b or "none"


def walrus(s: str) -> str:
    return m.group() if (m := re.search("\\d+", s)) else ""


def dsc(s: str) -> str:
    return s.split(".")[-1] if "." in s else ""


def price(s: str) -> float:
    return float(s.replace("$", "").replace(",", ""))


def price2(s: str) -> float | None:
    try:
        return float(re.sub("[^0-9.]", "", s))
    except ValueError:
        return None


def domain2(u: str) -> str:
    return u.split("//")[-1].split("/")[0]


def domain3(u: str) -> str | None:
    m = re.match("https?://([^/]+)", u)
    return m.group(1) if m else None


def slug(s: str) -> str:
    return re.sub("[^a-z0-9]+", "-", s.lower()).strip("-")


def mask(e: str) -> str:
    name, at, dom = e.partition("@")
    return name[0] + "***" + at + dom


def mask2(e: str) -> str:
    u, d = e.split("@")
    return u[0] + "*" * (len(u) - 1) + "@" + d


def lookup(c: str) -> str:
    return CODES.get(c, "unknown")


def initials(s: str) -> str:
    return "".join(w[0].upper() for w in s.split())


def initials2(s: str) -> str:
    return ".".join([p[0] for p in s.title().split(" ") if p]) + "."


def luhn(s: str) -> bool:
    t = 0
    for i, c in enumerate(reversed(s)):
        d = int(c)
        if i % 2:
            d *= 2
            if d > 9:
                d -= 9
        t += d
    return t % 10 == 0


def chk(s: str) -> int:
    return sum((int(c) * (i + 1) for i, c in enumerate(s) if c.isdigit())) % 97


def fstr(x: float, n: str) -> str:
    return f"{n}: {x:.2f}"


def md5(s: str) -> str:
    return hashlib.md5(s.encode()).hexdigest()


def sha(s: str) -> str:
    return hashlib.sha256(s.encode("utf-8")).hexdigest()


def default2(s: str | None) -> str:
    return s or "n/a"


def title(s: str) -> str:
    return s.strip().title()


def vowels(s: str) -> int:
    return sum(1 for c in s.lower() if c in "aeiou")


def pal(s: str) -> bool:
    t = "".join(c.lower() for c in s if c.isalnum())
    return t == t[::-1]


def phone(s: str) -> str:
    d = re.sub("\\D", "", s)
    return f"({d[:3]}) {d[3:6]}-{d[6:]}" if len(d) == 10 else s


def words(s: str) -> int:
    return len(s.split())


def ip(s: str) -> int:
    a, b, c, d = s.split(".")
    return int(a) << 24 | int(b) << 16 | int(c) << 8 | int(d)


def caesar(s: str) -> str:
    out = ""
    for c in s:
        if c.isalpha():
            b = ord("A") if c.isupper() else ord("a")
            out += chr((ord(c) - b + 3) % 26 + b)
        else:
            out += c
    return out


def ext(s: str) -> str:
    return s.rsplit(".", 1)[-1].lower() if "." in s else ""


def camel2(s: str) -> str:
    p = s.split("_")
    return p[0] + "".join(x.capitalize() for x in p[1:])


def tof(s: str) -> bool:
    return s.strip().lower() in ("yes", "true", "1")
