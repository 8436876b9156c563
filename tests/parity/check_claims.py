#!/usr/bin/env python3
"""Compare the verdicts of softlab report with SciPy: difference, 95 % interval, test and verdict of claims
of every relation, by paired runs, by Welch and by a paper's printed figures.

usage: check_claims.py <path of softlab> [--plant sign|interval] [RESULTS]

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

ALIKE = .05
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
    """Student's t over the runs that every term has once."""
    shared = set.intersection(*(set(values) for _, values in terms))
    sums = np.array([sum(weight * values[run] for weight, values in terms) for run in sorted(shared)])
    return sums if len(sums) >= 2 else None


def welch(summaries):
    """Estimate and half interval of a weighted sum of means (mean, variance of the mean, freedom)."""
    estimate = sum(w * mean for w, mean, _, _ in summaries)
    parts = np.array([w * w * variance for w, _, variance, _ in summaries])
    freedom = np.array([f for _, _, _, f in summaries], dtype=float)
    if np.isnan(parts).any():
        return estimate, np.nan
    if parts.sum() == 0:
        return estimate, 0.0
    used = parts > 0
    effective = parts.sum() ** 2 / (parts[used] ** 2 / freedom[used]).sum()
    return estimate, stats.t.ppf(.975, effective) * np.sqrt(parts.sum())


def decide(estimate, half, margin):
    low, high = estimate - half, estimate + half
    if margin is None:
        return "holds" if low > 0 else "fails" if high < 0 else "undecided"
    if low >= -margin and high <= margin:
        return "holds"
    return "fails" if low > margin or high < -margin else "undecided"


def sign_of(relation, metric):
    return {"more": 1, "similar": 1, "less": -1}.get(relation, BETTER[metric])


def judge_runs(relation, metric, terms):
    """Verdict, difference, half interval and test of terms (weight, {run: value})."""
    sign = sign_of(relation, metric) * (-1 if PLANT == "sign" else 1)
    turned = [(weight * sign, values) for weight, values in terms]
    means = [np.mean(list(values.values())) for _, values in terms]
    margin = ALIKE * max(abs(means[0]), abs(means[1])) if relation == "similar" else None
    sums = paired(turned)
    if sums is not None:
        # SciPy's own paired interval, from the one-sample test.
        interval = stats.ttest_1samp(sums, 0).confidence_interval(.95)
        estimate, half = sums.mean(), (interval.high - interval.low) / 2
        test = f"{len(sums)} pairs"
    else:
        summaries = []
        for (weight, values), mean in zip(turned, means):
            sample = np.array(list(values.values()))
            variance = sample.var(ddof=1) / len(sample) if len(sample) > 1 else np.nan
            summaries.append((weight, mean, variance, len(sample) - 1))
        estimate, half = welch(summaries)
        test = "Welch"
    if PLANT == "interval":
        half *= 1.001
    return decide(estimate, half, margin), estimate, half, test


def judge_paper(relation, metric, terms):
    """The words for terms (weight, value, ±, kind, runs), or "not printed"."""
    if any(term is None or np.isnan(term[1]) for term in terms):
        return "not printed"
    summaries = []
    for weight, value, plus, kind, n_runs in terms:
        error = 0.0
        if not np.isnan(plus) and n_runs >= 2:
            error = {"ci95": plus / stats.t.ppf(.975, n_runs - 1), "sd": plus / np.sqrt(n_runs),
                     "se": plus}.get(kind, 0.0)
        summaries.append((weight * sign_of(relation, metric), value, error ** 2, max(n_runs - 1, 1)))
    margin = ALIKE * max(abs(terms[0][1]), abs(terms[1][1])) if relation == "similar" else None
    estimate, half = welch(summaries)
    verdict = decide(estimate, half, margin)
    if all(s[2] == 0 for s in summaries) and estimate == 0 and margin is None:
        return "fails"
    if verdict == "undecided" and margin is None:
        return ("holds" if estimate > 0 else "fails") + ", within its ±"
    return verdict


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
    verdict, estimate, half, test = wanted
    here = shown["Here"][2].replace(" here", "")
    value, plus, _ = shown["Difference in its favour"]
    found = []
    if here != verdict:
        found.append(f"verdict {here}, SciPy's {verdict}")
    if not same(value, estimate) or not same(plus, half):
        found.append(f"{value} ± {plus}, SciPy's {estimate} ± {half}")
    if shown["Test"][2] != test:
        found.append(f"test {shown['Test'][2]}, expected {test}")
    return [f"{name}: {problem}" for problem in found]


# ---- A made specification ----

CLAIMS = [("better", "a", "b", "cross_entropy", "t"), ("better", "b", "a", "cross_entropy", "t"),
          ("better", "a", "c", "accuracy", "t"), ("better", "c", "a", "cross_entropy", "u"),
          ("similar", "a", "e", "cross_entropy", "t"), ("similar", "a", "b", "cross_entropy", "t"),
          ("similar", "a", "c", "accuracy", "t"), ("more", "b", "a", "entropy", "t"),
          ("less", "b", "a", "entropy", "t"), ("gain", "a", "b", "cross_entropy", "u>t"),
          ("gain", "a", "c", "cross_entropy", "u>t"), ("gain", "a>e", "b>c", "accuracy", "t"),
          ("better", "a", "a", "cross_entropy", "t>u"), ("better", "a", "d", "cross_entropy", "t")]
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


def write_made(folder, runs, rng):
    columns = [f"{test}/{metric}" for test in ("t", "u") for metric in METRICS]
    cells, expected = {}, {}
    for number, name in enumerate("abce"):
        for column in columns:
            test, metric = column.split("/")
            cells[f"{name}|{column}"] = f"{name}/{metric}-{test}"
            kind = KINDS[number % 4]
            expected[name, column] = (round(rng.uniform(1, 1.4), 3), round(rng.uniform(.01, .2), 3) if kind
                                      else float("nan"), kind, 15 if kind else 0)
    spec = {"softlab": "experiment", "version": 1, "name": "made", "title": "made", "source": "nowhere",
            "notes": [], "needs": ["train"], "sets": {name: {"labels": None} for name in "abcde"},
            "networks": ["n1", "n2"], "seeds": list(range(1, 13)),
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
                                   "set": name, "network": network, "seed": seed, "fold": None,
                                   "metrics": figures}) + "\n")
    return expected


def check_made(program, seed):
    rng = np.random.default_rng(seed)
    runs = make_runs(rng)
    problems, verdicts = [], set()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        expected = write_made(folder, runs, rng)
        shown = report_claims(program, folder / "results.jsonl", folder)["made-claims"]
    for row, (relation, better, worse, metric, test) in zip(shown, CLAIMS, strict=True):
        scale = 100 if metric == "accuracy" else 1
        terms, printed = [], []
        for weight, side, where in contrast_of(relation, better, worse, test):
            column = f"{where}/{metric}"
            terms.append((weight, {(network, number): scale * figures[column]
                                   for (name, network, number), figures in runs.items() if name == side}))
            printed.append((weight, *expected[side, column]) if (side, column) in expected else None)
        wanted = judge_runs(relation, metric, terms)
        name = f"made {seed}, {relation} {better} {worse} {metric} {test}"
        problems += compare(name, row, wanted)
        paper = judge_paper(relation, metric, printed)
        said = row["In the paper's own figures"][2]
        if said != paper:
            problems.append(f"{name}: the paper's {said}, expected {paper}")
        verdicts.add((relation, wanted[0], wanted[3] == "Welch"))
    return len(CLAIMS), problems, verdicts


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


def check_results(program, path):
    lines = defaultdict(list)
    for text in Path(path).read_text(encoding="utf-8").splitlines():
        line = json.loads(text)
        if line.get("softlab") == "result" and line.get("set"):
            lines[line["spec"]].append({key: line.get(key) for key in
                                        ("set", "part", "network", "seed", "fold", "metrics")})
    shown, problems, verdicts, count = report_claims(program, path, None), [], set(), 0
    for name, runs in sorted(lines.items()):
        folder = Path(__file__).resolve().parents[2] / "experiments" / name
        spec = json.loads((folder / "spec.json").read_text(encoding="utf-8"))
        roles = spec.get("scales", {}).get("quick", {}).get("stands_for", {})
        for run in runs:
            run["network"] = roles.get(run["network"], run["network"])
        table = shown.get(f"{name.replace('/', '-').replace('.', '-')}-claims", [])
        with (folder / "claims.csv").open(encoding="utf-8") as file:
            for claim, row in zip(csv.DictReader(file), table):
                relation = claim["claim"].split(":")[0]
                terms = find_terms(runs, spec, relation, claim) if claim["metric"] in BETTER else None
                if not terms or row["Test"][2] == "computed":
                    continue
                wanted = judge_runs(relation, claim["metric"], terms)
                found = compare(f"{name}, {claim['claim']}", row, wanted)
                problems += found
                verdicts.add((relation, wanted[0], wanted[3] == "Welch"))
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
        if {v for _, v, _ in verdicts} != {"holds", "fails", "undecided"}:
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
