"""Weights of trained networks: safetensors files as arrays, and networks as torch modules."""

import json
import os
import pathlib

import numpy as np

from ._library import Desk, InputError, UsageError


def _file_of(run):
    path = pathlib.Path(os.fspath(getattr(run, "folder", run)))
    return path / "weights.safetensors" if path.is_dir() else path


def read_weights(run):
    """The tensors of a run by PyTorch's names, memory-mapped."""
    path = _file_of(run)
    with open(path, "rb") as file:
        size = int.from_bytes(file.read(8), "little")
        if size > os.path.getsize(path):
            raise InputError(f"{path}: is not a safetensors file")
        header = json.loads(file.read(size))
    memory = np.memmap(path, np.uint8, "r", offset=8 + size)
    header.pop("__metadata__", None)
    return {name: memory[slice(*row["data_offsets"])].view(np.float32).reshape(row["shape"])
            for name, row in header.items()}


def to_torch(run):
    """A torch module that computes what the trained network computes, in evaluation and in training
    mode: ``module(images)`` gives logits for float images (n, channels, height, width) in 0 to 1, as
    softlab scales them. Its parameters have PyTorch's names, and it can be trained further."""
    with Desk(1, False) as desk:
        graph = desk.network(_file_of(run)).json
    return _module_class()(graph, read_weights(run))


def load_torch(module, run):
    """Load the weights of a run into a torch module of yours with the same state_dict names."""
    import torch

    arrays = {name: torch.from_numpy(np.array(values)) for name, values in read_weights(run).items()}
    own = module.state_dict()
    missing = [name for name in own if name not in arrays and not name.endswith("num_batches_tracked")]
    if missing:
        raise InputError(f"{_file_of(run)} has no tensor {missing[0]!r}; it has {', '.join(list(arrays)[:5])}, ...")
    module.load_state_dict(arrays, strict=False)
    return module


def _module_class():
    import torch
    from torch.nn import functional

    def pad_channels(a, b):
        """Missing channels of the second count as zero."""
        return functional.pad(b, (0, 0, 0, 0, 0, a.shape[1] - b.shape[1])) if a.ndim == 4 else b

    def pool(node, x, function, **more):
        return function(x, node["kernel"], node["stride"], node["pad"], ceil_mode=True, **more)

    def subsample(node, x):
        """Pixel (i, j) is x(offset + i stride, offset + j stride), or 0 outside."""
        _, height, width = node["shape"]
        reach = node["offset"] + node["stride"] * (max(height, width) - 1) + 1
        more = (0, max(0, reach - x.shape[3]), 0, max(0, reach - x.shape[2]))
        x = functional.pad(x, more)[:, :, node["offset"]::node["stride"], node["offset"]::node["stride"]]
        return x[:, :, :height, :width]

    class Network(torch.nn.Module):
        """A network of softlab, node by node."""

        def __init__(self, graph, weights):
            super().__init__()
            self.graph = graph
            modules = {name.rpartition(".")[0] for name in weights}
            for path in sorted(modules):
                _add(self, path, torch.nn.Module())
            for name, values in weights.items():
                path, _, leaf = name.rpartition(".")
                owner = self.get_submodule(path)
                tensor = torch.from_numpy(np.array(values))
                if leaf.startswith("running_"):
                    owner.register_buffer(leaf, tensor)
                else:
                    owner.register_parameter(leaf, torch.nn.Parameter(tensor))
            unknown = {node["op"] for node in graph["nodes"]} - set(self._ops)
            if unknown:
                raise UsageError(f"{graph['network']} has layers of kind {', '.join(sorted(unknown))}, "
                                 "which to_torch does not build; load_torch fills a module of yours")

        def forward(self, pixels):
            values = []
            for node in self.graph["nodes"]:
                inputs = [values[i] for i in node["inputs"]] or [pixels]
                values.append(self._ops[node["op"]](self, node, *inputs))
            return values[-1]

        def _of(self, node, leaf):
            return getattr(self.get_submodule(node["name"]), leaf, None)

        def _conv(self, node, x):
            return functional.conv2d(x, self._of(node, "weight"), self._of(node, "bias"),
                                     node["stride"], node["pad"], 1, node["groups"])

        def _norm(self, node, x):
            return functional.batch_norm(x, self._of(node, "running_mean"),
                                         self._of(node, "running_var"), self._of(node, "weight"),
                                         self._of(node, "bias"), self.training, 0.1, 1e-5)

        def _normalise(self, node, x):
            shape = (1, -1, 1, 1)
            mean = torch.tensor(node["mean"], dtype=x.dtype).reshape(shape)
            return (x - mean) / torch.tensor(node["deviation"], dtype=x.dtype).reshape(shape)

        def _shake(self, node, a, b):
            share = torch.rand(len(a), 1, 1, 1) if self.training else 0.5
            return share * a + (1 - share) * b

        _ops = {
            "pixels": lambda self, node, x: x,
            "normalise": _normalise,
            "conv": _conv,
            "batch-norm": _norm,
            "relu": lambda self, node, x: functional.leaky_relu(x, node["slope"]),
            "max-pool": lambda self, node, x: pool(node, x, functional.max_pool2d),
            "average-pool": lambda self, node, x: pool(node, x, functional.avg_pool2d,
                                                       count_include_pad=False),
            "global-pool": lambda self, node, x: x.mean((2, 3)),
            "flatten": lambda self, node, x: x.flatten(1),
            "linear": lambda self, node, x: functional.linear(x, self._of(node, "weight"),
                                                              self._of(node, "bias")),
            "add": lambda self, node, a, b: a + pad_channels(a, b),
            "subsample": lambda self, node, x: subsample(node, x),
            "concat": lambda self, node, a, b: torch.cat([a, b], 1),
            "dropout": lambda self, node, x: functional.dropout(x, node["rate"], self.training),
            "shake": _shake,
            "tanh": lambda self, node, x: torch.tanh(x),
        }

    return Network


def _add(root, path, module):
    """Make a module at a path of dots, with those above it."""
    for part in path.split("."):
        if not hasattr(root, part):
            root.add_module(part, type(module)())
        root = getattr(root, part)
