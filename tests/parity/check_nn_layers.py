#!/usr/bin/env python3
"""Compares every layer of softlab's networks with PyTorch in float64: output, gradients by the
input and by every parameter, running statistics.

    /usr/bin/python3 tests/parity/check_nn_layers.py PROGRAM [--plant sign|factor] [--only TEXT]

PROGRAM is parity_nn, or the word torch, which puts PyTorch's own float32 in our place and shows
what the limit means. A case is a list of nodes, which both sides read: node 0 is the pixels, node
1 a 1x1 convolution by the identity, which brings the pixels into our layout without rounding.
"""
import argparse
import sys
import tempfile

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

from torch_layers import Dropout, Relu, Shake, add_channels, give_noise, subsample
from torch_parity import (Report, distance, flat, names_of, run_ours, run_torch, weights_of)

LIMIT = 1e-5
# A ReLU's input must not be so near zero that rounding decides which side it is on.
MARGIN = 1e-5


class Normalise(nn.Module):
    def __init__(self, mean, deviation):
        super().__init__()
        self.mean, self.deviation = mean, deviation

    def forward(self, x):
        mean, deviation = (torch.tensor(np.float32(values)).to(x.dtype).reshape(-1, 1, 1)
                           for values in (self.mean, self.deviation))
        return (x - mean) / deviation


class Function(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *inputs):
        return self.function(*inputs)


# What makes the module of a node, given the node and the channels of its input.
OPS = {
    "conv": lambda n, channels: nn.Conv2d(channels, n["channels"], n["kernel"], n["stride"],
                                          n["pad"], groups=n["groups"], bias=n["bias"]),
    "batch_norm": lambda n, channels: nn.BatchNorm2d(channels),
    "relu": lambda n, _: Relu(n["slope"]),
    "max_pool": lambda n, _: nn.MaxPool2d(n["kernel"], n["stride"], ceil_mode=True),
    "average_pool": lambda n, _: nn.AvgPool2d(n["kernel"], n["stride"], ceil_mode=True,
                                              count_include_pad=False),
    "global_pool": lambda n, _: Function(lambda x: x.mean((2, 3))),
    "flatten": lambda n, _: nn.Flatten(),
    "linear": lambda n, features: nn.Linear(features, n["channels"]),
    "add": lambda n, _: Function(add_channels),
    "subsample": lambda n, _: Function(lambda x: subsample(x, n["stride"], n["offset"])),
    "concat": lambda n, _: Function(lambda a, b: torch.cat((a, b), 1)),
    "dropout": lambda n, _: Dropout(n["rate"]),
    "shake": lambda n, _: Shake(),
    "normalise": lambda n, _: Normalise(n["mean"], n["deviation"]),
}


def rows_or_maps(x):
    return x.flatten(1) if x.shape[2] == x.shape[3] == 1 else x


class Graph(nn.Module):
    """Nodes as a module; parameters carry the names of their nodes."""

    def __init__(self, shape, nodes):
        super().__init__()
        self.nodes = nodes
        tensors = [rows_or_maps(torch.zeros(2, *shape))]
        for index, node in enumerate(nodes):
            inputs = [tensors[i] for i in node["from"]]
            module = OPS[node["op"]](node, inputs[0].shape[1])
            setattr(self, node.get("name", f"node{index}"), module)
            tensors.append(module.eval()(*inputs).detach())
        self.rows = tensors[-1].shape[1]
        self.train()

    def forward(self, x):
        tensors = [rows_or_maps(x)]
        for index, node in enumerate(self.nodes):
            module = getattr(self, node.get("name", f"node{index}"))
            tensors.append(module(*[tensors[i] for i in node["from"]]))
        return tensors[-1]


# ---- Cases ----


def conv(channels, kernel=3, stride=1, groups=1, bias=False, name="layer", of=None):
    return {"op": "conv", "name": name, "channels": channels, "kernel": kernel, "stride": stride,
            "pad": kernel // 2, "groups": groups, "bias": bias, "from": of}


def norm(name="layer", of=None):
    return {"op": "batch_norm", "name": name, "from": of}


def relu(slope=0.0, of=None):
    return {"op": "relu", "slope": slope, "from": of}


def pool(kind, kernel, stride):
    return {"op": kind + "_pool", "kernel": kernel, "stride": stride, "from": None}


def op(name, of=None, **options):
    return {"op": name, "from": of, **options}


# Pixels of 1x1 would be rows to softlab, which no map's layer reads.
TO_ONE_PIXEL = op("subsample", stride=2, offset=0)


def linear(channels):
    return {"op": "linear", "name": "layer", "channels": channels, "from": None}


class Case:
    """Nodes without `from` read the node before them; a flatten is added where maps remain."""

    def __init__(self, title, batch, shape, nodes, training=True, plain=False):
        self.title, self.batch, self.shape, self.training = title, batch, shape, training
        identity = [] if plain else [conv(shape[0], 1, name="identity")]
        self.nodes = []
        for node in identity + nodes:
            node = dict(node)
            node["from"] = [len(self.nodes)] if node["from"] is None else node["from"]
            self.nodes.append(node)
        makes_rows = plain and shape[1] == shape[2] == 1
        if self.nodes[-1]["op"] not in ("flatten", "linear", "global_pool") and not makes_rows:
            self.nodes.append({"op": "flatten", "from": [len(self.nodes)]})


def conv_cases():
    # channels in and out, height, width, batch
    for inputs, outputs, height, width, batch in (
            (16, 16, 32, 32, 4), (16, 32, 32, 32, 2), (32, 32, 16, 16, 4), (32, 64, 16, 16, 2),
            (64, 64, 8, 8, 4), (64, 64, 32, 32, 1), (128, 128, 16, 16, 2), (256, 256, 8, 8, 2),
            (512, 512, 4, 4, 2), (512, 512, 2, 2, 3), (48, 12, 16, 16, 3), (21, 26, 16, 16, 3),
            (26, 31, 8, 8, 3), (12, 20, 7, 7, 3), (8, 8, 9, 5, 1), (24, 40, 5, 13, 2),
            (64, 72, 3, 3, 32), (3, 8, 6, 6, 2), (1, 1, 4, 4, 2)):
        for kernel, stride, bias in ((3, 1, False), (3, 2, True), (1, 1, True), (1, 2, False)):
            title = f"conv {kernel}x{kernel} stride {stride}{' bias' * bias} {inputs}->{outputs}"
            yield Case(f"{title} {height}x{width} batch {batch}", batch, (inputs, height, width),
                       [conv(outputs, kernel, stride, 1, bias)])
    for channels, groups, side, stride in ((64, 8, 8, 1), (64, 8, 8, 2), (128, 8, 7, 1),
                                           (32, 2, 16, 1), (48, 8, 8, 1), (24, 2, 5, 2)):
        yield Case(f"conv 3x3 stride {stride} groups {groups} {channels} {side}x{side}", 2,
                   (channels, side, side), [conv(channels, 3, stride, groups)])
    yield Case("conv 1x1 groups 4", 2, (32, 6, 6), [conv(64, 1, 1, 4, True)])
    for kernel in (3, 1):
        yield Case(f"conv {kernel}x{kernel} 40->24 1x1", 5, (40, 2, 2),
                   [TO_ONE_PIXEL, conv(24, kernel)])
    yield Case("conv 3x3 stride 2 40->24 2x2", 5, (40, 2, 2), [conv(24, 3, 2)])
    yield Case("conv 5x5", 2, (16, 9, 9), [conv(24, 5)])
    for outputs, side, stride, bias in ((16, 32, 1, True), (64, 32, 1, False), (24, 9, 2, True)):
        yield Case(f"conv of plain pixels 3->{outputs} {side}x{side} stride {stride}", 3,
                   (3, side, side), [conv(outputs, 3, stride, 1, bias)], plain=True)
    yield Case("conv of plain pixels 1->16 28x28", 3, (1, 28, 28), [conv(16)], plain=True)


def norm_cases():
    for channels, height, width, batch in ((16, 32, 32, 4), (64, 8, 8, 4), (21, 9, 7, 3),
                                           (286, 4, 4, 2), (512, 2, 2, 4)):
        for training in (True, False):
            when = "training" if training else "evaluation"
            yield Case(f"batch norm in {when} {channels} {height}x{width} batch {batch}", batch,
                       (channels, height, width), [norm()], training)
            yield Case(f"batch norm, relu in {when} {channels} {height}x{width}", batch,
                       (channels, height, width), [norm(), relu()], training)
    yield Case("batch norm 5 1x1 batch 8", 8, (5, 2, 2), [TO_ONE_PIXEL, norm()])


def pass_cases():
    for slope in (0.0, 0.01):
        yield Case(f"relu slope {slope}", 3, (21, 7, 9), [relu(slope)])
    for kind in ("max", "average"):
        for kernel, stride, side in ((2, 2, 8), (2, 2, 7), (3, 2, 9), (3, 2, 8), (3, 3, 10),
                                     (2, 1, 5)):
            yield Case(f"{kind} pool {kernel} stride {stride} of {side}x{side}", 3,
                       (20, side, side), [pool(kind, kernel, stride)])
    for channels, height, width in ((64, 8, 8), (342, 8, 8), (12, 5, 3)):
        yield Case(f"global pool {channels} {height}x{width}", 3, (channels, height, width),
                   [op("global_pool")])
        yield Case(f"flatten {channels} {height}x{width}", 3, (channels, height, width),
                   [op("flatten")])
    for features, outputs, batch in ((64, 10, 32), (512, 10, 4), (37, 5, 3), (2048, 128, 8)):
        yield Case(f"linear {features}->{outputs} batch {batch}", batch, (features, 1, 1),
                   [linear(outputs)], plain=True)
    for stride, offset, side in ((2, 0, 8), (2, 1, 8), (2, 0, 7), (2, 1, 7), (3, 1, 10)):
        yield Case(f"subsample {offset}::{stride} of {side}x{side}", 3, (20, side, side),
                   [op("subsample", stride=stride, offset=offset)])
    for rate in (0.2, 0.5):
        yield Case(f"dropout {rate} of maps", 3, (20, 5, 7), [op("dropout", rate=rate)])
        yield Case(f"dropout {rate} of rows", 3, (20, 1, 1), [linear(13), op("dropout", rate=rate)],
                   plain=True)
        yield Case(f"dropout {rate} in evaluation", 3, (20, 5, 7), [op("dropout", rate=rate)],
                   False)
    for channels in (1, 3):
        yield Case(f"normalise {channels} channels", 3, (channels, 12, 12),
                   [op("normalise", mean=[0.49, 0.48, 0.45][:channels],
                       deviation=[0.2, 0.19, 0.21][:channels]), conv(16)], plain=True)


def pair_cases():
    """Two inputs; nodes 2 and 3 are made from node 1."""
    two = [conv(20, name="a", of=[1]), conv(20, 1, name="b", of=[1])]
    fewer = [conv(20, name="a", of=[1]), conv(13, 1, name="b", of=[1])]
    shape = (16, 7, 9)
    yield Case("add", 3, shape, two + [op("add", [2, 3])])
    yield Case("add, relu", 3, shape, two + [op("add", [2, 3]), relu()])
    yield Case("add with fewer channels", 3, shape, fewer + [op("add", [2, 3])])
    yield Case("add with fewer channels, relu", 3, shape, fewer + [op("add", [2, 3]), relu()])
    yield Case("add of a tensor to itself", 3, shape, [op("add", [1, 1])])
    for first, second in ((20, 13), (16, 12), (24, 12), (5, 3)):
        parts = [conv(first, name="a", of=[1]), conv(second, 1, name="b", of=[1])]
        yield Case(f"concat {first} and {second}", 3, shape, parts + [op("concat", [2, 3])])
        yield Case(f"concat {first} and {second}, batch norm, relu", 3, shape,
                   parts + [op("concat", [2, 3]), norm(), relu()])
    yield Case("shake", 4, shape, two + [op("shake", [2, 3])])
    yield Case("shake in evaluation", 4, shape, two + [op("shake", [2, 3])], False)
    yield Case("shake, add", 4, shape,
               two + [op("shake", [2, 3]), conv(20, 1, name="layer", of=[1]), op("add", [4, 5])])


def fused_cases():
    for training in (True, False):
        when = "" if training else " in evaluation"
        shape = (16, 9, 7)
        yield Case("conv, batch norm" + when, 3, shape, [conv(24), norm("norm")], training)
        yield Case("conv bias, batch norm, relu" + when, 3, shape,
                   [conv(21, bias=True), norm("norm"), relu()], training)
        yield Case("conv of plain pixels, batch norm, relu" + when, 3, (3, 16, 16),
                   [conv(16, bias=True), norm("norm"), relu()], training, plain=True)
        yield Case("conv, relu" + when, 3, shape, [conv(24, bias=True), relu()], training)
        yield Case("conv, leaky relu" + when, 3, shape, [conv(24), relu(0.01)], training)
        yield Case("batch norm, leaky relu" + when, 3, shape, [norm(), relu(0.01)], training)
        yield Case("conv, add" + when, 3, shape, [conv(16), op("add", [2, 1])], training)
        yield Case("conv, batch norm, add, relu" + when, 3, shape,
                   [conv(16), norm("norm"), op("add", [3, 1]), relu()], training)
        yield Case("batch norm, add with fewer channels, relu" + when, 3, shape,
                   [conv(21), norm("norm"), op("add", [3, 1]), relu()], training)
        yield Case("residual block" + when, 4, (16, 8, 8),
                   [conv(16, bias=True), norm("norm1"), relu(), conv(16, name="conv2"),
                    norm("norm2"), op("add", [6, 1]), relu()], training)
        yield Case("residual block that halves the map" + when, 4, (16, 8, 8),
                   [conv(32, 3, 2, 1, True), norm("norm1"), relu(), conv(32, name="conv2"),
                    norm("norm2"), op("subsample", [1], stride=2, offset=0), op("add", [6, 7]),
                    relu()], training)
        yield Case("residual block with projection" + when, 4, (16, 8, 8),
                   [conv(24, 3, 2), norm("norm1"), relu(), conv(24, name="conv2"), norm("norm2"),
                    conv(24, 1, 2, name="short", of=[1]), norm("norm3"), op("add", [6, 8]),
                    relu()], training)
        yield Case("pre-activated block" + when, 4, (16, 8, 8),
                   [norm("norm1"), relu(), conv(24, 3, 2), norm("norm2"), relu(),
                    conv(24, name="conv2"), conv(24, 1, 2, name="short", of=[3]),
                    op("add", [7, 8])], training)
        yield Case("dense block" + when, 3, (24, 8, 8),
                   [norm("norm1"), relu(), conv(12), op("concat", [1, 4]),
                    norm("norm2"), relu(), conv(12, name="conv2"), op("concat", [5, 8]),
                    norm("norm3"), relu(), conv(30, 1, name="conv3"), pool("average", 2, 2)],
                   training)
        yield Case("batch norm without relu, average pool, fewer channels" + when, 3, (16, 8, 8),
                   [norm("norm1"), conv(21, 3, 2), norm("norm2"),
                    op("average_pool", [1], kernel=2, stride=2), op("add", [4, 5])], training)
        # The gradient that the first batch norm gets is a part of a larger tensor.
        yield Case("batch norm read by a batch norm and an add with more channels" + when, 3,
                   (16, 8, 8), [conv(16), norm("norm1"), norm("norm2"), conv(21, name="conv2"),
                                op("add", [5, 3])], training)
        yield Case("pyramid blocks" + when, 3, (3, 8, 8),
                   [conv(16), norm("norm1"), norm("norm2"), conv(21, name="conv2"), norm("norm3"),
                    relu(), conv(21, name="conv3"), norm("norm4"), op("add", [8, 2]),
                    norm("norm5"), conv(26, 3, 2, name="conv4"), norm("norm6"), relu(),
                    conv(26, name="conv5"), norm("norm7"),
                    op("average_pool", [9], kernel=2, stride=2), op("add", [15, 16])],
                   training, plain=True)
        yield Case("classifier" + when, 4, (32, 4, 4),
                   [norm("norm1"), relu(), op("global_pool"), linear(10)], training)
        yield Case("max pool, flatten, linear" + when, 4, (32, 2, 2),
                   [pool("max", 2, 2), op("flatten"), linear(10)], training)


def cases():
    for make in (conv_cases, norm_cases, pass_cases, pair_cases, fused_cases):
        yield from make()


# ---- Comparing ----


def fill(model, generator):
    """Values that leave nothing out: gammas and betas, running statistics, an exact identity."""
    for name, module in model.named_modules():
        if isinstance(module, nn.BatchNorm2d):
            for values, low, high in ((module.weight, 0.5, 1.5), (module.bias, -1, 1),
                                      (module.running_mean, -1, 1), (module.running_var, 0.5, 2)):
                values.data.uniform_(low, high, generator=generator)
        elif isinstance(module, (nn.Conv2d, nn.Linear)):
            fan = module.weight[0].numel()
            module.weight.data.normal_(0, fan ** -0.5, generator=generator)
            if module.bias is not None:
                module.bias.data.normal_(generator=generator)
        if name == "identity":
            nn.init.dirac_(module.weight)


def nearest_to_zero(model, inputs):
    """The smallest magnitude that goes into a ReLU."""
    smallest = [np.inf]

    def look(_, arguments):
        smallest[0] = min(smallest[0], arguments[0].abs().min().item())

    hooks = [m.register_forward_pre_hook(look) for m in model.modules() if isinstance(m, Relu)]
    state = {name: value.clone() for name, value in model.state_dict().items()}
    with torch.no_grad():
        model.double()(inputs.double())
    model.float().load_state_dict(state)
    for hook in hooks:
        hook.remove()
    return smallest[0]


def prepare(case):
    """A model and its inputs, drawn anew until no ReLU is in doubt."""
    model = Graph(case.shape, case.nodes).train(case.training)
    for seed in range(1, 100):
        generator = torch.Generator().manual_seed(seed)
        fill(model, generator)
        inputs = torch.randn(case.batch, *case.shape, generator=generator)
        noise = give_noise(model, inputs, seed)
        if nearest_to_zero(model, inputs) > MARGIN:
            break
    else:
        raise RuntimeError("no seed keeps ReLU's inputs away from zero")
    upstream = torch.randn(case.batch, model.rows, generator=generator)
    arrays = {"input": inputs.numpy(), "upstream": upstream.numpy()}
    if case.training:
        arrays.update({f"noise{i}": value.numpy() for i, value in enumerate(noise)})
    return model, arrays


def measure(case, ours, theirs):
    """The worst of everything compared, and its name."""
    found = {}
    for name in ("logits", "input_gradient"):
        found[name] = distance(ours[name], theirs[name])
    for prefix in ("gradient.", "state.") if case.training else ():
        names = names_of(theirs, prefix)
        whole = np.linalg.norm(flat(theirs, prefix, names))
        for name in (prefix + name for name in names):
            # A bias before a batch norm has no gradient but rounding: it is held against them all.
            vanishes = np.linalg.norm(theirs[name]) < 1e-6 * whole
            found[name] = distance(ours[name], theirs[name], whole if vanishes else 0)
    worst = max(found, key=lambda name: (np.isnan(found[name]), found[name]))
    return worst, found[worst]


def check_case(case, options, folder, report):
    model, arrays = prepare(case)
    theirs = run_torch(model, arrays)
    if options.program == "torch":
        ours = run_torch(model, arrays, torch.float32)
    else:
        description = {"input": case.shape, "batch": case.batch, "training": case.training,
                       "nodes": case.nodes}
        try:
            ours = run_ours(options.program, "layer", folder, description, weights_of(model),
                            arrays, options.plant)
        except RuntimeError as error:
            report.bad += 1
            print(f"not ok: {case.title}: {error}", flush=True)
            return
    worst, value = measure(case, ours, theirs)
    report.compare(case.title, [(worst, value, LIMIT)])


def check_loss(options, folder, report):
    """sl_soft_cross_entropy: targets that need not sum to 1, weights, a scale, large logits."""
    generator = np.random.default_rng(1)
    for rows, classes, spread, weighted in ((32, 10, 1, False), (7, 3, 1, True), (5, 100, 1, True),
                                            (9, 10, 30, False), (3, 2, 200, False)):
        logits = generator.normal(0, spread, (rows, classes)).astype(np.float32)
        targets = generator.dirichlet(np.ones(classes), rows).astype(np.float32)
        targets *= generator.uniform(0.5, 1.5, (rows, 1)).astype(np.float32)
        arrays = {"input": logits, "targets": targets}
        weights = generator.uniform(0, 2, rows).astype(np.float32)
        if weighted:
            arrays["weights"] = weights
        scale = np.float32(1 / rows)
        tensor = torch.tensor(logits, dtype=torch.float64, requires_grad=True)
        losses = -(torch.tensor(targets).double() * F.log_softmax(tensor, 1)).sum(1)
        total = losses @ torch.tensor(weights if weighted else np.ones_like(weights)).double()
        (total * float(scale)).backward()
        theirs = {"loss": total.item(), "logits": losses.detach().numpy(),
                  "input_gradient": tensor.grad.numpy().ravel()}
        if options.program == "torch":
            ours = theirs
        else:
            ours = run_ours(options.program, "loss", folder, {"scale": float(scale)}, {}, arrays,
                            options.plant)
            ours["loss"] = ours["loss"][0]
        report.compare(f"soft cross-entropy {rows}x{classes}, logits of {spread}",
                       [(name, distance(ours[name], theirs[name]), LIMIT) for name in theirs])


OPTIMISERS = (
    ("sgd", torch.optim.SGD, {"momentum": 0.9}),
    ("sgd", torch.optim.SGD, {"momentum": 0.9, "nesterov": True}),
    ("adam", torch.optim.Adam, {}),
    ("radam", torch.optim.RAdam, {}),
    # Another time of rectifying, and an epsilon that shows where it is added.
    ("radam", torch.optim.RAdam, {"betas": (0.8, 0.9), "eps": 0.1}),
)


def check_optimisers(options, folder, report):
    """Values after each of 20 steps of every optimiser, with and without weight decay."""
    generator = np.random.default_rng(2)
    values = generator.normal(0, 1, 203).astype(np.float32)
    gradients = generator.normal(0, 1, (20, 203)).astype(np.float32)
    for kind, maker, extra in OPTIMISERS:
        for decay in 0, 0.1:
            parameter = torch.nn.Parameter(torch.tensor(values).double())
            theirs = maker([parameter], lr=0.02, weight_decay=decay, **extra)
            after = []
            for gradient in gradients:
                parameter.grad = torch.tensor(gradient).double()
                theirs.step()
                after.append(parameter.detach().numpy().copy())
            beta1, beta2 = extra.get("betas", (0.9, 0.999))
            case = {"kind": kind, "rate": 0.02, "weight_decay": decay, "beta1": beta1, "beta2": beta2,
                    "epsilon": extra.get("eps", 1e-8), "momentum": extra.get("momentum", 0),
                    "nesterov": extra.get("nesterov", False)}
            ours = {"after": np.array(after)}
            if options.program != "torch":
                arrays = {"input": values, "gradients": gradients}
                ours = run_ours(options.program, "optimiser", folder, case, {}, arrays, options.plant)
            # What was moved, not the values, which would hide small steps.
            moved = ours["after"].reshape(20, 203) - values
            report.compare(f"optimiser {kind} {extra}, weight decay {decay}",
                           [("moves", distance(moved, np.array(after) - values), LIMIT)])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--plant", choices=("sign", "factor"))
    parser.add_argument("--only", default="", help="cases whose title has this in it")
    options = parser.parse_args()
    report = Report(options.plant)
    with tempfile.TemporaryDirectory() as folder:
        for case in cases():
            if options.only in case.title:
                check_case(case, options, folder, report)
        if options.only in "soft cross-entropy":
            check_loss(options, folder, report)
        if options.only in "optimiser":
            check_optimisers(options, folder, report)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
