#!/usr/bin/env python3
"""Labels of a crowd that is larger than memory should have to be: time and memory.

    bench/large_crowd.py BUILD_FOLDER [--answers 1e8] [--parts N] [--ranks 1,2] [--iterations 5]
                         [--most-share S] [--folder FOLDER]

Writes an answers.slb of two classes, 5 answers per item and 10,000 annotators, window by window, by
the description in docs/formats.md; then runs ds with each number of ranks and prints seconds and the
largest resident memory (VmHWM) of every rank. All must write the same bytes. With --parts the answers
are also written as N files, which softlab import joins: that file must have the header of the first,
and with it the checksum of every section. With --most-share the exit status is 1 if a process needs
more than this share of the file's size. Files go to a temporary folder below --folder and are removed.
"""
import argparse
import hashlib
import os
import struct
import subprocess
import sys
import tempfile
import time
import zlib
from pathlib import Path

import numpy

PER_ITEM, ANNOTATORS, NAME_BYTES, HEADER, WINDOW = 5, 10_000, 10, 320, 1 << 20
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")


def item_names(first, count):
    """The numbers of the items with nine digits, a NUL after each."""
    numbers = numpy.arange(first, first + count, dtype=numpy.int64)
    digits = numpy.zeros((count, NAME_BYTES), dtype=numpy.uint8)
    for place in range(NAME_BYTES - 2, -1, -1):
        digits[:, place] = numbers % 10 + ord("0")
        numbers //= 10
    return digits


def answers_of(first, count):
    """Who answers, and which class. Annotators are right 60 to 90 %."""
    draw = numpy.random.Generator(numpy.random.SFC64(first))
    truth = draw.integers(0, 2, (count, 1), dtype=numpy.uint16)
    annotator = draw.integers(0, ANNOTATORS, (count, PER_ITEM), dtype=numpy.uint16)
    chance = draw.random((count, PER_ITEM), dtype=numpy.float32)
    wrong = chance >= 0.6 + annotator * numpy.float32(0.3 / ANNOTATORS)
    return annotator.astype(numpy.uint32), truth ^ wrong


def windows(items):
    for first in range(items.start, items.stop, WINDOW):
        yield first, min(WINDOW, items.stop - first)


def sections(items):
    """The parts of each section but the last two, in the order of the file."""
    people = [f"a{i}".encode() + b"\0" for i in range(ANNOTATORS)]
    lengths = numpy.cumsum([0] + [len(name) for name in people]).astype(numpy.uint32)
    ends = range(len(items) + 1)
    yield (numpy.arange(f, f + n, dtype=numpy.uint32) * NAME_BYTES for f, n in windows(ends))
    yield (item_names(f, n) for f, n in windows(items))
    yield iter([lengths])
    yield iter([b"".join(people)])
    yield iter([numpy.array([0, 3, 7], dtype=numpy.uint32)])
    yield iter([b"no\0yes\0"])
    yield (numpy.arange(f, f + n, dtype=numpy.uint64) * PER_ITEM for f, n in windows(ends))


def write_answers(file, items):
    """The sections of annotators and labels, which are drawn together."""
    sizes = (4 * len(items) * PER_ITEM, 2 * len(items) * PER_ITEM)
    begins = [file.tell(), file.tell() + sizes[0] + -sizes[0] % 64]
    at, crcs = list(begins), [0, 0]
    for first, count in windows(items):
        for i, part in enumerate(answers_of(first, count)):
            data = part.tobytes()
            crcs[i] = zlib.crc32(data, crcs[i])
            file.seek(at[i])
            file.write(data)
            at[i] += len(data)
    file.write(bytes(-file.tell() % 64))
    return [struct.pack("<QQII", *part, 0) for part in zip(begins, sizes, crcs)]


def write_crowd(path, items):
    """The answers to these items; windows that begin at multiples of WINDOW are always the same."""
    places = []
    with open(path, "wb") as file:
        file.write(bytes(HEADER))
        for parts in sections(items):
            begin, crc = file.tell(), 0
            for part in parts:
                data = part if isinstance(part, bytes) else part.tobytes()
                crc = zlib.crc32(data, crc)
                file.write(data)
            places.append(struct.pack("<QQII", begin, file.tell() - begin, crc, 0))
            file.write(bytes(-file.tell() % 64))
        places += write_answers(file, items)
        counts = (len(items), ANNOTATORS, 2, len(items) * PER_ITEM, file.tell())
        head = b"SLBANSW1" + struct.pack("<5Q", *counts) + b"".join(places)
        file.seek(0)
        file.write(head + struct.pack("<I", zlib.crc32(head)))
    return path.stat().st_size


def peaks_of(pid, peaks):
    """Note VmHWM of every softlab below a process."""
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return
    lines = dict(line.split(":", 1) for line in status.splitlines() if ":" in line)
    if lines["Name"].strip().startswith("softlab") and "VmHWM" in lines:
        peaks[int(pid)] = int(lines["VmHWM"].split()[0]) * 1024
    for child in children:
        peaks_of(child, peaks)


def run(words):
    peaks, begin = {}, time.monotonic()
    with subprocess.Popen(words, env=ENVIRONMENT) as job:
        while job.poll() is None:
            peaks_of(job.pid, peaks)
            time.sleep(0.05)
        if job.returncode:
            sys.exit(f"exit status {job.returncode}: {' '.join(words)}")
    return time.monotonic() - begin, sorted(peaks.values())


def digest(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def header(path):
    with open(path, "rb") as file:
        return file.read(HEADER)


def join_parts(program, crowd, n_items, n_parts):
    """Write the crowd again from parts of it; the share of its size that softlab import needs."""
    expected, size = header(crowd), crowd.stat().st_size
    crowd.unlink()
    step = -(-n_items // n_parts // WINDOW) * WINDOW
    parts = [crowd.with_name(f"part-{first}.slb") for first in range(0, n_items, step)]
    for i, part in enumerate(parts):
        write_crowd(part, range(i * step, min(n_items, (i + 1) * step)))
    seconds, peaks = run([program, "import", "--from", "answers", "--quiet", "-o", str(crowd)] +
                         list(map(str, parts)))
    for part in parts:
        part.unlink()
    if header(crowd) != expected:
        sys.exit("the joined file differs")
    print(f"{len(parts)} parts joined: {seconds:.1f} s, VmHWM {max(peaks) / 1e6:.0f} MB", flush=True)
    return max(peaks) / size


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--answers", type=float, default=1e8)
    parser.add_argument("--parts", type=int, default=0)
    parser.add_argument("--ranks", default="1,2")
    parser.add_argument("--iterations", type=int, default=5)
    parser.add_argument("--most-share", type=float)
    parser.add_argument("--folder", default=tempfile.gettempdir())
    asked = parser.parse_args()
    n_items = int(asked.answers) // PER_ITEM
    digests, worst = set(), 0
    with tempfile.TemporaryDirectory(dir=asked.folder) as name:
        crowd, labels = Path(name) / "crowd.slb", Path(name) / "labels.npy"
        begin = time.monotonic()
        size = write_crowd(crowd, range(n_items))
        print(f"{n_items * PER_ITEM:,} answers, {size / 1e9:.2f} GB, written in "
              f"{time.monotonic() - begin:.0f} s", flush=True)
        if asked.parts > 0:
            worst = join_parts(f"{asked.build}/softlab", crowd, n_items, asked.parts)
        for ranks in map(int, asked.ranks.split(",")):
            program = [f"{asked.build}/softlab"]
            if ranks > 1:
                program = ["mpirun", "--oversubscribe", "--bind-to", "none", "-n", str(ranks),
                           f"{asked.build}/softlab-mpi"]
            words = program + ["labels", str(crowd), "-m", "ds", "--stream", "--threads", "1",
                               "--quiet", "-o", str(labels), "--tolerance", "0", "--iterations"]
            short, _ = run(words + ["1"])
            seconds, peaks = run(words + [str(1 + asked.iterations)])
            digests.add(digest(labels))
            worst = max(worst, max(peaks) / size)
            rounds = seconds - short
            per_round = f"{rounds / asked.iterations:.2f} s per round, " if rounds > 0 else ""
            print(f"{ranks} rank{'s'[:ranks > 1]}: {seconds:.1f} s, {per_round}VmHWM "
                  f"{', '.join(f'{peak / 1e6:.0f} MB' for peak in peaks)}", flush=True)
    if len(digests) != 1:
        sys.exit("the labels differ between numbers of ranks")
    if asked.most_share and worst > asked.most_share:
        sys.exit(f"a process needs {worst:.2f} of the file's size, at most {asked.most_share} allowed")


if __name__ == "__main__":
    main()
