#!/usr/bin/env python3
"""Whether reports can be set by pdflatex: a report whose every text is difficult (signs of TeX, of other
scripts and of mathematics, words without end, tables wider and longer than a page), as a whole and each
table as the page offers it for download. Fails on any error of TeX and on boxes that stick out.

    tests/long/report_latex.py PROGRAM [RESULTS...]

With RESULTS, reports of those too. Without pdflatex it says so and passes.
"""
import csv
import html
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

NASTY = "[x] * \\end{document} %$#_{}~^ & <b> | \" ` '' -- ± − × ≤ “é” Łódź ✓ μ 猫 ħ"
SETS = ["a_b", "--é", "[c]", "50%", "d" * 70]
MEASURES = ["cross_entropy", "rms_calibration", "fgsm_loss", "accuracy"]
TESTS = ["t_1", "u%", "v"]
# Points. Letters are measured, so what sticks out by more was placed wrongly.
OVERFULL = 1


def columns():
    return [f"{test}/{measure}" for test in TESTS for measure in MEASURES]


def write_spec(folder):
    """Sixty rows and twelve columns, of which the paper prints all."""
    folder.mkdir()
    cells, expected, claims = {}, [], []
    for name in SETS:
        for number in range(12):
            for column in columns():
                test, measure = column.split("/")
                key = f"{name}-{number}/{measure}-{test}"
                cells[f"{name}|{column}" if number == 0 else f"{name}-{number}|{column}"] = key
                expected.append([key, f"{name} {number} {NASTY[:30]}", measure, measure, test, "1.25",
                                 "0.08", "ci95", 15, "published", NASTY])
        claims.append([f"better:{name}", name, SETS[0] if name != SETS[0] else SETS[1],
                       "cross_entropy", TESTS[0], NASTY, NASTY * 3])
    spec = {
        "softlab": "experiment", "version": 1, "name": "difficult", "title": NASTY, "source": NASTY,
        "notes": [NASTY * 4], "needs": ["train"], "sets": {name: {"labels": None} for name in SETS},
        "networks": ["n_1"], "seeds": [1, 2], "scales": {"quick": {}},
        "table": {"rows": ["set"], "columns": columns(), "pool": ["seed"], "interval": "t95",
                  "cells": cells},
    }
    (folder / "spec.json").write_text(json.dumps(spec), encoding="utf-8")
    for name, head, rows in (
            ("expected.csv", "cell,row,column,metric,test_set,value,uncertainty,uncertainty_kind,n_runs,"
             "status,note", expected),
            ("claims.csv", "claim,better,worse,metric,test_set,section,words", claims)):
        with (folder / name).open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(head.split(","))
            writer.writerows(rows)


def write_results(path):
    with path.open("w", encoding="utf-8") as file:
        for name in SETS:
            for seed in (1, 2):
                line = {
                    "softlab": "result", "version": 1, "key": f"{name}-{seed}", "spec": "difficult",
                    "scale": "quick", "variant": "as-run", "part": None, "set": name, "network": "n_1",
                    "seed": seed, "fold": None,
                    "metrics": {column: .5 + .1 * seed for column in columns()},
                    "curve": [[1, 2, .5, None], [2, 1, .75, None]],
                    "attacks": {NASTY: [1, 2, 3]},
                    "reliability": {TESTS[0]: [[0, 1, 10, .5, .4]]},
                    "gallery": [{"item": NASTY, "truth": NASTY, "human": [.5, .5], "model": [1, 0]}],
                    "classes": [NASTY, "="],
                    "commands": [["train", NASTY, "--output", "f" * 200]],
                    "provenance": {"version": NASTY, "build": "b" * 64, "data_sha256": "0" * 64},
                    "time": {"started": "2026-01-01T00:00:00Z", "seconds": 1, "machine": NASTY},
                }
                file.write(json.dumps(line, ensure_ascii=False) + "\n")
        file.write(json.dumps({"softlab": "failure", "key": "f", "spec": "difficult", "set": NASTY,
                               "network": NASTY, "seed": 1, "log": NASTY * 5}) + "\n")


def compile_tex(folder, name, text):
    """What is wrong with it, and its number of pages."""
    (folder / f"{name}.tex").write_text(text, encoding="utf-8")
    for _ in range(2):  # the widths of long tables are known after the first time
        subprocess.run(["pdflatex", "-interaction=nonstopmode", "-no-shell-escape", f"{name}.tex"],
                       cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    log = (folder / f"{name}.log").read_text(encoding="utf-8", errors="replace")
    problems = [line for line in log.splitlines() if line.startswith("! ")]
    problems += [found.group(0) for found in re.finditer(r"Overfull \\hbox \(([\d.]+)pt.*", log)
                 if float(found.group(1)) > OVERFULL]
    pages = re.search(r"Output written on .*? \((\d+) page", log)
    if not pages:
        problems.append("no page was written")
    return [f"{name}: {problem}" for problem in problems], int(pages.group(1)) if pages else 0


def downloads(page):
    """Every table's own LaTeX: the packages that it asks for, and the table."""
    for found in re.finditer(r'download="([^"]*)\.tex"[^>]* data-text="([^"]*)"', page):
        name, text = found.group(1), html.unescape(found.group(2))
        needs = "".join(line[2:] + "\n" for line in text.splitlines() if line.startswith("% "))
        yield name, ("\\documentclass[a4paper]{article}\n" + needs +
                     "\\usepackage[margin=2cm]{geometry}\n\\begin{document}\n" + text +
                     "\\end{document}\n")


def check_report(program, folder, name, arguments):
    run = [program, "report", *map(str, arguments), "--quiet", "--format"]
    latex = subprocess.run([*run, "latex"], stdout=subprocess.PIPE, check=True).stdout.decode()
    page = subprocess.run([*run, "html"], stdout=subprocess.PIPE, check=True).stdout.decode()
    problems, pages = compile_tex(folder, name, latex)
    tables = list(downloads(page))
    if len(tables) != latex.count("\\begin{longtable}"):
        problems.append(f"{name}: {len(tables)} tables can be downloaded, "
                        f"{latex.count(chr(92) + 'begin{longtable}')} are in the document")
    for table, text in tables:
        problems += compile_tex(folder, f"{name}-{table}", text)[0]
    print(f"{name}: {pages} pages and {len(tables)} tables, {len(problems)} problems", flush=True)
    return problems


def main():
    program = str(Path(sys.argv[1]).resolve())
    if not shutil.which("pdflatex"):
        print("skipped: there is no pdflatex; tools/bootstrap latex installs it")
        return 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_spec(folder / "spec")
        write_results(folder / "results.jsonl")
        problems = check_report(program, folder, "difficult",
                                [folder / "results.jsonl", "--spec", folder / "spec"])
        for number, results in enumerate(sys.argv[2:]):
            problems += check_report(program, folder, f"results-{number}", [Path(results).resolve()])
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
