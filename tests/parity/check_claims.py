#!/usr/bin/env python3
"""Compare the verdicts of softlab report with SciPy: difference, 95 % interval, test, verdict and verdict
after Holm of claims of every relation, by paired runs, by folds, by Welch and by a paper's printed figures.

usage: check_claims.py <path of softlab> [--plant sign|interval|overlap] [RESULTS]

The rules are written down again here from docs/internals/report.md, without a look at ours. Without
RESULTS a made specification with made runs is judged; with them, all claims about trained rows of the
specifications in experiments/ that RESULTS holds and whose rows are found by name. --plant spoils our own
side, to show that the comparison would see it.
"""
import csv
import io
import json
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

import numpy as np
from scipy import stats

ALIKE = .05  # of the larger mean; of shares, points of the whole
SHARES = {"accuracy", "fgsm_accuracy", "pgd_accuracy", "second_best_accuracy", "confidence", "median"}
TOLERANCE = 1e-7  # quantiles of t agree to about 3e-9
BETTER = {"cross_entropy": -1, "accuracy": 1, "rms_calibration": -1, "fgsm_loss": -1, "fgsm_accuracy": 1,
          "entropy_correlation": 1, "pgd_accuracy": 1, "pgd_loss": -1, "entropy": 0, "corruption_ce": -1,
          "second_best_accuracy": 1}
PLANT = None


def contrast_of(relation, better, worse, test):
    """(weight, row, test set) of each mean in the claim, before it is turned."""
    def halves(text):
        first, _, second = text.partition(">")
        return first, second or first
    b, w, t = halves(better), halves(worse), halves(test)
    if relation == "gain":
        return [(1, b[0], t[0]), (-1, w[0], t[0]), (-1, b[1], t[1]), (1, w[1], t[1])]
    return [(1, b[0], t[0]), (-1, w[1], t[1])]


def paired(terms):
    """Differences over the runs that every term has once."""
    shared = set.intersection(*(set(values) for _, values in terms))
    sums = np.array([sum(weight * values[run] for weight, values in terms) for run in sorted(shared)])
    return sums if len(sums) >= 2 else None


def welch(summaries):
    """Estimate, half interval, standard error and freedom of a weighted sum of means (weight, mean,
    variance of the mean, freedom)."""
    estimate = sum(w * mean for w, mean, _, _ in summaries)
    parts = np.array([w * w * variance for w, _, variance, _ in summaries])
    freedom = np.array([f for _, _, _, f in summaries], dtype=float)
    if np.isnan(parts).any():
        return estimate, np.nan, np.nan, np.nan
    if parts.sum() == 0:
        return estimate, 0.0, 0.0, np.inf
    used = parts > 0
    effective = parts.sum() ** 2 / (parts[used] ** 2 / freedom[used]).sum()
    error = np.sqrt(parts.sum())
    return estimate, stats.t.ppf(.975, effective) * error, error, effective


def margin_of(relation, metric, scale, means):
    if relation not in ("similar", "not-better"):
        return None
    return ALIKE * scale if metric in SHARES else ALIKE * max(abs(means[0]), abs(means[1]))


def decide(relation, estimate, error, freedom, margin):
    """Verdict and p, the level at which it turns, of a difference with its standard error."""
    if relation == "no-claim":
        return "not judged", np.nan
    if error == 0:
        holds = {"similar": abs(estimate) <= (margin or 0), "not-better": estimate <= (margin or 0)}
        return "holds" if holds.get(relation, estimate > 0) else "fails", np.nan
    if np.isnan(error):
        return "undecided", np.nan
    def tail(distance):
        return stats.t.sf(distance / error, freedom)
    if relation == "similar":
        p = 2 * tail(abs(abs(estimate) - margin))
        return ("undecided" if p > .05 else "holds" if abs(estimate) < margin else "fails"), p
    if relation == "not-better":
        p = tail(margin - estimate)
        if p <= .05:
            return "holds", p
        p = min(p, 2 * tail(estimate))
        return ("fails" if estimate > 0 and 2 * tail(estimate) <= .05 else "undecided"), p
    p = 2 * tail(abs(estimate))
    return ("undecided" if p > .05 else "holds" if estimate > 0 else "fails"), p


def holm(verdicts):
    """Verdicts after Holm's correction of (verdict, p): SciPy has none, so it is written out."""
    order = sorted((p, i) for i, (_, p) in enumerate(verdicts) if not np.isnan(p))
    adjusted, largest = [verdict for verdict, _ in verdicts], 0
    for rank, (p, i) in enumerate(order):
        largest = max(largest, (len(order) - rank) * p)
        if largest > .05:
            adjusted[i] = "undecided"
    return adjusted


def sign_of(relation, metric):
    if relation == "no-claim":
        return BETTER[metric] or 1
    return {"more": 1, "similar": 1, "less": -1}.get(relation, BETTER[metric])


def judge_runs(relation, metric, scale, terms, overlap=0):
    """(verdict, p), difference, half interval and test of terms (weight, {run: value})."""
    sign = sign_of(relation, metric) * (-1 if PLANT == "sign" else 1)
    turned = [(weight * sign, values) for weight, values in terms]
    means = [np.mean(list(values.values())) for _, values in terms]
    sums = paired(turned)
    if sums is not None:
        # SciPy's standard error of the mean, squared, is s^2 / n: overlap adds s^2 n_test / n_train.
        error = np.sqrt(stats.sem(sums) ** 2 + sums.var(ddof=1) * overlap)
        estimate, freedom = sums.mean(), len(sums) - 1
        half, test = stats.t.ppf(.975, freedom) * error, f"paired t-test, {len(sums)} pairs"
    else:
        summaries = []
        for (weight, values), mean in zip(turned, means):
            sample = np.array(list(values.values()))
            variance = sample.var(ddof=1) * (1 / len(sample) + overlap) if len(sample) > 1 else np.nan
            summaries.append((weight, mean, variance, len(sample) - 1))
        estimate, half, error, freedom = welch(summaries)
        test = "Welch"
    if PLANT == "interval":
        half *= 1.001
    if PLANT == "overlap" and overlap:
        half *= .9
    return decide(relation, estimate, error, freedom, margin_of(relation, metric, scale, means)), \
        estimate, half, test


def printed_error(plus, kind, n_runs):
    """Standard error and freedom of a printed ±; of an unknown kind or number the widest reading."""
    if np.isnan(plus):
        return 0.0, max(n_runs - 1, 1)
    known = n_runs >= 2
    freedom = n_runs - 1 if known else np.inf if kind == "ci95" else 1
    return {"ci95": plus / stats.t.ppf(.975, freedom), "sd": plus / np.sqrt(n_runs if known else 2),
            "se": plus, "": plus}[kind], freedom


def judge_paper(relation, metric, scale, terms):
    """The words for terms (weight, value, ±, kind, runs), or "not printed"."""
    if any(term is None or np.isnan(term[1]) for term in terms):
        return "not printed"
    summaries = []
    for weight, value, plus, kind, n_runs in terms:
        error, freedom = printed_error(plus, kind, n_runs)
        summaries.append((weight * sign_of(relation, metric), value, error ** 2, freedom))
    margin = margin_of(relation, metric, scale, (terms[0][1], terms[1][1]))
    estimate, _, error, freedom = welch(summaries)
    verdict, _ = decide(relation, estimate, error, freedom, margin)
    if verdict == "undecided" and margin is None:
        return "undecided; means agree" if estimate > 0 else "undecided; means disagree"
    return verdict


EVIDENCE = ("from the authors' files", "small network", "paper's network, fewer runs", "paper's network, full scale")


def report_claims(program, results, spec):
    """{claims table: [{column: (value, ±, text)}]} as softlab writes it."""
    words = [program, "report", str(results), "--format", "csv", "--quiet"]
    text = subprocess.run(words + (["--spec", str(spec)] if spec else []), stdout=subprocess.PIPE,
                          check=True).stdout.decode()
    tables = defaultdict(lambda: defaultdict(dict))
    for row in csv.DictReader(io.StringIO(text)):
        if row["table"].endswith("-claims"):
            tables[row["table"]][int(row["row"])][row["column"]] = (
                float(row["value"] or "nan"), float(row["plus_or_minus"] or "nan"), row["text"])
    return {name: [rows[i] for i in sorted(rows)] for name, rows in tables.items()}


def same(a, b):
    return (np.isnan(a) and np.isnan(b)) or abs(a - b) <= TOLERANCE * max(1, abs(a), abs(b))


def compare(name, shown, wanted):
    """Problems of one claim."""
    (verdict, _), estimate, half, test = wanted
    here = shown["Verdict"][2]
    value, plus, _ = shown["Difference in favour of the claim"]
    found = []
    if here != verdict:
        found.append(f"verdict {here}, SciPy's {verdict}")
    if not same(value, estimate) or not same(plus, half):
        found.append(f"{value} ± {plus}, SciPy's {estimate} ± {half}")
    if not shown["Why"][2].startswith(test):
        found.append(f"test {shown['Why'][2]}, expected {test}")
    return [f"{name}: {problem}" for problem in found]


# ---- A made specification ----

CLAIMS = [("better", "a", "b", "cross_entropy", "t"), ("better", "b", "a", "cross_entropy", "t"),
          ("better", "a", "c", "accuracy", "t"), ("better", "c", "a", "cross_entropy", "u"),
          ("similar", "a", "e", "cross_entropy", "t"), ("similar", "a", "b", "cross_entropy", "t"),
          ("similar", "a", "c", "accuracy", "t"), ("more", "b", "a", "entropy", "t"),
          ("less", "b", "a", "entropy", "t"), ("gain", "a", "b", "cross_entropy", "u>t"),
          ("gain", "a", "c", "cross_entropy", "u>t"), ("gain", "a>e", "b>c", "accuracy", "t"),
          ("better", "a", "a", "cross_entropy", "t>u"), ("better", "a", "d", "cross_entropy", "t"),
          ("not-better", "b", "a", "cross_entropy", "t"), ("not-better", "a", "b", "cross_entropy", "t"),
          ("not-better", "a", "e", "cross_entropy", "t"), ("not-better", "c", "a", "accuracy", "t"),
          ("no-claim", "a", "b", "cross_entropy", "t"), ("no-claim", "a", "c", "entropy", "u")]
METRICS = ("cross_entropy", "accuracy", "entropy")
KINDS = ("ci95", "sd", "se", "")


def make_runs(rng):
    """Runs (set, network, seed) with their figures; networks and seeds have effects of their own."""
    level = {"a": 1.2, "b": 1.4, "c": 1.25, "d": 1.3, "e": 1.201}
    effects = {(network, seed): rng.normal(0, .2) for network in ("n1", "n2") for seed in range(1, 13)}
    runs = {}
    for name, mean in level.items():
        seeds = {"c": range(7, 13), "d": [1]}.get(name, range(1, 7))
        for network in ("n1", "n2") if name != "d" else ("n1",):
            for seed in seeds:
                figures = {}
                for test, factor in (("t", 1.0), ("u", 1.6)):
                    ce = factor * (mean + effects[network, seed]) + rng.normal(0, .02)
                    figures.update({f"{test}/cross_entropy": ce, f"{test}/accuracy": 1 / (1 + ce),
                                    f"{test}/entropy": .5 * ce + rng.normal(0, .01)})
                runs[name, network, seed] = figures
    return runs


def write_made(folder, runs, rng, n_folds):
    columns = [f"{test}/{metric}" for test in ("t", "u") for metric in METRICS]
    cells, expected = {}, {}
    for number, name in enumerate("abce"):
        for column in columns:
            test, metric = column.split("/")
            cells[f"{name}|{column}"] = f"{name}/{metric}-{test}"
            kind = KINDS[number % 4]
            n_runs = 15 if kind or not n_folds else 0  # e: an unknown kind, and number
            expected[name, column] = (round(rng.uniform(1, 1.4), 3), round(rng.uniform(.01, .2), 3), kind,
                                      n_runs)
    spec = {"softlab": "experiment", "version": 1, "name": "made", "title": "made", "source": "nowhere",
            "notes": [], "needs": ["train"], "sets": {name: {"labels": None} for name in "abcde"},
            "networks": ["n1", "n2"], "folds": n_folds or None,
            "seeds": [1] if n_folds else list(range(1, 13)),
            "table": {"rows": ["set"], "columns": columns, "pool": ["seed", "network"], "interval": "t95",
                      "scale": {"accuracy": 100}, "cells": cells}}
    (folder / "spec.json").write_text(json.dumps(spec), encoding="utf-8")
    with (folder / "expected.csv").open("w", encoding="utf-8") as file:
        file.write("cell,row,column,metric,test_set,value,uncertainty,uncertainty_kind,n_runs,status,note\n")
        for (name, column), (value, plus, kind, n_runs) in expected.items():
            test, metric = column.split("/")
            file.write(f"{name}/{metric}-{test},{name},{metric},{metric},{test},{value},"
                       f"{'' if np.isnan(plus) else plus},{kind},{n_runs or ''},published,\n")
    with (folder / "claims.csv").open("w", encoding="utf-8") as file:
        file.write("claim,better,worse,metric,test_set,section,words\n")
        for number, (relation, better, worse, metric, test) in enumerate(CLAIMS):
            file.write(f"{relation}:{number},{better},{worse},{metric},{test},1,words\n")
    with (folder / "results.jsonl").open("w", encoding="utf-8") as file:
        for (name, network, seed), figures in runs.items():
            file.write(json.dumps({"softlab": "result", "version": 1, "key": f"{name}{network}{seed}",
                                   "spec": "made", "scale": "paper", "variant": "as-run", "part": None,
                                   "set": name, "network": network, "seed": 1 if n_folds else seed,
                                   "fold": seed if n_folds else None,
                                   "metrics": figures}) + "\n")
    return expected


def check_holm(name, shown, plain):
    """Problems of verdicts after Holm: a family is all claims that rest on one kind of figures."""
    families = defaultdict(list)
    for number, row in enumerate(shown):
        for kind in EVIDENCE:
            if kind in row["Why"][2]:
                families[kind].append(number)
    found = []
    for kind, members in families.items():
        judged = [number for number in members if plain[number] and plain[number][0] != "not judged"]
        for number, verdict in zip(judged, holm([plain[number] for number in judged])):
            said = shown[number]["Verdict after Holm"][2]
            if said != verdict:
                found.append(f"{name}, claim {number}: after Holm {said}, expected {verdict} ({kind})")
    return found


def check_made(program, seed):
    rng = np.random.default_rng(seed)
    runs = make_runs(rng)
    n_folds = 13 * (seed % 2)  # runs of odd tables are folds
    overlap = 1 / (n_folds - 1) if n_folds else 0
    problems, verdicts, plain = [], set(), []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        expected = write_made(folder, runs, rng, n_folds)
        shown = report_claims(program, folder / "results.jsonl", folder)["made-claims"]
    for row, (relation, better, worse, metric, test) in zip(shown, CLAIMS, strict=True):
        scale = 100 if metric == "accuracy" else 1
        terms, printed = [], []
        for weight, side, where in contrast_of(relation, better, worse, test):
            column = f"{where}/{metric}"
            terms.append((weight, {(network, number): scale * figures[column]
                                   for (name, network, number), figures in runs.items() if name == side}))
            printed.append((weight, *expected[side, column]) if (side, column) in expected else None)
        wanted = judge_runs(relation, metric, scale, terms, overlap)
        name = f"made {seed}, {relation} {better} {worse} {metric} {test}"
        problems += compare(name, row, wanted)
        paper = judge_paper(relation, metric, scale, printed)
        said = row["Verdict by the paper's own figures"][2]
        if said != paper:
            problems.append(f"{name}: the paper's {said}, expected {paper}")
        plain.append(wanted[0])
        verdicts.add((relation, wanted[0][0], wanted[3] == "Welch"))
    return len(CLAIMS), problems + check_holm(f"made {seed}", shown, plain), verdicts


# ---- Results that were run ----

def find_terms(lines, spec, relation, claim):
    """Each term's runs by its coordinates or as a label set; None if one has none or needs more."""
    rows, terms = spec["table"]["rows"], []
    scale = spec["table"].get("scale", {}).get(claim["metric"], 1)
    for weight, side, where in contrast_of(relation, claim["better"], claim["worse"], claim["test_set"]):
        found = {}
        for fits in (lambda line, side=side: [str(line[key]) for key in rows] == side.split("/"),
                     lambda line, side=side: line["set"] == side):
            for line in lines:
                value = line["metrics"].get(f"{where}/{claim['metric']}")
                if value is not None and fits(line):
                    found[line["part"], line["network"], line["seed"], line["fold"]] = scale * value
            if found:
                break
        if not found:
            return None
        terms.append((weight, found))
    return terms


def overlap_of(spec, part):
    """n_test / n_train where folds or seeds share training items."""
    design = {**spec, **spec.get("parts", {}).get(part, {})}
    if design.get("folds"):
        return 1 / (design["folds"] - 1)
    split = str(design.get("split"))
    share = float(split[6:]) if split.startswith("share:") else 1
    return (1 - share) / share


def check_results(program, path):
    lines = defaultdict(list)
    for text in Path(path).read_text(encoding="utf-8").splitlines():
        line = json.loads(text)
        if line.get("softlab") == "result" and line.get("set"):
            lines[line["spec"]].append({key: line.get(key) for key in
                                        ("scale", "set", "part", "network", "seed", "fold", "metrics")})
    shown, problems, verdicts, count = report_claims(program, path, None), [], set(), 0
    for name, runs in sorted(lines.items()):
        folder = Path(__file__).resolve().parents[2] / "experiments" / name
        spec = json.loads((folder / "spec.json").read_text(encoding="utf-8"))
        for run in runs:
            roles = spec.get("scales", {}).get(run["scale"], {}).get("stands_for", {})
            run["network"] = roles.get(run["network"], run["network"])
        table = shown.get(f"{name.replace('/', '-').replace('.', '-')}-claims", [])
        with (folder / "claims.csv").open(encoding="utf-8") as file:
            for claim, row in zip(csv.DictReader(file), table):
                relation = claim["claim"].split(":")[0]
                terms = find_terms(runs, spec, relation, claim) if claim["metric"] in BETTER else None
                if not terms or EVIDENCE[0] in row["Why"][2]:
                    continue
                scale = spec["table"].get("scale", {}).get(claim["metric"], 1)
                wanted = judge_runs(relation, claim["metric"], scale, terms,
                                    overlap_of(spec, claim["better"].split("/")[0]))
                found = compare(f"{name}, {claim['claim']}", row, wanted)
                problems += found
                verdicts.add((relation, wanted[0][0], wanted[3] == "Welch"))
                count += 1
    return count, problems, verdicts


def main():
    global PLANT  # pylint: disable=global-statement
    arguments = sys.argv[1:]
    if "--plant" in arguments:
        at = arguments.index("--plant")
        PLANT = arguments[at + 1]
        del arguments[at:at + 2]
    if len(arguments) > 1:
        count, problems, verdicts = check_results(arguments[0], arguments[1])
    else:
        parts = [check_made(arguments[0], seed) for seed in range(5)]
        count, problems = sum(p[0] for p in parts), [problem for p in parts for problem in p[1]]
        verdicts = set.union(*(p[2] for p in parts))
        if {v for _, v, _ in verdicts} != {"holds", "fails", "undecided", "not judged"}:
            problems.append("the made runs do not lead to every verdict")
    if PLANT:
        print(f"planted {PLANT}: {len(problems)} of {count} claims differ")
        return 0 if problems else 1
    for problem in problems:
        print(problem)
    print(f"{count} claims, {len(verdicts)} kinds of outcome, {len(problems)} differences")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
