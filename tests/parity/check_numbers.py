#!/usr/bin/env python3
"""Compares softlab's numbers with NumPy and SciPy.

    /usr/bin/python3 tests/parity/check_numbers.py build/release/tests/parity/parity_numbers

One line per mismatch, then 'N passed, N failed'; the exit code is 1 if anything failed.
"""
import subprocess
import sys

import numpy as np
from scipy import optimize, special, stats

# Relative tolerance per function. Where it is wider than 1e-12, the reason is SciPy's side:
# its incomplete beta loses digits for large parameters (I_0.5(a, a) is 0.5 + 3e-10 for a = 1e5),
# and curve_fit stops where its own optimiser stops.
TOLERANCES = {
    "digamma": 1e-12,
    "incomplete_beta": 1e-11,
    "incomplete_beta_large": 1e-9,
    "normal_quantile": 1e-12,
    "t_quantile": 1e-10,
    "t_cdf": 1e-10,
    "chi2_quantile": 1e-11,
    "logistic_fit": 1e-7,
    "pearson": 1e-12,
    "mean": 1e-13,
    "sd": 1e-13,
    "quantile": 1e-13,
    "mean_interval": 1e-10,
    "philox": 0,
}
# Below this an incomplete beta is compared absolutely: it has underflowed on one side.
ABSOLUTE = {
    "incomplete_beta": 1e-280,
    "incomplete_beta_large": 1e-280,
    "t_cdf": 1e-280,
    "chi2_quantile": 1e-280,
    "quantile": 1e-300,
}


def logistic(x, k, x0):
    return special.expit(k * (x - x0))


def fit_logistic(x, y):
    start = (1.0, np.median(x))
    fitted, _ = optimize.curve_fit(logistic, x, y, p0=start, ftol=1e-15, xtol=1e-15, gtol=1e-15)
    return fitted


def mean_interval(values):
    return stats.t.interval(0.95, len(values) - 1, np.mean(values), stats.sem(values))


def t_quantile(p, freedom):
    """SciPy's quantile has about 8 digits; Newton's method on its cdf gives the others."""
    tail = min(p, 1 - p)
    t = stats.t.ppf(tail, freedom)
    for _ in range(3):
        t -= (stats.t.cdf(t, freedom) - tail) / stats.t.pdf(t, freedom)
    return t if p < 0.5 else -t


def philox(k0, k1, position, item):
    """NumPy increments its counter before the first block."""
    generator = np.random.Philox(key=k0 | k1 << 64,
                                 counter=(position - 1) | item << 64 | 7 << 128)
    return generator.random_raw(4)


def real(text):
    return float(text)


# What a row holds: arguments (by reader), then values; `data` looks an earlier row up.
REFERENCES = {
    "digamma": ((real,), special.digamma),
    "incomplete_beta": ((real, real, real), special.betainc),
    "incomplete_beta_large": ((real, real, real), special.betainc),
    "normal_quantile": ((real,), special.ndtri),
    "t_quantile": ((real, real), t_quantile),
    "t_cdf": ((real, real), lambda t, freedom: stats.t.cdf(t, freedom)),
    "chi2_quantile": ((real, real), lambda p, freedom: 2 * special.gammaincinv(freedom / 2, p)),
    "logistic_fit": (("data", "data"), fit_logistic),
    "pearson": (("data", "data"), lambda x, y: stats.pearsonr(x, y)[0]),
    "mean": (("data",), np.mean),
    "sd": (("data",), lambda values: np.std(values, ddof=1)),
    "quantile": (("data", real), np.quantile),
    "mean_interval": (("data",), mean_interval),
    "philox": ((int, int, int, int), philox),
}


def agrees(name, ours, theirs):
    """Written so that NaN fails."""
    if name == "philox":
        return int(ours) == int(theirs)
    ours, theirs = float(ours), float(theirs)
    if ours == theirs:
        return True
    return abs(ours - theirs) <= TOLERANCES[name] * abs(theirs) + ABSOLUTE.get(name, 0)


def check_row(fields, data):
    """The mismatches of one row, as sentences, and the number of values compared."""
    name = fields[0]
    readers, reference = REFERENCES[name]
    arguments = [data[text] if reader == "data" else reader(text)
                 for reader, text in zip(readers, fields[1:])]
    expected = np.ravel(reference(*arguments))
    values = fields[1 + len(readers):]
    call = f"{name}({', '.join(fields[1:1 + len(readers)])})"
    if len(values) != len(expected):
        return [f"{call}: {len(values)} values, expected {len(expected)}"], len(expected)
    wrong = [f"{call}: got {ours}, expected {theirs!r}"
             for ours, theirs in zip(values, expected) if not agrees(name, ours, theirs)]
    return wrong, len(values)


def main():
    if len(sys.argv) != 2:
        sys.exit(f"usage: {sys.argv[0]} parity_numbers")
    run = subprocess.run([sys.argv[1]], capture_output=True, text=True, check=False)
    if run.returncode != 0:
        sys.exit(f"{sys.argv[1]}: exit code {run.returncode}: {run.stderr.strip()}")
    data, seen, passed, failed = {}, set(), 0, 0
    for line in run.stdout.splitlines():
        fields = line.split(",")
        if fields[0] == "data":
            data[fields[1]] = np.array([float(text) for text in fields[2:]])
            continue
        wrong, count = check_row(fields, data)
        seen.add(fields[0])
        failed += len(wrong)
        passed += count - len(wrong)
        for sentence in wrong:
            print(sentence)
    for name in sorted(set(REFERENCES) - seen):
        print(f"{name}: no rows")
        failed += 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
