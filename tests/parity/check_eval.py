#!/usr/bin/env python3
"""Compare every measure of softlab eval with NumPy and SciPy.

usage: check_eval.py <path of softlab>

The measures are written down again here from their definitions (docs/internals/eval.md), without a
look at ours; made predictions are scored by both.
"""
import json
import os
import subprocess
import sys
import tempfile

import numpy as np
from scipy import optimize, special, stats
from scipy.spatial.distance import jensenshannon

N, K, BIN_SIZE, BINS = 1237, 7, 50, 15
TOLERANCE = 1e-6  # files hold float32


def make(seed):
    """Logits, people's answers as shares, and hard labels that they mostly hit."""
    rng = np.random.default_rng(seed)
    hard = rng.integers(0, K, N)
    mean = 2.0 * np.eye(K)[hard]
    logits = (mean + 1.5 * rng.normal(size=(N, K))).astype(np.float32)
    chances = special.softmax(2 * mean + rng.normal(size=(N, K)), axis=1)
    counts = np.array([rng.multinomial(20, c) for c in chances])
    return logits, (counts / 20).astype(np.float32), hard


def gaps(confidence, right, groups):
    """(share of all items, gap) of each group of items."""
    return [(len(g) / len(right), abs(confidence[g].mean() - right[g].mean())) for g in groups if len(g)]


def calibration(confidence, right):
    order = np.argsort(confidence, kind="stable")
    n_bins = len(right) // BIN_SIZE
    bins = [order[i * BIN_SIZE : (i + 1) * BIN_SIZE] for i in range(n_bins)]
    bins[-1] = order[(n_bins - 1) * BIN_SIZE :]
    out = {}
    for suffix, used in ("", bins[:-1]), ("_corrected", bins):
        g = gaps(confidence, right, used)
        out["rms_calibration" + suffix] = np.sqrt(sum(w * d * d for w, d in g))
        out["mad_calibration" + suffix] = sum(w * d for w, d in g)
        out["max_calibration" + suffix] = max(d for _, d in g)

    def within(edges):
        return [np.flatnonzero((confidence > a) & (confidence <= b)) for a, b in zip(edges, edges[1:])]

    g = gaps(confidence, right, within(np.linspace(0, 1, BINS + 1)))
    out["ece"], out["mce"] = sum(w * d for w, d in g), max(d for _, d in g)
    edges = np.interp(np.linspace(0, N, BINS + 1), np.arange(N), np.sort(confidence))
    out["adaptive_ece"] = sum(w * d for w, d in gaps(confidence, right, within(edges)))
    edges[0] = 0
    out["adaptive_ece_corrected"] = sum(w * d for w, d in gaps(confidence, right, within(edges)))
    out["aurra"] = np.mean(np.cumsum(right[order[::-1]]) / np.arange(1, N + 1))
    doubt, wrong = 1 - confidence, 1.0 - right
    out["soft_f1"] = 2 * (doubt * wrong).sum() / (doubt + wrong).sum()
    out["confidence"] = confidence.mean()
    out["confidence_correct"] = confidence[right].mean()
    out["confidence_incorrect"] = confidence[~right].mean()
    return out


def weighted(hard, first):
    """Precision, recall and F1 of classes, weighted by their items."""
    sums = np.zeros(3)
    for k in range(K):
        hits = np.sum((hard == k) & (first == k))
        precision = hits / max(np.sum(first == k), 1)
        recall = hits / max(np.sum(hard == k), 1)
        f1 = 2 * precision * recall / (precision + recall) if hits else 0
        sums += np.array([precision, recall, f1]) * np.mean(hard == k)
    return dict(zip(("weighted_precision", "weighted_recall", "weighted_f1"), sums))


def crowdtruth(q, hard, first):
    """The same of items that weigh as much as people are clear about them."""
    scores = q / np.linalg.norm(q, axis=1, keepdims=True)
    rows = np.arange(len(q))
    true, chosen = scores[rows, hard], scores[rows, first]
    sums = np.zeros(4)
    for k in range(K):
        hits = true[(hard == k) & (first == k)].sum()
        missed = true[(hard == k) & (first != k)].sum()
        wrong = (first == k) & (hard != k)
        recall = hits / (hits + missed)
        published, corrected = (hits / (hits + np.sum(1 - s[wrong])) for s in (true, chosen))
        f1 = [2 * precision * recall / (precision + recall) for precision in (published, corrected)]
        sums += np.array([published, recall, *f1]) * np.mean(hard == k)
    names = ("precision", "recall", "f1", "f1_corrected")
    return {"crowdtruth_" + name: value for name, value in zip(names, sums)}


def agreement(p, q, hard):
    model, people = np.argsort(p, 1, kind="stable"), np.argsort(q, 1, kind="stable")
    first, second, human, human_second = model[:, -1], model[:, -2], people[:, -1], people[:, -2]
    ranked = np.sort(q, 1)
    unique = ranked[:, -2] > ranked[:, -3]
    right, same = first == human, second == human_second
    out = {
        "accuracy": right.mean(),
        "accuracy_hard": np.mean(first == hard),
        "top2_accuracy": np.mean(right | (second == human)),
        "top2_human": np.mean(right | (first == human_second)),
        "second_best_accuracy": same.mean(),
        "second_best_unique": same[unique].mean(),
        "correct_sba": same[right].mean(),
        "incorrect_sba": (second == human)[~right].mean(),
        "best_sba": np.where(right, same, second == human).mean(),
    }
    return out | weighted(hard, first) | crowdtruth(q, hard, first), right


def reference(logits, q, hard):
    logits, q = logits.astype(float), q.astype(float)
    log_p = special.log_softmax(logits, axis=1)
    p, one_hot = np.exp(log_p), np.eye(K)[hard]
    clipped = np.log(np.clip(p, 1e-12, 1 - 1e-12))
    out, right = agreement(p, q, hard)
    out |= calibration(p.max(1), right)
    own, human = stats.entropy(p, axis=1), stats.entropy(q, axis=1)
    divergence = np.array([jensenshannon(a, b) for a, b in zip(q, p)])

    def loss(t):
        return -np.mean(np.sum(one_hot * special.log_softmax(logits / t, axis=1), 1))

    return out | {
        "cross_entropy": -np.mean(np.sum(q * clipped, 1)),
        "cross_entropy_unclipped": -np.mean(np.sum(q * log_p, 1)),
        "cross_entropy_hard": -np.mean(np.sum(one_hot * clipped, 1)),
        "brier": np.mean(np.sum((p - q) ** 2, 1)),
        "brier_hard": np.mean(np.sum((p - one_hot) ** 2, 1)),
        "temperature": optimize.minimize_scalar(
            loss, bounds=(0.2, 5), method="bounded", options={"xatol": 1e-9}
        ).x,
        "entropy_correlation": stats.pearsonr(own, human)[0],
        "entropy_similarity": own @ human / np.linalg.norm(own) / np.linalg.norm(human),
        "mean_entropy": own.mean(),
        "human_entropy": human.mean(),
        "kl": stats.entropy(q, p, axis=1).mean(),
        "jensen_shannon": np.mean(divergence**2),
        "jensen_shannon_distance": divergence.mean(),
        "l1": np.abs(p - q).sum(1).mean(),
        "wasserstein": np.mean([stats.wasserstein_distance(a, b) for a, b in zip(q, p)]),
        "wasserstein_classes": np.mean(
            [stats.wasserstein_distance(range(K), range(K), a, b) for a, b in zip(q, p)]
        ),
    }


def ours(program, logits, q, hard):
    with tempfile.TemporaryDirectory() as folder:
        predictions, classes = os.path.join(folder, "p.npz"), os.path.join(folder, "hard.npy")
        np.savez(predictions, logits=logits, labels=q)
        np.save(classes, hard)
        words = [program, "eval", predictions, "--hard", classes, "--json"]
        words += ["--bin-size", str(BIN_SIZE), "--bins", str(BINS)]
        return json.loads(subprocess.run(words, check=True, capture_output=True).stdout)


def main():
    listed = subprocess.run([sys.argv[1], "eval", "--list", "--json"], check=True, capture_output=True)
    # Attacks need weights: check_attack.py compares them.
    names = [row["name"] for row in json.loads(listed.stdout) if row["group"] != "attacks"]
    failures = 0
    for seed in range(3):
        study = make(seed)
        theirs, values = reference(*study), ours(sys.argv[1], *study)
        for name in names:
            if not abs(values[name] - theirs.get(name, np.nan)) <= TOLERANCE:
                print(f"seed {seed}: {name} is {values[name]}, expected {theirs.get(name)}")
                failures += 1
    print(f"{len(names)} measures, 3 sets: {failures} differ by more than {TOLERANCE:g}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
