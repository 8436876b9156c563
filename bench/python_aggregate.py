#!/usr/bin/env python3
"""Aggregates 10 million answers from a DataFrame and by the program, in turn, and prints the ratio.

    bench/python_aggregate.py PROGRAM LIBRARY.so [ANSWERS]

The program reads a CSV and writes an .npz; Python begins with the DataFrame and ends with an array.
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import time

os.environ["SOFTLAB_LIBRARY"] = os.path.abspath(sys.argv[2])
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "python"))
import numpy as np
import pandas as pd
import softlab

PER_ITEM, PEOPLE, CLASSES, ROUNDS, BAR = 10, 1000, 10, 3, 1.5


def make(path, count):
    rng = np.random.default_rng(1)
    item = np.arange(count) // PER_ITEM
    truth = rng.integers(0, CLASSES, count // PER_ITEM + 1)
    said = np.where(rng.random(count) < 0.7, truth[item], rng.integers(0, CLASSES, count))
    people = np.array([f"w{i}" for i in range(PEOPLE)])
    names = np.array([f"class{k}" for k in range(CLASSES)])
    pd.DataFrame({"item": np.char.add("img", item.astype(str)),
                  "annotator": people[rng.integers(0, PEOPLE, count)],
                  "label": names[said]}).to_csv(path, index=False)


def timed(work):
    begun = time.perf_counter()
    result = work()
    return time.perf_counter() - begun, result


def main():
    program = os.path.abspath(sys.argv[1])
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 10_000_000
    with tempfile.TemporaryDirectory(prefix="softlab-bench-") as folder:
        table, labels = f"{folder}/votes.csv", f"{folder}/labels.npz"
        make(table, count)
        frame = pd.read_csv(table)
        command = [program, "labels", table, "--method", "ds", "-o", labels, "-q"]
        best = {"program": np.inf, "python": np.inf}
        for _ in range(ROUNDS):
            seconds, _ = timed(lambda: subprocess.run(command, check=True))
            best["program"] = min(best["program"], seconds)
            seconds, found = timed(lambda: softlab.aggregate(frame, "ds"))
            best["python"] = min(best["python"], seconds)
        same = np.array_equal(np.load(labels)["labels"], found.probabilities)
    ratio = best["python"] / best["program"]
    print(f"{count:,} answers, ds: program {best['program']:.2f} s, Python {best['python']:.2f} s, ratio {ratio:.2f} "
          f"(bar {BAR}), {'the same bits' if same else 'OTHER BITS'}")
    sys.exit(not (same and ratio <= BAR))


main()
