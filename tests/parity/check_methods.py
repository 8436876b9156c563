#!/usr/bin/env python3
"""Compare every training method with a few lines of PyTorch and its automatic gradients.

usage: check_methods.py <path of the program parity_methods> [--plant sign|factor]

The total, the mixed targets, the gradient by the logits and that by the method's own values must be
within 1e-5 of PyTorch's in double precision, by the norm of the difference over the norm. The pixels
of item i are 1 at place i and else 0, so what the program made of them says which items it mixed
and how. With --plant, results are falsified as a wrong sign or a forgotten mean would: every
comparison must then fail.
"""
import argparse
import json
import math
import os
import subprocess
import sys
import tempfile

import numpy as np
import torch
import torch.nn.functional as F
from torch_parity import Report, distance

LIMIT = 1e-5
LAYERS = ("MW", "VW", "VB", "VW+B")


def cases():
    yield {"method": "plain"}
    yield {"method": "plain", "sum": True}
    for alpha in (0.2, 1.0):
        yield {"method": "mixup", "alpha": alpha}
    yield {"method": "mixup", "alpha": 1.0, "sum": True, "k": 8.0, "x0": 0.4}
    yield {"method": "regmixup", "alpha": 20.0}
    yield {"method": "mix-maxent", "alpha": 10.0, "eta": 1.0}
    yield {"method": "mix-maxent", "alpha": 10.0, "eta": 0.25, "sum": True}
    for kappa in (0.0, 0.5, 0.75, 1.0):
        for detach in (False, True):
            yield {"method": "ent-wc", "alpha": 0.2, "kappa": kappa, "detach": detach}
    yield {"method": "ent-wc", "alpha": 0.2, "kappa": 0.5, "sum": True, "k": 8.0, "x0": 0.4}
    for crowd in range(len(LAYERS)):
        for on_logits in (False, True):
            yield {"method": "crowd-layer", "crowd": crowd, "crowd_on_logits": on_logits}
            yield {"method": "crowd-layer", "crowd": crowd, "crowd_on_logits": on_logits,
                   "sum": True}
            yield {"method": "crowd-layer", "crowd": crowd, "crowd_on_logits": on_logits,
                   "crowd_masked_mean": True}


class Scene:
    """A batch; the same numbers go to both sides."""

    def __init__(self, case, items, classes, spread):
        random = np.random.default_rng(items * 100 + classes)
        self.case, self.items, self.classes = case, items, classes
        self.copies = 2 if case["method"] in ("regmixup", "mix-maxent") else 1
        self.n_annotators = items // 2 + 3
        answers = random.random((items, self.n_annotators)) < 0.4
        answers[0] = answers[:, 1] = False  # an item and an annotator without answers
        self.asked, self.annotators = np.nonzero(answers)
        rows = np.eye(classes)[random.integers(0, classes, len(self.asked))]
        targets = random.dirichlet(np.full(classes, 0.5), items)
        targets[::3] = np.eye(classes)[random.integers(0, classes, len(targets[::3]))]
        logits = spread * random.normal(size=(self.copies * items, classes))
        self.arrays = {"logits": logits.astype(np.float32), "rows": rows.astype(np.float32),
                       "targets": targets.astype(np.float32),
                       "pixels": np.eye(items, dtype=np.float32),
                       "begin": np.concatenate([[0], answers.sum(1).cumsum()]).astype(np.int64),
                       "annotators": self.annotators.astype(np.int32),
                       "n_annotators": np.array([self.n_annotators], np.int64),
                       "values": self.own_values(random).astype(np.float32)}

    def own_values(self, random):
        if self.case["method"] != "crowd-layer":
            return np.zeros(0)
        shape = (self.n_annotators, self.classes)
        first = {"MW": np.broadcast_to(np.eye(self.classes), shape + (self.classes,)),
                 "VW": np.ones(shape), "VB": np.zeros(shape),
                 "VW+B": np.concatenate([np.ones(shape), np.zeros(shape)], 1)}
        first = first[LAYERS[self.case["crowd"]]]
        return first + 0.3 * random.normal(size=first.shape)

    def run(self, program, folder):
        with open(os.path.join(folder, "case.json"), "w", encoding="utf-8") as file:
            json.dump(self.case, file)
        np.savez(os.path.join(folder, "inputs.npz"), **self.arrays)
        subprocess.run([program, folder], check=True)
        with np.load(os.path.join(folder, "results.npz")) as file:
            return {name: file[name].astype(np.float64) for name in file.files}

    def logistic(self, share, first, second):
        """tau of the class pair; class names sort as their numbers."""
        if first == second or "k" not in self.case:
            return share
        if first > second:
            return 1 - self.logistic(1 - share, second, first)
        return 1 / (1 + math.exp(-self.case["k"] * (share - self.case["x0"])))

    def mix(self, pixels):
        """Targets of rows whose pixels say what they were mixed from, and whether all are right."""
        targets, right = self.arrays["targets"].astype(np.float64), True
        classes, mixed, shares = targets.argmax(1), [], set()
        for i, row in enumerate(pixels):
            others = [j for j in np.flatnonzero(row) if j != i]
            right &= len(others) <= 1 and abs(row.sum() - 1) < 1e-6
            partner = others[0] if others else i
            if others:
                shares.add(row[i])
            if self.case["method"] == "mix-maxent":
                right &= classes[i] != classes[partner]
            share = self.logistic(row[i], classes[i], classes[partner])
            mixed.append(share * targets[i] + (1 - share) * targets[partner])
        return np.array(mixed), right and len(shares) == 1

    def expected_targets(self, pixels):
        if self.case["method"] in ("plain", "crowd-layer"):
            return self.arrays["targets"], np.array_equal(pixels, np.eye(self.items))
        if self.copies == 1:
            return self.mix(pixels)
        mixed, right = self.mix(pixels[self.items:])
        right &= np.array_equal(pixels[:self.items], np.eye(self.items))
        return np.concatenate([self.arrays["targets"], mixed]), right


def cross_entropy(logits, targets):
    return -(targets * F.log_softmax(logits, 1)).sum(1)


def entropy(logits):
    return torch.distributions.Categorical(logits=logits).entropy()


def crowd_output(case, given, values, annotators, classes):
    """What each answer's annotator makes of each answer's row."""
    layer = LAYERS[case["crowd"]]
    if layer == "MW":
        return torch.einsum("aj,ajk->ak", given, values.view(-1, classes, classes)[annotators])
    own = values.view(-1, classes * (2 if layer == "VW+B" else 1))[annotators]
    if layer == "VB":
        return given + own
    return given * own[:, :classes] + (own[:, classes:] if layer == "VW+B" else 0)


def losses_of(scene, logits, targets, values):
    """The sum over items, and what the mean divides it by."""
    case, items = scene.case, scene.items
    if case["method"] == "crowd-layer":
        given = logits if case["crowd_on_logits"] else logits.softmax(1)
        output = crowd_output(case, given[scene.asked], values, scene.annotators, scene.classes)
        answers = torch.tensor(scene.arrays["rows"]).double()
        masked = case.get("crowd_masked_mean")
        return (cross_entropy(output, answers).sum(),
                items * scene.n_annotators if masked else len(answers))
    if case["method"] == "regmixup":
        return cross_entropy(logits, targets).sum() / 2, items
    if case["method"] == "mix-maxent":
        clean = cross_entropy(logits[:items], targets[:items]).sum()
        return clean - case["eta"] * entropy(logits[items:]).sum(), items
    loss = cross_entropy(logits, targets)
    if case["method"] == "ent-wc":
        weight = (math.log(2) / entropy(logits)).clamp(case["kappa"], 1)
        loss = loss * (weight.detach() if case["detach"] else weight)
    return loss.sum(), items


def run_torch(scene, targets):
    logits = torch.tensor(scene.arrays["logits"]).double().requires_grad_(True)
    values = torch.tensor(scene.arrays["values"]).double().requires_grad_(True)
    total, count = losses_of(scene, logits, torch.tensor(targets).double(), values.view(-1))
    (total if scene.case.get("sum") else total / count).backward()
    own = values.grad if values.grad is not None else torch.zeros(0)
    return {"total": np.array([total.item()]), "gradient": logits.grad.numpy().ravel(),
            "own_gradient": own.numpy().ravel(), "targets": np.ravel(targets)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--plant", choices=("sign", "factor"))
    options = parser.parse_args()
    report = Report(options.plant)
    with tempfile.TemporaryDirectory() as folder:
        for case in cases():
            for items, classes, spread in ((9, 4, 1.0), (32, 10, 0.3), (21, 8, 12.0)):
                scene = Scene({"detach": False, **case}, items, classes, spread)
                ours = scene.run(options.program, folder)
                pixels = ours["pixels"].reshape(-1, items)
                targets, right = scene.expected_targets(pixels)
                theirs = run_torch(scene, targets)
                if options.plant:
                    ours["gradient"] *= -1 if options.plant == "sign" else items
                title = " ".join(str(value) if key == "method" else f"{key}={value}"
                                 for key, value in case.items())
                measured = [(name, distance(ours[name], theirs[name]), LIMIT) for name in theirs]
                measured.append(("mixed", 0.0 if right else math.nan, 0.0))
                report.compare(f"{title}, {items}x{classes}, logits of {spread}", measured)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
