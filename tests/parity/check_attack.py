#!/usr/bin/env python3
"""Compares softlab's attacks with a few lines of PyTorch: the losses of FGSM and of PGD without a
random start, over the same weights, images and soft labels.

    /usr/bin/python3 tests/parity/check_attack.py PROGRAM

PROGRAM is softlab itself. PyTorch works in float64. A pixel whose gradient is rounding noise may
step the other way, so losses after an attack are compared within 1e-3 of their size, and FGSM's
first order, the loss before a step, within 1e-5.
"""
import json
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import torch

from torch_networks import create

IMAGES, CLASSES = 24, 10
ATTACKS = {
    "fgsm-collins2022": (4 / 255, 4 / 255, 1),
    "fgsm": (8 / 255, 8 / 255, 1),
}
NETWORKS = ("resnet34a", "vgg11")


def read_safetensors(path):
    raw = Path(path).read_bytes()
    (length,) = struct.unpack("<Q", raw[:8])
    header = json.loads(raw[8:8 + length])
    header.pop("__metadata__", None)
    tensors = {}
    for name, info in header.items():
        begin, end = info["data_offsets"]
        values = np.frombuffer(raw[8 + length + begin:8 + length + end], np.float32)
        tensors[name] = torch.from_numpy(values.reshape(info["shape"]).copy()).double()
    return tensors


def soft_loss(logits, targets):
    return -(targets * torch.log_softmax(logits, 1)).sum(1).mean()


def attack(model, images, targets, bound, step, iterations):
    """The mean loss before each step and at the end."""
    moved, losses = images.clone(), []
    for _ in range(iterations):
        moved.requires_grad_(True)
        loss = soft_loss(model(moved), targets)
        (gradient,) = torch.autograd.grad(loss, moved)
        losses.append(loss.item())
        with torch.no_grad():
            moved = moved + step * gradient.sign()
            moved = torch.min(torch.max(moved, images - bound), images + bound).clamp(0, 1)
    with torch.no_grad():
        losses.append(soft_loss(model(moved), targets).item())
    return losses


def compare(program, name, folder):
    generator = np.random.default_rng(3)
    coarse = generator.integers(0, 256, (IMAGES, 8, 8, 3)).repeat(4, 1).repeat(4, 2)
    pixels = np.clip(coarse + generator.integers(-20, 21, (IMAGES, 32, 32, 3)), 0, 255)
    np.save(folder / "images.npy", pixels.astype(np.uint8))
    np.save(folder / "labels.npy", generator.integers(0, CLASSES, IMAGES))
    targets = generator.dirichlet(np.full(CLASSES, 0.5), IMAGES).astype(np.float32)
    np.save(folder / "soft.npy", targets)
    # A few steps, so that there are running statistics and a loss that can be raised.
    subprocess.run([program, "train", "--data", folder / "images.npy", "--network", name, "--set",
                    "epochs=12,batch=8,rate=0.02", "-q", "-o", folder / name],
                   check=True, stdout=subprocess.DEVNULL)
    weights = folder / name / "weights.safetensors"
    model = create(name).double().eval()
    model.load_state_dict(read_safetensors(weights), strict=False)
    images = torch.from_numpy(pixels.astype(np.float32) / np.float32(255)).double()
    images = images.permute(0, 3, 1, 2).contiguous()
    answer = subprocess.run(
        [program, "eval", weights, "--data", folder / "images.npy", "--labels",
         folder / "soft.npy", "--attack", ",".join(ATTACKS), "--metrics", "cross_entropy", "-q",
         "--json"], check=True, stdout=subprocess.PIPE)
    ours = json.loads(answer.stdout)["tests"]["test"]["attacks"]
    failed = False
    for preset, settings in ATTACKS.items():
        theirs = attack(model, images, torch.from_numpy(targets).double(), *settings)
        before = abs(ours[preset]["losses"][0] / theirs[0] - 1)
        after = abs(ours[preset]["losses"][-1] / theirs[-1] - 1)
        good = before <= 1e-5 and after <= 1e-3 and theirs[-1] > theirs[0]
        failed = failed or not good
        print(f"{'ok  ' if good else 'FAIL'} {name} {preset}: loss {theirs[0]:.4f} -> "
              f"{theirs[-1]:.4f}, off by {before:.1e} and {after:.1e}")
    return failed


def main():
    program = str(Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as folder:
        failures = [compare(program, name, Path(folder)) for name in NETWORKS]
    return 1 if any(failures) else 0


if __name__ == "__main__":
    sys.exit(main())
