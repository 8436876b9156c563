#!/usr/bin/env python3
"""How many answers adaptive assignment saves, by recorded answers of people through a real server.

    bench/replay_study.py SOFTLAB [--sets cifar10h,dog] [--seeds 3] [--budgets 3,5,8] [--way gain]
                          [--json FILE]

A study of every set is made and served, and `softlab study simulate --replay` gives half of each
item's recorded answers in the order in which the study asks for them, once with fixed batches and
once adaptively, up to the same number of answers. `softlab labels --method dirichlet` makes labels of
what was given, without annotators; the other half of the answers is the reference. A saving is 1 - b / e, where equal
allocation needs e answers per item for the quality that adaptive assignment has with b. Its 95 %
interval is a bootstrap over items. --way auto lets the server choose by gain only where that is known
to pay. Needs SOFTLAB_DATA. Loopback only.

Levels and policy were chosen on CIFAR-10H. The sets to judge by are the others, and their list was
fixed before any of them was run.
"""
import argparse
import csv
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy

BATCH, RESAMPLES = 20, 1000
# Answers per second of all annotators together: slow enough that the server knows most answers when it
# chooses, as it does with real people, who take seconds for an answer and minutes for a session.
RATE = 400
# Budgets of equal allocation: the curve on which a quality is looked up.
CURVE = [1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24]


def read_cifar10h(data):
    answers = json.loads((data / "cifar10h/answers_valid.json").read_text())
    return [(item, who, str(said)) for item, people in answers.items() for who, said in people.items()]


def read_cifar10h_counts(data):
    """All 10,000 images. Who answered is not published: the n-th answer about every image is of person n."""
    counts = numpy.load(data / "cifar10h/cifar10h-counts.npy").astype(int)
    said = (numpy.random.default_rng(i).permutation(numpy.repeat(numpy.arange(10), row))
            for i, row in enumerate(counts))
    return [(str(i), f"p{n}", str(k)) for i, row in enumerate(said) for n, k in enumerate(row)]


def read_labelme(data):
    rows = numpy.loadtxt(data / "labelme/answers.txt")
    return [(f"i{i}", f"a{a}", str(int(rows[i, a]))) for i, a in zip(*numpy.nonzero(rows >= 0))]


def read_truth_inference(name):
    def read(data):
        with open(data / "truth_inference" / name / "label.csv", newline="") as file:
            return [(row["item"], row["worker"], row["label"]) for row in csv.DictReader(file)]
    return read


# Sets with too few answers per item cannot show a saving; they are run and shown all the same.
SETS = {"cifar10h": read_cifar10h, "cifar10h-all": read_cifar10h_counts, "labelme": read_labelme}
SETS.update({name: read_truth_inference(name) for name in
             ("bluebird", "CF", "d_jn-product", "dog", "fact_eval", "MS", "rte", "s4_Relevance", "SP")})


class Answers:
    """The answers of one set; at most one of a person to an item."""

    def __init__(self, rows):
        self.rows = list({(item, who): said for item, who, said in rows}.items())
        self.items = sorted({item for (item, _), _ in self.rows})
        self.classes = sorted({said for _, said in self.rows})
        counts = dict.fromkeys(self.items, 0)
        for (item, _), _ in self.rows:
            counts[item] += 1
        # Half of an item's answers, rounded up, can be given; no item is asked for more often than
        # every item has answers, so that nobody is shown an item that has run out.
        self.most = min((count + 1) // 2 for count in counts.values())

    def write(self, folder):
        with open(folder / "answers.csv", "w", newline="") as file:
            table = csv.writer(file)
            table.writerow(["item", "worker", "label"])
            table.writerows((item, who, "c" + said) for (item, who), said in self.rows)
        with open(folder / "items.tsv", "w") as file:
            file.write("item\ttext\n")
            file.writelines(f"{item}\titem {item}\n" for item in self.items)


def make_study(softlab, folder, answers, way, seed):
    """A study whose sessions are trials alone: no consent, practice, repeats or checks."""
    run(softlab, "study", "init", folder / "study", "--texts", folder / "items.tsv", "--classes",
        ",".join("c" + name for name in answers.classes), "--screen", "hard", "--batch", BATCH,
        "--annotators", 100000, "--contact", "Ada Lovelace, ada@example.org", "--seed", seed)
    path = folder / "study/study.json"
    study = json.loads(path.read_text())
    study["batch"]["repeats"] = 0
    study["flow"]["practice"] = False
    study["comprehension"] = study["debrief"] = []
    if way != "fixed":
        study["assignment"] = "adaptive"
        study["adaptive"].update(most=answers.most, stop=0, way=way, least=2)
    path.write_text(json.dumps(study))


def run(softlab, *words):
    done = subprocess.run([str(word) for word in (softlab, *words)], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, words))}: {done.stderr}")
    return done.stdout


def replay(softlab, folder, answers, n_answers, seed):
    """Serve the study and replay; the server is ended by its process."""
    server = subprocess.Popen([softlab, "study", "serve", folder / "study", "--port", "0", "--admin-port", "0"],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        url = next(filter(None, (re.match("annotators: (.*)", line) for line in server.stdout))).group(1)
        run(softlab, "study", "simulate", url, "--study", folder / "study", "--count", "--rate", RATE,
            "--no-images", "--at-once", 4, "--annotators", 50 + 3 * n_answers // BATCH,
            "--replay", folder / "answers.csv",
            "--replay-share", .5, "--answers", n_answers, "--seed", seed,
            "--given", folder / "given.jsonl", "--held-out", folder / "held-out.jsonl")
    finally:
        server.terminate()
        server.wait()


def drop_names(given, out):
    """The answers without their annotators: careless ones are among the reference too, so labels that
    count them less would be further from it."""
    with open(given) as file, open(out, "w", newline="") as table:
        rows = csv.writer(table)
        rows.writerow(["item", "worker", "label"])
        rows.writerows((a["item"], "", a["class"]) for a in map(json.loads, file) if "item" in a)


def read_rows(path, answers):
    """A row of probabilities per item, in the order of answers.items; NaN where there is none."""
    rows = numpy.full((len(answers.items), len(answers.classes)), numpy.nan)
    place = {item: i for i, item in enumerate(answers.items)}
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            rows[place[row["item"]]] = [float(row["c" + name]) for name in answers.classes]
    return rows


def read_reference(path, answers):
    counts = numpy.zeros((len(answers.items), len(answers.classes)))
    place = {item: i for i, item in enumerate(answers.items)}
    known = {"c" + name: k for k, name in enumerate(answers.classes)}
    with open(path) as file:
        for line in file:
            answer = json.loads(line)
            if "item" in answer:
                counts[place[answer["item"]], known[answer["class"]]] += 1
    return counts


def score(rows, counts):
    """Cross-entropy to the reference, and squared distance less the reference's own noise, by item."""
    n = counts.sum(1)
    shares = counts / n[:, None]
    noise = (shares * (1 - shares)).sum(1) / numpy.maximum(n - 1, 1)
    return {"cross-entropy": -(shares * numpy.log(numpy.maximum(rows, 1e-9))).sum(1),
            "L2": ((rows - shares) ** 2).sum(1) - noise}


def measure(softlab, answers, way, budget, seed):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        answers.write(folder)
        make_study(softlab, folder, answers, way, seed)
        replay(softlab, folder, answers, round(budget * len(answers.items)), seed)
        drop_names(folder / "given.jsonl", folder / "given.csv")
        run(softlab, "labels", folder / "given.csv", "--method", "dirichlet", "-o", folder / "labels.csv")
        rows = read_rows(folder / "labels.csv", answers)
        counts = read_reference(folder / "held-out.jsonl", answers)
        rows[numpy.isnan(rows).any(1)] = numpy.nanmean(rows, 0)
        return score(rows, counts)


def saving(budget, quality, budgets, curve):
    """1 - budget / what equal allocation needs. Errors fall about as 1 / budget, so that the curve is
    straight between neighbours; beyond its ends the saving is that of the end."""
    inverse = [1 / b for b in budgets]
    needed = numpy.interp(-quality, [-value for value in curve], [-i for i in inverse])
    return 1 + budget * needed


def savings(adaptive, equal, budget, budgets):
    """The saving and its interval; arrays have a row per seed and a column per item."""
    n_items = adaptive.shape[1]
    def of(items):
        curve = numpy.minimum.accumulate([equal[b][:, items].mean() for b in budgets])
        return saving(budget, adaptive[:, items].mean(), budgets, curve)
    draw = numpy.random.default_rng(1)
    drawn = [of(draw.integers(0, n_items, n_items)) for _ in range(RESAMPLES)]
    return [float(of(numpy.arange(n_items))), *map(float, numpy.percentile(drawn, [2.5, 97.5]))]


def judge_set(softlab, name, answers, wanted, options):
    budgets = [b for b in CURVE if b < answers.most]
    seeds = range(1, options.seeds + 1)
    stack = lambda way, b: [measure(softlab, answers, way, b, seed) for seed in seeds]
    equal = {b: stack("fixed", b) for b in budgets}
    lines = []
    for budget in (b for b in wanted if 2 < b < answers.most):
        adaptive = stack(options.way, budget)
        for measure_name in ("cross-entropy", "L2"):
            of = lambda runs: numpy.array([run_[measure_name] for run_ in runs])
            lines.append({"set": name, "items": len(answers.items), "most": answers.most, "budget": budget,
                          "measure": measure_name, "seeds": options.seeds, "way": options.way,
                          "saving": savings(of(adaptive), {b: of(runs) for b, runs in equal.items()},
                                            budget, budgets)})
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("softlab")
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--budgets", default="3,5,8")
    parser.add_argument("--way", choices=["auto", "gain"], default="gain")
    parser.add_argument("--json")
    options = parser.parse_args()
    data = os.environ.get("SOFTLAB_DATA")
    if not data:
        sys.exit("replay_study.py needs the data sets: set SOFTLAB_DATA")
    found = []
    for name in options.sets.split(","):
        answers = Answers(SETS[name](Path(data)))
        wanted = [float(b) for b in options.budgets.split(",")]
        lines = judge_set(Path(options.softlab).resolve(), name, answers, wanted, options)
        if not lines:
            print(f"{name:13} {len(answers.items):6} items: at most {answers.most} answers each can be given, "
                  "too few to choose", flush=True)
        for line in lines:
            low, high = (round(100 * value) for value in line["saving"][1:])
            print(f"{name:13} {line['items']:6} items, {line['budget']:g} answers each, {line['measure']:13} "
                  f"saves {100 * line['saving'][0]:4.0f} % [{low}, {high}]", flush=True)
        found += lines
    if options.json:
        Path(options.json).write_text(json.dumps(found))


main()
