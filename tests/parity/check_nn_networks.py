#!/usr/bin/env python3
"""Compares softlab's networks with PyTorch's: logits, gradients, running statistics, training.

    /usr/bin/python3 tests/parity/check_nn_networks.py PROGRAM [--plant sign|factor]
        [--only NETWORK] [--point settled|first]

PROGRAM is parity_nn, or the word torch, which puts PyTorch's own float32 in our place. PyTorch in
float64 is the truth. A network is compared at two points:

settled  No ReLU has an input near zero: batch norms' betas are +-8, and moved on where sums of
         them cancel. Rounding cannot flip a ReLU or what a max pool picks, so softlab must agree
         to many digits.
first    The initial values. Rounding flips ReLUs whose input is near zero, in PyTorch as in
         softlab; softlab may be no further from the truth than three times what PyTorch is in the
         worse of its two memory layouts, by the gradient (the median of several draws, since a
         flip more in one of them is chance: it moves the gradient a hundredfold) and by the
         weights after SGD. Where no ReLU flipped, the settled point's limit holds.

Distances are ||ours - truth|| / ||truth|| over all values of a network at once, and at the settled
point for every tensor by itself.
"""
import argparse
import subprocess
import sys
import tempfile
import time

import numpy as np
import torch
import torch.nn as nn

from torch_layers import Relu, give_noise
from torch_networks import NETWORKS, create
from torch_parity import (Report, Steps, distance, flat, names_of, run_ours, run_torch, weights_of)

LIMITS = {"logits": 1e-5, "gradient": 2e-5, "input gradient": 2e-4, "statistics": 1e-5}
TIMES = 3.0
TENSOR_TIMES = 10.0
BETA = 8.0
# Nearer to each other than this, rounding could decide. A pool's inputs are of the order of 10.
RELU_MARGIN = 1e-4
POOL_MARGIN = 5e-6
DRAWS = 5
STEPS = Steps(10, 0.05)
LAYOUTS = (torch.contiguous_format, torch.channels_last)


def draw_inputs(network, seed):
    """Pixels in 0..1 with neighbours alike, as in pictures, and soft targets."""
    generator = np.random.default_rng(seed)
    channels, height, width = network.shape
    coarse = (network.images, channels, (height + 3) // 4, (width + 3) // 4)
    pixels = generator.uniform(0, 1, coarse).repeat(4, 2).repeat(4, 3)[:, :, :height, :width]
    pixels = 0.7 * pixels + 0.3 * generator.uniform(0, 1, pixels.shape)
    targets = generator.dirichlet(np.full(network.classes, 0.3), network.images)
    return {"input": pixels.astype(np.float32), "targets": targets.astype(np.float32)}


class Settler:
    """Moves betas until every ReLU's input is away from zero, in a few forward passes.

    The batch norm that ran last before a ReLU, with as many channels, is the one that is moved;
    what goes into the ReLU is moved along, so that one pass does most of the work."""

    def __init__(self, model, generator):
        self.model, self.last, self.margin = model, {}, np.inf
        norms = [module for module in model.modules() if isinstance(module, nn.BatchNorm2d)]
        self.hooks = [norm.register_forward_pre_hook(self.remember) for norm in norms]
        self.hooks += [module.register_forward_pre_hook(self.move)
                       for module in model.modules() if norms and isinstance(module, Relu)]
        for norm in norms:
            signs = torch.randint(0, 2, norm.bias.shape, generator=generator) * 2 - 1
            norm.bias.data.copy_(BETA * signs)
            norm.weight.data.uniform_(0.5, 1.5, generator=generator)

    def remember(self, module, _):
        self.last[module.num_features] = module

    def move(self, _, arguments):
        x = arguments[0]
        nearest = x.abs().amin((0, 2, 3))
        self.margin = min(self.margin, nearest.min().item())
        near = nearest < 1
        if not near.any():
            return None
        away = torch.where(x.mean((0, 2, 3)) >= 0, 2 * BETA, -2 * BETA)
        shift = torch.where(near, away, torch.zeros(()))
        self.last[x.shape[1]].bias.data.add_(shift)
        return (x + shift.reshape(1, -1, 1, 1),)

    def run(self, inputs):
        for _ in range(20):
            self.margin = np.inf
            with torch.no_grad():
                self.model(inputs)
            if self.margin >= 1:
                break
        for hook in self.hooks:
            hook.remove()


def window_gap(x, pool):
    """How far a window's largest value is above its second, over windows that are not all 0."""
    windows = x.unfold(2, pool.kernel_size, pool.stride).unfold(3, pool.kernel_size, pool.stride)
    first, second = windows.flatten(4).topk(2)[0].unbind(-1)
    return (first - second)[first != 0].min().item()


def is_settled(model, inputs):
    """No ReLU and no max pool whose choice rounding could change."""
    least = {"relu": np.inf, "pool": np.inf}

    def look_at_relu(_, arguments):
        least["relu"] = min(least["relu"], arguments[0].abs().min().item())

    def look_at_pool(pool, arguments):
        least["pool"] = min(least["pool"], window_gap(arguments[0], pool))

    looks = {Relu: look_at_relu, nn.MaxPool2d: look_at_pool}
    hooks = [module.register_forward_pre_hook(looks[type(module)])
             for module in model.modules() if type(module) in looks]
    with torch.no_grad():
        model(inputs)
    for hook in hooks:
        hook.remove()
    return least["relu"] >= RELU_MARGIN and least["pool"] >= POOL_MARGIN


def take_batch_statistics(model, inputs):
    """Running statistics become the batch's own, so that evaluation stays at the settled point."""
    norms = [module for module in model.modules() if isinstance(module, nn.BatchNorm2d)]
    for module in norms:
        module.momentum = 1.0
    with torch.no_grad():
        model(inputs)
    for module in norms:
        module.momentum = 0.1


class Comparison:
    def __init__(self, name, options, folder, report):
        self.name, self.options, self.folder, self.report = name, options, folder, report
        self.network = NETWORKS[name]

    def case(self, training, steps=None):
        network = self.network
        case = {"network": self.name, "classes": network.classes, "input": network.shape,
                "batch": network.images, "training": training}
        return {**case, **(steps.as_case() if steps else {})}

    def ours(self, model, arrays, steps=None):
        if self.options.program == "torch":
            return run_torch(model, arrays, torch.float32, steps=steps)
        return run_ours(self.options.program, "network", self.folder,
                        self.case(model.training, steps), weights_of(model), arrays,
                        self.options.plant)

    def prepare(self, seed):
        """A model in training with its inputs and noise."""
        model = create(self.name, seed).train()
        arrays = draw_inputs(self.network, seed)
        noise = give_noise(model, torch.tensor(arrays["input"]), seed)
        arrays.update({f"noise{i}": value.numpy() for i, value in enumerate(noise)})
        return model, arrays

    def prepare_settled(self):
        for seed in range(1, 50):
            model, arrays = self.prepare(seed)
            inputs = torch.tensor(arrays["input"])
            Settler(model, torch.Generator().manual_seed(seed)).run(inputs)
            if is_settled(model, inputs):
                take_batch_statistics(model, inputs)
                return model, arrays
        raise RuntimeError("no seed keeps ReLUs and pools from doubt")

    @staticmethod
    def worst_tensor(model, arrays, ours, theirs):
        """The last layer's gradient outweighs the others', so each is looked at by itself.

        Some are all but rounding; a tensor may be TENSOR_TIMES as far off as PyTorch's float32 is in the
        worse of its two memory layouts."""
        single = [run_torch(model, arrays, torch.float32, layout) for layout in LAYOUTS]
        found = {}
        for name in names_of(theirs, "gradient."):
            key = "gradient." + name
            rounding = TENSOR_TIMES * np.max([distance(run[key], theirs[key]) for run in single])
            limit = max(LIMITS["gradient"], rounding)
            found[name] = distance(ours[key], theirs[key]) / limit
        worst = max(found, key=lambda name: (np.isnan(found[name]), found[name]))
        return f"{worst} of its own limit", found[worst], 1.0

    def settled(self):
        model, arrays = self.prepare_settled()
        theirs = run_torch(model, arrays)
        ours = self.ours(model, arrays)
        names, states = names_of(theirs, "gradient."), names_of(theirs, "state.")
        measured = {
            "logits": distance(ours["logits"], theirs["logits"]),
            "gradient": distance(flat(ours, "gradient.", names), flat(theirs, "gradient.", names)),
            "input gradient": distance(ours["input_gradient"], theirs["input_gradient"]),
            "statistics": distance(flat(ours, "state.", states), flat(theirs, "state.", states)),
        }
        lines = [(what, value, LIMITS[what]) for what, value in measured.items()]
        lines.append(self.worst_tensor(model, arrays, ours, theirs))
        self.report.compare(f"{self.name}, settled", lines)
        model.eval()
        theirs, ours = run_torch(model, arrays), self.ours(model, arrays)
        self.report.compare(f"{self.name}, settled, in evaluation", [
            ("logits", distance(ours["logits"], theirs["logits"]), LIMITS["logits"]),
            ("input gradient", distance(ours["input_gradient"], theirs["input_gradient"]),
             LIMITS["input gradient"])])

    def first(self):
        """The gradient in several draws; then SGD."""
        ours, theirs = [], []
        for draw in range(DRAWS):
            model, arrays = self.prepare(2 + draw)
            steps = STEPS if draw == 0 else None
            truth = run_torch(model, arrays, steps=steps)
            names = names_of(truth, "gradient.")
            prefixes = ("gradient.", "after.") if steps else ("gradient.",)
            runs = [run_torch(model, arrays, torch.float32, layout, steps) for layout in LAYOUTS]
            runs.append(self.ours(model, arrays, steps))
            found = [[distance(flat(run, prefix, names), flat(truth, prefix, names))
                      for prefix in prefixes] for run in runs]
            ours.append(found.pop())
            theirs.append(np.max(found, 0))
        gradient = [np.median([draw[0] for draw in side]) for side in (ours, theirs)]
        self.report.compare(f"{self.name}, first", [
            (what, value, max(TIMES * worse, LIMITS["gradient"]))
            for what, value, worse in (("gradient", *gradient),
                                       ("weights after SGD", ours[0][1], theirs[0][1]))])

    def run(self):
        for point in ("settled", "first"):
            # At the first values rounding alone is large: only the settled point can tell errors.
            if self.options.point not in (None, point) or (self.options.plant and point == "first"):
                continue
            started = time.monotonic()
            try:
                getattr(self, point)()
            except (RuntimeError, KeyError) as error:
                self.report.bad += 1
                print(f"not ok: {self.name}, {point}: {error}", flush=True)
            if self.options.time:
                print(f"    {time.monotonic() - started:.1f} s", flush=True)


def check_list(program, report):
    """Every network that softlab names is compared."""
    listed = subprocess.run([program, "list"], capture_output=True, text=True, check=True)
    names = [line.split()[0] for line in listed.stdout.splitlines()]
    for name in names:
        if name not in NETWORKS and name != "tagger":  # which check_tagger.py compares
            report.say(False, f"{name}: no PyTorch module to compare with")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--plant", choices=("sign", "factor"))
    parser.add_argument("--only", choices=list(NETWORKS))
    parser.add_argument("--point", choices=("settled", "first"))
    parser.add_argument("--time", action="store_true", help="say how long each took")
    options = parser.parse_args()
    report = Report(options.plant)
    if options.program != "torch" and not options.only and not options.plant:
        check_list(options.program, report)
    with tempfile.TemporaryDirectory() as folder:
        for name in [options.only] if options.only else NETWORKS:
            Comparison(name, options, folder, report).run()
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
