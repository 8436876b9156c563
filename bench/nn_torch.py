#!/usr/bin/env python3
"""Times softlab's networks against PyTorch's: training steps and inference on one core, training
steps on two.

    tools/bench-nn [--only NETWORK] [--rounds N] [--inference] [--threads] [--json FILE] ...

One process. Steps are interleaved: softlab, PyTorch, PyTorch with channels_last, and again, so that
all three see the same machine; a ratio is the median over the rounds of the ratios within a
round. Both sides do the same: forward, mean soft cross-entropy, backward, gradient norm
clipped to 1, SGD with momentum .9 and weight decay 1e-4, at batch 32; inference at batch 100. The
speed that counts against a bar is that over the faster of PyTorch's two layouts. GFLOP/s count a
direct convolution's multiplications and additions, three passes of them in training, and may
exceed what the core can do where an algorithm needs fewer.

With two threads there is a second measure, since two cores are often two halves of one: what two
independent trainings of one thread each reach together in the same run. A training with two
threads is compared with that, in turns.

Both sides may share one oneDNN library. softlab asks it for AVX2 and no more, so on a processor
with AVX-512 PyTorch's share of these figures is one without it, too.

The exit code is 1 if a bar is missed.
"""
import argparse
import ctypes
import json
import os
import statistics
import subprocess
import sys
import time

os.environ.setdefault("OMP_NUM_THREADS", "1")
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "tests", "parity"))
LIBRARY = os.path.join(HERE, "..", "build", "release", "bench", "libsoftlab_bench.so")

BARS = {"resnet34a": 1.2, "preact-resnet18": 1.15, "resnet50": 1.3, "vgg11": 1.3}
INFERENCE_BAR = 1.15
# Two threads: times as fast as PyTorch with two threads; share of two independent trainings; the
# least speed of one thread, by the library of an earlier version (--against).
THREADS_BARS = {"resnet34a": 2.3, "vgg11": 2.3}
SHARED_BAR = 0.9
AGAINST_BAR = 0.98
BATCH, INFERENCE_BATCH, CLASSES = 32, 100, 10
RATE = 0.01
PAIR_SECONDS, PAIR_ROUNDS = 4, 3
# Enough rounds for a steady median; large networks are steadier.
ROUNDS = {"resnet34a": 21, "preact-resnet18": 9, "resnet50": 5, "vgg11": 15}


# ---- The two sides ----


def open_library(path=LIBRARY):
    library = ctypes.CDLL(path)
    floats, size, text = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p
    for name, result, arguments in (
            ("create", ctypes.c_void_p, (text, size, ctypes.c_int, size)),
            ("destroy", None, (ctypes.c_void_p,)),
            ("tensor", ctypes.c_void_p, (ctypes.c_void_p, text, size)),
            ("touch", None, (ctypes.c_void_p,)),
            ("step", ctypes.c_double, (ctypes.c_void_p, floats, floats, ctypes.c_float)),
            ("infer", None, (ctypes.c_void_p, floats, floats)),
            ("multiply_adds", ctypes.c_double, (ctypes.c_void_p,)),
            ("memory", ctypes.c_double, (ctypes.c_void_p,))):
        function = getattr(library, "bench_nn_" + name)
        function.restype, function.argtypes = result, arguments
    library.bench_fma_peak.restype = ctypes.c_double
    return library


class Softlab:
    def __init__(self, library, network, batch, training, threads=1):
        import numpy
        self.library = library
        self.logits = numpy.zeros((batch, CLASSES), numpy.float32)
        self.handle = library.bench_nn_create(network.encode(), batch, training, threads)
        if not self.handle:
            sys.exit(f"softlab has no {network}")

    def load(self, state):
        """The values of a PyTorch state_dict."""
        for name, value in state.items():
            if not value.dtype.is_floating_point:
                continue
            array = value.contiguous().numpy()
            place = self.library.bench_nn_tensor(self.handle, name.encode(), array.size)
            if not place:
                sys.exit(f"softlab has no tensor {name} of {array.size} values")
            ctypes.memmove(place, array.ctypes.data, array.nbytes)
        self.library.bench_nn_touch(self.handle)

    def step(self, pixels, targets):
        return self.library.bench_nn_step(self.handle, pixels.ctypes.data, targets.ctypes.data,
                                          RATE)

    def infer(self, pixels):
        self.library.bench_nn_infer(self.handle, pixels.ctypes.data, self.logits.ctypes.data)
        return self.logits

    def close(self):
        self.library.bench_nn_destroy(self.handle)


class Torch:
    def __init__(self, network, training, channels_last, threads=1):
        import torch
        from torch_layers import Relu
        from torch_networks import create
        # As fast as PyTorch goes: denormals are zero for softlab, too, and ReLUs in place.
        torch.set_num_threads(threads)
        torch.set_flush_denormal(True)
        self.torch = torch
        self.layout = torch.channels_last if channels_last else torch.contiguous_format
        self.model = create(network).to(memory_format=self.layout).train(training)
        for module in self.model.modules():
            if isinstance(module, Relu):
                module.in_place = True
        self.optimiser = torch.optim.SGD(self.model.parameters(), RATE, 0.9, weight_decay=1e-4)

    def take(self, pixels):
        return self.torch.from_numpy(pixels).contiguous(memory_format=self.layout)

    def step(self, pixels, targets):
        torch = self.torch
        self.optimiser.zero_grad(set_to_none=True)
        logs = torch.log_softmax(self.model(self.take(pixels)), 1)
        loss = -(torch.from_numpy(targets) * logs).sum() / len(pixels)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimiser.step()
        return loss.item()

    def infer(self, pixels):
        with self.torch.no_grad():
            return self.model(self.take(pixels)).numpy()

    def close(self):
        pass


def draw(batch):
    import numpy
    generator = numpy.random.default_rng(1)
    pixels = generator.uniform(0, 1, (batch, 3, 32, 32)).astype(numpy.float32)
    targets = generator.dirichlet(numpy.full(CLASSES, 0.3), batch).astype(numpy.float32)
    return pixels, targets


# ---- Timing ----


def timed(run, clock):
    start = clock()
    result = run()
    return clock() - start, result


def interleave(sides, peak, rounds, run, clock, rest=0):
    """Seconds of every side in every round, after two that are not counted, and the peak.
    PyTorch's threads spin for a while after a step, so with threads a side begins after a rest."""
    seconds, peaks = {name: [] for name in sides}, []
    for index in range(rounds + 2):
        if peak:
            peaks.append(peak())
        results = {}
        for name, side in sides.items():
            time.sleep(rest)
            took, results[name] = timed(lambda side=side: run(side), clock)
            if index >= 2:
                seconds[name].append(took)
        check_agreement(results, index)
    return seconds, max(peaks, default=None)


def check_agreement(results, index):
    """A side that computes something else is not a competitor. Later steps drift apart."""
    import numpy
    values = [numpy.asarray(value, numpy.float64) for value in results.values()]
    if index == 0:
        for value in values:
            if not numpy.abs(value - values[-1]).max() <= 1e-3 * numpy.abs(values[-1]).max():
                sys.exit("the sides disagree: " + ", ".join(
                    f"{name} {numpy.ravel(value)[:3]}" for name, value in results.items()))


def make_sides(library, network, batch, training, torch_only):
    plain = Torch(network, training, False)
    sides = {"torch": plain, "torch channels_last": Torch(network, training, True)}
    if torch_only:
        return sides
    ours = Softlab(library, network, batch, training)
    ours.load(plain.model.state_dict())
    return {"softlab": ours, **sides}


def measure(library, network, inference, options):
    from torch_networks import create, multiply_adds
    batch = INFERENCE_BATCH if inference else BATCH
    pixels, targets = draw(batch)
    sides = make_sides(library, network, batch, not inference, options.torch_only)
    run = (lambda side: side.infer(pixels)) if inference else \
        (lambda side: side.step(pixels, targets))
    rounds = options.rounds or ROUNDS[network]
    peak = library.bench_fma_peak if library else None
    clock = time.process_time if options.processor_time else time.perf_counter
    seconds, peak_flops = interleave(sides, peak, rounds, run, clock)
    operations = 2 * multiply_adds(create(network), (3, 32, 32)) * batch * (1 if inference else 3)
    row = {"network": network, "kind": "inference" if inference else "training", "batch": batch,
           "rounds": rounds, "peak_gflops": peak_flops and peak_flops / 1e9, "sides": {}}
    for name, times in seconds.items():
        middle = statistics.median(times)
        row["sides"][name] = {"milliseconds": 1e3 * middle, "least_milliseconds": 1e3 * min(times),
                              "gflops": operations / middle / 1e9}
    if "softlab" in seconds:
        row["ratios"] = {name: statistics.median(a / b for a, b in zip(times, seconds["softlab"]))
                         for name, times in seconds.items() if name != "softlab"}
        row["ratio"] = min(row["ratios"].values())
        row["bar"] = INFERENCE_BAR if inference else BARS[network]
    for side in sides.values():
        side.close()
    return row


def medians(seconds, base):
    """By side, the median over the rounds of how much longer it took than `base`."""
    return {name: statistics.median(a / b for a, b in zip(times, seconds[base]))
            for name, times in seconds.items() if name != base}


def measure_threads(library, network, options):
    """Two threads on either side, beside one thread of softlab."""
    pixels, targets = draw(BATCH)
    plain = Torch(network, True, False, 2)
    sides = {"softlab, 2 threads": Softlab(library, network, BATCH, True, 2),
             "softlab, 1 thread": Softlab(library, network, BATCH, True),
             "torch": plain, "torch channels_last": Torch(network, True, True, 2)}
    for name in ("softlab, 2 threads", "softlab, 1 thread"):
        sides[name].load(plain.model.state_dict())
    seconds, _ = interleave(sides, None, options.rounds or ROUNDS[network],
                            lambda side: side.step(pixels, targets), time.perf_counter, .02)
    for side in sides.values():
        side.close()
    ratios = medians(seconds, "softlab, 2 threads")
    row = {"network": network, "kind": "two threads", "ratios": ratios,
           "ratio": min(ratios["torch"], ratios["torch channels_last"]),
           "bar": THREADS_BARS.get(network, 0),
           "milliseconds": {name: 1e3 * statistics.median(t) for name, t in seconds.items()}}
    print(f"{network}, training at batch {BATCH}, two threads each")
    for name, took in row["milliseconds"].items():
        faster = f"   softlab is {ratios[name]:.2f} times as fast" if name in ratios else ""
        print(f"  {name:20} {took:9.1f} ms{faster}", flush=True)
    print_bar(row, "times as fast as PyTorch")
    return row


def print_bar(row, what):
    bar = f"bar {row['bar']}" if row["bar"] else "no bar"
    print(f"  {row['ratio']:.2f} {what} ({bar})", flush=True)


def measure_scaling(network):
    """What softlab itself says of one thread and two: what is serial, and Amdahl's law."""
    program = os.path.join(HERE, "..", "build", "release", "softlab")
    found = json.loads(subprocess.run(
        [program, "bench", network, "--threads", "2", "--steps", "5", "--json", "--quiet"],
        check=True, stdout=subprocess.PIPE).stdout)
    serial = found["serial_seconds"] / found["one_thread"]["mean_seconds"]
    print(f"  {100 * serial:.1f} % of the work is serial, {found['barriers']:.0f} barriers per step; "
          f"by Amdahl's law {found['speedup_8_cores']:.1f} times on 8 cores, "
          f"{found['speedup_16_cores']:.1f} times on 16", flush=True)
    return {"network": network, "kind": "scaling", "serial": serial,
            "barriers": found["barriers"], "speedup_8_cores": found["speedup_8_cores"],
            "speedup_16_cores": found["speedup_16_cores"]}


def measure_against(library, network, options):
    """One thread of this version beside one of another build of the library."""
    pixels, targets = draw(BATCH)
    state = Torch(network, True, False).model.state_dict()
    sides = {"softlab": Softlab(library, network, BATCH, True),
             "against": Softlab(open_library(options.against), network, BATCH, True)}
    for side in sides.values():
        side.load(state)
    seconds, _ = interleave(sides, None, options.rounds or ROUNDS[network],
                            lambda side: side.step(pixels, targets), time.perf_counter)
    row = {"network": network, "kind": "against", "bar": AGAINST_BAR,
           "ratio": medians(seconds, "softlab")["against"]}
    print(f"{network}, one thread, beside {options.against}")
    print_bar(row, "times as fast as the other version")
    return row


def print_row(row):
    print(f"{row['network']}, {row['kind']} at batch {row['batch']}, {row['rounds']} rounds"
          + (f", FMA peak {row['peak_gflops']:.0f} GFLOP/s" if row["peak_gflops"] else ""))
    for name, side in row["sides"].items():
        share = f" {100 * side['gflops'] / row['peak_gflops']:4.0f} % of peak" \
            if row["peak_gflops"] else ""
        faster = f"   softlab is {row['ratios'][name]:.2f} times as fast" \
            if name in row.get("ratios", {}) else ""
        print(f"  {name:20} {side['milliseconds']:9.1f} ms (least {side['least_milliseconds']:.1f})"
              f" {side['gflops']:6.1f} GFLOP/s{share}{faster}", flush=True)


# ---- Memory, and two at once: each side in a process of its own ----


def memory_peak():
    with open("/proc/self/status", encoding="ascii") as file:
        for line in file:
            if line.startswith("VmHWM"):
                return int(line.split()[1]) * 1024
    return 0


def child_side(side, network):
    if side == "softlab":
        return Softlab(open_library(), network, BATCH, True)
    return Torch(network, True, side == "torch channels_last")


def child_memory(side, network):
    """What three steps add to the memory of a process that has imported what it needs."""
    import numpy  # noqa: F401, loaded on both sides before the first look
    if side == "softlab":
        open_library()
    else:
        import torch  # noqa: F401
    before = memory_peak()
    runner = child_side(side, network)
    pixels, targets = draw(BATCH)
    for _ in range(3):
        runner.step(pixels, targets)
    print(json.dumps({"bytes": memory_peak() - before}))


def child_train(side, network):
    """Steps per second over a fixed time, after each line on standard input. The side is softlab's
    number of threads."""
    runner = Softlab(open_library(), network, BATCH, True, int(side))
    pixels, targets = draw(BATCH)
    runner.step(pixels, targets)
    print("ready", flush=True)
    for _ in sys.stdin:
        steps, start = 0, time.perf_counter()
        while time.perf_counter() - start < PAIR_SECONDS:
            runner.step(pixels, targets)
            steps += 1
        print(steps / (time.perf_counter() - start), flush=True)


def start_child(kind, side, network, core=None):
    command = [sys.executable, os.path.abspath(__file__), "--child", kind, side, network]
    if core is not None:
        command += ["--core", str(core)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def finish_child(child, prompt=""):
    output, _ = child.communicate(prompt)
    if child.returncode != 0:
        sys.exit(f"a child ended with exit code {child.returncode}")
    return json.loads(output.strip().splitlines()[-1])


def measure_memory(network, options):
    sides = ("torch", "torch channels_last") if options.torch_only else \
        ("softlab", "torch", "torch channels_last")
    sizes = {side: finish_child(start_child("memory", side, network))["bytes"] for side in sides}
    print(f"{network}, memory that three training steps at batch {BATCH} add: "
          + ", ".join(f"{side} {size / 2**20:.0f} MiB" for side, size in sizes.items()), flush=True)
    return {"network": network, "kind": "memory", "bytes": sizes}


def start_training(threads, network, core=None):
    child = start_child("train", str(threads), network, core)
    child.stdout.readline()
    return child


def rate_of(children):
    """Steps per second of these trainings together, all at once."""
    for child in children:
        child.stdin.write("go\n")
        child.stdin.flush()
    return sum(float(child.stdout.readline()) for child in children)


def measure_shared(network):
    """A training with two threads beside two trainings of one thread, in turns."""
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) < 2:
        print("two threads beside two trainings: left out, there is one core only")
        return None
    pair = [start_training(1, network, core) for core in cores[:2]]
    shared = [start_training(2, network)]
    rates = {"one": [], "pair": [], "shared": []}
    for _ in range(PAIR_ROUNDS):
        for name, children in (("one", pair[:1]), ("pair", pair), ("shared", shared)):
            rates[name].append(rate_of(children))
    for child in pair + shared:
        child.communicate("")
    ratio = statistics.median(a / b for a, b in zip(rates["shared"], rates["pair"]))
    one, both, two = (statistics.median(rates[name]) for name in ("one", "pair", "shared"))
    print(f"{network}, two threads beside two trainings: one training {one:.2f} steps/s, two "
          f"together {both:.2f}, one with two threads {two:.2f}")
    row = {"network": network, "kind": "two threads of two trainings", "ratio": ratio,
           "bar": SHARED_BAR, "rates": rates}
    print_bar(row, "of what two trainings reach together")
    return row


# ---- The command line ----


def run_child(options):
    kind, side, network = options.child
    if options.core is not None:
        os.sched_setaffinity(0, {options.core})
    {"memory": child_memory, "train": child_train}[kind](side, network)


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", choices=list(BARS), metavar="NETWORK", help=", ".join(BARS))
    parser.add_argument("--rounds", type=int, help="how often everything is timed")
    parser.add_argument("--inference", action="store_true", help="inference and nothing else")
    parser.add_argument("--training", action="store_true", help="training and nothing else")
    parser.add_argument("--memory", action="store_true", help="memory and nothing else")
    parser.add_argument("--threads", action="store_true", help="two threads and nothing else")
    parser.add_argument("--against", metavar="LIBRARY", help="libsoftlab_bench.so of another "
                        "version: compare one thread with it and nothing else")
    parser.add_argument("--processor-time", action="store_true",
                        help="of the process, not of the clock: for a machine with other work")
    parser.add_argument("--torch-only", action="store_true", help="PyTorch alone")
    parser.add_argument("--json", metavar="FILE", help="write the figures there as well")
    parser.add_argument("--child", nargs=3, help=argparse.SUPPRESS)
    parser.add_argument("--core", type=int, help=argparse.SUPPRESS)
    return parser.parse_args()


def measure_two(library, networks, options):
    rows = []
    for network in networks:
        rows += [measure_threads(library, network, options), measure_scaling(network),
                 measure_shared(network)]
    return rows


def measure_all(options):
    networks = [options.only] if options.only else list(BARS)
    kinds = ("training", "inference", "memory", "threads", "against")
    chosen = [kind for kind in kinds if getattr(options, kind)] or kinds[:-1]
    library = None if options.torch_only else open_library()
    rows = []
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(cores)})
    for kind in ("training", "inference"):
        for network in networks if kind in chosen else ():
            rows.append(measure(library, network, kind == "inference", options))
            print_row(rows[-1])
    if "against" in chosen:
        rows += [measure_against(library, network, options) for network in networks]
    if "memory" in chosen:
        rows += [measure_memory(network, options) for network in networks]
    os.sched_setaffinity(0, cores)
    if "threads" in chosen and not options.torch_only:
        rows += measure_two(library, networks, options)
    return [row for row in rows if row]


def main():
    options = parse()
    if options.child:
        run_child(options)
        return 0
    rows = measure_all(options)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=2)
            file.write("\n")
    missed = [row for row in rows if "bar" in row and not row["ratio"] >= row["bar"]]
    for row in missed:
        print(f"missed: {row['network']}, {row['kind']}: {row['ratio']:.2f}, bar {row['bar']}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
