#!/usr/bin/env python3
"""Compare the LSTM layer with torch.nn.LSTM on packed sequences.

usage: check_lstm.py <path of the program parity_lstm> [--time]

Outputs and all gradients must be within 1e-5 of PyTorch's in double precision, by the norm of
the difference over the norm, over the whole flat gradient at once. With --time, a batch of 1000
sentences of 30 words is run forward and backward by both, in turns, on one thread each; the
seconds are the processor's, not the clock's.
"""
import os
import subprocess
import sys
import tempfile
import time

import numpy
import torch
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

LIMIT = 1e-5
# Steps, rows, inputs, hidden, both directions, what the lengths are, what is read.
CASES = [
    (steps, rows, inputs, hidden, both, lengths, read)
    for steps, rows, inputs, hidden in [
        (1, 1, 1, 1), (1, 13, 7, 5), (2, 5, 3, 8), (9, 13, 7, 5), (6, 1, 7, 5), (12, 40, 64, 128),
        (30, 50, 300, 128)]
    for both in (False, True)
    for lengths in ("full", "mixed", "one")
    for read in ("all", "position", "repeated")
]


class Scene:
    """Inputs of one case; the same numbers go to both sides."""

    def __init__(self, steps, rows, inputs, hidden, both, lengths, read):
        random = numpy.random.default_rng(steps * 100 + rows)
        self.hidden, self.full = hidden, lengths == "full"
        torch.manual_seed(rows)
        self.lstm = torch.nn.LSTM(inputs, hidden, bidirectional=both)
        counts = {"full": numpy.full(rows, steps), "one": numpy.ones(rows, int),
                  "mixed": random.integers(1, steps + 1, rows)}[lengths]
        self.input = random.normal(size=(steps, rows, inputs)).astype(numpy.float32)
        self.upstream = random.normal(size=(steps, rows, hidden * (1 + both))).astype(numpy.float32)
        self.arrays = {}
        if read == "repeated":
            # Every third row is a copy of the first of its kind, in other words beyond its end.
            source = numpy.arange(rows) % max(1, rows // 3)
            counts = counts[source]
            self.input = self.input[:, source]
            ids = numpy.tile(source[:, None], (1, steps))
            beyond = numpy.arange(steps)[None] >= counts[:, None]
            ids[beyond] = random.integers(0, rows, beyond.sum())
            self.arrays["ids"] = ids.astype(numpy.int32)
        if read != "all":
            positions = (random.random(rows) * counts).astype(numpy.int32)
            mask = numpy.arange(steps)[:, None] == positions[None]
            self.upstream = self.upstream * mask[..., None].astype(numpy.float32)
            self.arrays["positions"] = positions
        self.counts = counts.astype(numpy.int32)
        if not self.full:
            self.arrays["counts"] = self.counts
        values = [value.detach().numpy().ravel() for value in self.lstm.parameters()]
        self.arrays.update(values=numpy.concatenate(values),
                           input=numpy.ascontiguousarray(self.input), upstream=self.upstream)

    def write(self, folder):
        path = os.path.join(folder, "in.npz")
        numpy.savez(path, **self.arrays)
        return path


def ours(program, scene, folder):
    target = os.path.join(folder, "out.npz")
    subprocess.run([program, scene.write(folder), target, str(scene.hidden)], check=True)
    with numpy.load(target) as results:
        return {name: results[name] for name in results.files}


def run_torch(lstm, inputs, counts, steps):
    packed = pack_padded_sequence(inputs, torch.as_tensor(counts).long(), enforce_sorted=False)
    return pad_packed_sequence(lstm(packed)[0], total_length=steps)[0]


def truth(scene):
    lstm = torch.nn.LSTM(scene.lstm.input_size, scene.hidden,
                         bidirectional=scene.lstm.bidirectional).double()
    lstm.load_state_dict(scene.lstm.state_dict())
    inputs = torch.tensor(scene.input).double().requires_grad_(True)
    output = run_torch(lstm, inputs, scene.counts, len(scene.input))
    (output * torch.tensor(scene.upstream).double()).sum().backward()
    gradients = [value.grad.numpy().ravel() for value in lstm.parameters()]
    read = scene.upstream.any(axis=2, keepdims=True) if "positions" in scene.arrays else True
    return {"output": output.detach().numpy(), "gradients": numpy.concatenate(gradients),
            "input_gradient": inputs.grad.numpy()}, read


def distance(found, expected):
    norm = numpy.linalg.norm(expected)
    apart = numpy.linalg.norm(found.astype(float) - expected)
    return apart / norm if norm > 0 else apart


def compare(program, folder):
    passed = failed = 0
    for case in CASES:
        scene = Scene(*case)
        expected, read = truth(scene)
        found = ours(program, scene, folder)
        # Where only some outputs are read, nothing is promised of the others.
        apart = {"output": distance(found["output"] * read, expected["output"] * read)}
        for name in set(found) - {"output"}:
            apart[name] = distance(found[name], expected[name])
        good = all(value <= LIMIT for value in apart.values())
        passed, failed = passed + good, failed + (not good)
        text = ", ".join(f"{name} {value:.1e}" for name, value in sorted(apart.items()))
        print(f"{'ok' if good else 'not ok'}: {case}: {text}")
    print(f"{passed} passed, {failed} failed")
    return failed


def time_torch(scene):
    inputs, upstream = torch.tensor(scene.input), torch.tensor(scene.upstream)
    best = [1e9, 1e9]
    for _ in range(2):
        scene.lstm.zero_grad()
        start = time.process_time()
        if scene.full:
            output = scene.lstm(inputs)[0]
        else:
            output = run_torch(scene.lstm, inputs, scene.counts, len(scene.input))
        middle = time.process_time()
        output.backward(upstream)
        best = [min(best[0], middle - start), min(best[1], time.process_time() - middle)]
    return best


def measure(program, folder):
    torch.set_num_threads(1)
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    for lengths in ("full", "mixed"):
        for read in ("all", "position", "repeated"):
            scene = Scene(30, 1000, 300, 128, True, lengths, read)
            # The inputs of a tagger's LSTM are fixed: no gradient is asked of either side.
            scene.arrays.setdefault("ids", numpy.arange(30000, dtype=numpy.int32).reshape(1000, 30))
            command = [program, scene.write(folder), os.path.join(folder, "out.npz"), "128", "2"]
            found = []
            theirs = []
            for _ in range(2):
                run = subprocess.run(command, check=True, env=environment, capture_output=True,
                                     text=True)
                found.append([float(part) for part in run.stdout.split()])
                theirs.append(time_torch(scene))
            found, theirs = numpy.min(found, axis=0), numpy.min(theirs, axis=0)
            print(f"{lengths}, {read}: ours {found[0]:.3f} + {found[1]:.3f} s, "
                  f"torch {theirs[0]:.3f} + {theirs[1]:.3f} s, "
                  f"{theirs.sum() / found.sum():.2f} times as fast", flush=True)


def main():
    if len(sys.argv) not in (2, 3) or (len(sys.argv) == 3 and sys.argv[2] != "--time"):
        sys.exit(__doc__.strip())
    with tempfile.TemporaryDirectory() as folder:
        if len(sys.argv) == 3:
            measure(sys.argv[1], folder)
        elif compare(sys.argv[1], folder):
            sys.exit(1)


if __name__ == "__main__":
    main()
