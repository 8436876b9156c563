#!/usr/bin/env python3
"""Every network of images, trained for a few steps with 1, 2, 3 and 7 threads: the weights must be equal
to the byte, and so must predictions and scores of the last one.

    tests/long/threads.py PROGRAM [NETWORK...]
"""
import hashlib
import json
import subprocess
import sys
import tempfile
from pathlib import Path

DATA, THREADS = "shapes:n=40", (1, 2, 3, 7)


def softlab(program, *words):
    run = subprocess.run([program, *map(str, words), "--quiet"], stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, text=True, check=False)
    if run.returncode != 0:
        sys.exit(f"softlab {' '.join(map(str, words))}: {run.stderr.strip()}")
    return run.stdout


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


def train(program, network, threads, folder):
    run = folder / f"{network}-{threads}"
    softlab(program, "train", "--data", DATA, "--network", network, "--recipe", "quick", "--set",
            "epochs=1,batch=16", "--threads", threads, "-o", run)
    softlab(program, "predict", run, "--data", DATA, "--threads", threads, "-o", run / "p.csv")
    return digest(run / "weights.safetensors"), digest(run / "p.csv")


def score(program, run, threads):
    """All but the record of what was asked."""
    found = json.loads(softlab(program, "eval", run, "--data", DATA, "--attack", "pgd",
                               "--bootstrap", 50, "--threads", threads, "--json"))
    return json.dumps({key: found[key] for key in found if key != "provenance"}, sort_keys=True)


def main():
    program = str(Path(sys.argv[1]).resolve())
    names = sys.argv[2:] or [row["name"] for row in json.loads(softlab(program, "models", "--json"))
                             if row["name"] != "tagger"]
    failed = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for network in names:
            found = {threads: train(program, network, threads, folder) for threads in THREADS}
            same = len(set(found.values())) == 1
            print(f"{network}: {'the same' if same else found}", flush=True)
            failed += [] if same else [network]
        run = folder / f"{names[0]}-1"
        if len({score(program, run, threads) for threads in THREADS}) != 1:
            failed.append(f"scores of {names[0]}")
    if failed:
        sys.exit("differ by the number of threads: " + ", ".join(failed))


if __name__ == "__main__":
    main()
