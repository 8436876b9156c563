"""What the comparisons of networks with PyTorch share: files, runs, distances, the report."""
import copy
import json
import os
import struct
import subprocess

import numpy as np
import torch
import torch.nn.functional as F

torch.set_num_threads(1)


def write_safetensors(path, tensors):
    header, offset = {}, 0
    for name, array in tensors.items():
        end = offset + array.nbytes
        header[name] = {"dtype": "F32", "shape": list(array.shape), "data_offsets": [offset, end]}
        offset = end
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for array in tensors.values():
            file.write(np.ascontiguousarray(array, np.float32).tobytes())


def weights_of(model):
    """The state_dict as arrays, without the counters that softlab does not keep."""
    return {name: value.numpy() for name, value in model.state_dict().items()
            if value.dtype.is_floating_point}


def run_ours(program, mode, folder, case, weights, arrays, plant=None):
    """Writes a case into the folder, runs the program on it and returns its results by name."""
    with open(os.path.join(folder, "case.json"), "w", encoding="utf-8") as file:
        json.dump(case, file)
    write_safetensors(os.path.join(folder, "weights.safetensors"), weights)
    np.savez(os.path.join(folder, "inputs.npz"),
             **{name: np.ascontiguousarray(array, np.float32) for name, array in arrays.items()})
    results = os.path.join(folder, "results.npz")
    if os.path.exists(results):
        os.remove(results)
    planted = ["--plant", plant] if plant else []
    run = subprocess.run([program, mode, *planted, folder], capture_output=True, text=True,
                         check=False)
    if run.returncode != 0:
        lines = run.stderr.strip().splitlines() or [f"exit code {run.returncode}"]
        raise RuntimeError(lines[-1] if run.returncode == 1 else "\n".join(lines[:12]))
    with np.load(results) as file:
        return {name: file[name] for name in file.files}


class Steps:
    """SGD on one batch, as often as `count` says."""

    def __init__(self, count, rate, momentum=0.9, weight_decay=1e-4):
        self.count, self.rate = count, rate
        self.momentum, self.weight_decay = momentum, weight_decay

    def as_case(self):
        return {"steps": self.count, "rate": self.rate, "momentum": self.momentum,
                "weight_decay": self.weight_decay}


def loss_of(output, arrays):
    """Mean soft cross-entropy, or a function whose gradient by the output is what was given."""
    if "upstream" in arrays:
        return (output * torch.as_tensor(arrays["upstream"]).to(output.dtype)).sum()
    targets = torch.as_tensor(arrays["targets"]).to(output.dtype)
    return -(targets * F.log_softmax(output, 1)).sum() / len(output)


def run_torch(model, arrays, dtype=torch.float64, layout=torch.contiguous_format, steps=None):
    """The same results, under the same names, by PyTorch; the model itself is not changed."""
    model = copy.deepcopy(model).to(dtype=dtype, memory_format=layout)
    inputs = torch.as_tensor(arrays["input"]).to(dtype)
    if inputs.dim() == 4:
        inputs = inputs.contiguous(memory_format=layout)
    inputs.requires_grad_(True)
    output = model(inputs)
    loss = loss_of(output, arrays)
    loss.backward()
    results = {"logits": output, "loss": loss, "input_gradient": inputs.grad}
    for name, parameter in model.named_parameters():
        results["gradient." + name] = parameter.grad
    for name, value in model.named_buffers():
        if value.dtype.is_floating_point:
            results["state." + name] = value
    results = {name: array_of(value) for name, value in results.items()}
    if steps:
        for name, value in descend(model, inputs.detach(), arrays, steps).items():
            results["after." + name] = value
    return results


def descend(model, inputs, arrays, steps):
    """The values after the steps; the first takes the gradient that is already there."""
    optimiser = torch.optim.SGD(model.parameters(), steps.rate, steps.momentum,
                                weight_decay=steps.weight_decay)
    for step in range(steps.count):
        if step > 0:
            optimiser.zero_grad()
            loss_of(model(inputs), arrays).backward()
        optimiser.step()
    return {name: array_of(value) for name, value in model.named_parameters()}


def array_of(tensor):
    return tensor.detach().contiguous().double().numpy().copy().ravel()


def flat(results, prefix, names):
    """All arrays of one kind behind one another."""
    parts = [results[prefix + name] for name in names]
    return np.concatenate(parts) if parts else np.zeros(0)


def names_of(results, prefix):
    return [name[len(prefix):] for name in results if name.startswith(prefix)]


def distance(ours, theirs, scale=0.0):
    """||ours - theirs|| / ||theirs||, or over `scale` if that is more; NaN where sizes differ."""
    ours, theirs = np.asarray(ours, np.float64), np.asarray(theirs, np.float64)
    if ours.shape != theirs.shape:
        return float("nan")
    norm = max(np.linalg.norm(theirs), scale)
    difference = np.linalg.norm(ours - theirs)
    return difference / norm if norm > 0 else difference


class Report:
    """One line per comparison. Where an error was planted, every case must fail."""

    def __init__(self, plant=None):
        self.plant = plant
        self.good = self.bad = 0

    def say(self, good, text):
        if self.plant:
            good = not good
        self.good += good
        self.bad += not good
        print(f"{'ok' if good else 'not ok'}: {text}", flush=True)

    def compare(self, title, measured):
        """`measured` is a list of (what, value, limit), each written so that NaN fails."""
        good = all(value <= limit for _, value, limit in measured)
        parts = [f"{what} {value:.2e} (limit {limit:.1e})" for what, value, limit in measured]
        self.say(good, f"{title}: {', '.join(parts)}")

    def finish(self):
        if self.plant:
            print(f"planted: {self.plant}: caught in {self.good} cases, missed in {self.bad}")
        else:
            print(f"{self.good} passed, {self.bad} failed")
        return 1 if self.bad or not self.good else 0
