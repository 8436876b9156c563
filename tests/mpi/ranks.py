#!/usr/bin/env python3
"""softlab-mpi labels: any number of ranks writes the bytes that softlab writes from memory.

    tests/mpi/ranks.py SOFTLAB [SOFTLAB_MPI]

Also what is said when the ranks, the launcher or the files are not as they should be. LONG=1 tries
every method with every number of ranks and classes. Without MPI the test is skipped (77), or fails
with SOFTLAB_STRICT=1.
"""
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

METHODS = ["mv", "mv-shares", "wawa", "ds", "ds-fast", "ds-hybrid", "ibcc"]
RANKS = [1, 2, 4]
LONG = os.environ.get("LONG") == "1"
ENVIRONMENT = dict(
    os.environ,
    OMPI_ALLOW_RUN_AS_ROOT="1",
    OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
    OMPI_MCA_btl="self,vader",
    # MPI itself leaves memory behind.
    ASAN_OPTIONS="detect_leaks=0",
)
failures = []


def check(what, passed, detail=""):
    print(f"{'ok' if passed else 'not ok'} - {what}")
    if not passed:
        failures.append(what)
        print(detail)


def run(*words, **more):
    return subprocess.run(
        [str(word) for word in words], env=ENVIRONMENT, capture_output=True, text=True, **more)


def with_ranks(ranks):
    return ["mpirun", "--oversubscribe", "--bind-to", "none", "-n", str(ranks)]


def write_votes(path, n_items, n_classes, seed):
    """Votes of 23 people, of whom some are careless; a few items have one answer."""
    draw = random.Random(seed)
    careless = {a: draw.random() * 0.7 for a in range(23)}
    with open(path, "w") as file:
        file.write("item,worker,label\n")
        for item in range(n_items):
            truth = draw.randrange(n_classes)
            for annotator in draw.sample(range(23), draw.choice([1, 3, 5])):
                wrong = draw.random() < careless[annotator]
                label = draw.randrange(n_classes) if wrong else truth
                file.write(f"item-{item}{'é' if item % 7 == 0 else ''},a{annotator},c{label}\n")


def same_bytes(softlab, softlab_mpi, folder):
    for n_classes in (2, 3):
        votes = folder / f"votes{n_classes}.csv"
        answers = folder / f"answers{n_classes}.slb"
        gold = folder / f"gold{n_classes}.csv"
        write_votes(votes, 700, n_classes, n_classes)
        gold.write_text("item,label\nitem-3,c1\nitem-5,c0\n")
        made = run(softlab, "import", "--from", "long-csv", votes, "-o", answers)
        assert made.returncode == 0, made.stderr
        for method in METHODS if LONG or n_classes == 3 else ["ds"]:
            compare(softlab, softlab_mpi, folder, answers, gold, method)


def compare(softlab, softlab_mpi, folder, answers, gold, method):
    words = ["labels", answers, "--method", method, "--gold", gold]
    memory, streamed = folder / "memory", folder / "streamed"
    skills = [] if method == "mv" else ["--annotators-out"]
    # The .npz records its command without --stream and --ranks, so its bytes are the same as well.
    for suffix in ("npz", "csv", "npy") if method == "ds" and "3" in answers.name else ("npz",):
        expected = memory / f"labels.{suffix}"
        found = streamed / f"labels.{suffix}"
        for place in (memory, streamed):
            shutil.rmtree(place, ignore_errors=True)
            place.mkdir()
        kept = skills and skills + [memory / "skills.csv"]
        done = run(softlab, *words, "-o", expected, *kept, "--threads", 1)
        check(f"{method}: labels from memory", done.returncode == 0, done.stderr)
        trials = [([softlab], ["--stream", "--threads", 3])]
        tried = RANKS if LONG or (method, suffix) == ("ds", "npz") else [4]
        trials += [(with_ranks(n) + [softlab_mpi], ["--ranks", n, "--threads", 1 if n == 2 else 3])
                   for n in tried]
        for program, extra in trials:
            kept = skills and skills + [streamed / "skills.csv"]
            done = run(*program, *words, "-o", found, *kept, *extra)
            what = f"{answers.name} {method} {suffix}: {' '.join(map(str, extra))}"
            same = done.returncode == 0 and found.read_bytes() == expected.read_bytes()
            if skills:
                same = same and (streamed / "skills.csv").read_bytes() == (
                    memory / "skills.csv").read_bytes()
            check(f"{what}: the same bytes", same, done.stderr)
            found.unlink(missing_ok=True)


def refusals(softlab, softlab_mpi, folder):
    answers, out = folder / "answers2.slb", folder / "refused.npz"
    words = ["labels", answers, "-o", out, "-m"]
    cut = folder / "cut.slb"
    cut.write_bytes(answers.read_bytes()[:-64])
    other = folder / "other"
    other.mkdir()
    shutil.copy(folder / "answers3.slb", other / "a.slb")
    here = folder / "here"
    here.mkdir()
    shutil.copy(answers, here / "a.slb")
    two = with_ranks(2) + [softlab_mpi]
    parts = ["mpirun", "--oversubscribe", "--bind-to", "none", "-n", 1, "-wdir", here, softlab_mpi,
             "labels", "a.slb", "-m", "ds", "-o", out, ":", "-n", 1, "-wdir", other, softlab_mpi,
             "labels", "a.slb", "-m", "ds", "-o", out]

    def together(first, second):
        """A job whose ranks are started with different options."""
        return ["mpirun", "--oversubscribe", "--bind-to", "none", "-n", 1, softlab_mpi, *words,
                *first, ":", "-n", 1, softlab_mpi, *words, *second]

    gold = folder / "gold2.csv"
    other_gold = folder / "other-gold.csv"
    other_gold.write_text("item,label\nitem-3,c0\nitem-5,c0\n")
    cut_on_one = ["mpirun", "--oversubscribe", "--bind-to", "none", "-n", 1, softlab_mpi, *words,
                  "ds", ":", "-n", 1, softlab_mpi, "labels", cut, "-o", out, "-m", "ds"]
    options = "rank 1: the list of options is not that of rank 0"
    trials = [
        ("other methods", together(["ds"], ["mv"]), options),
        ("other numbers", together(["ds", "--iterations", 3], ["ds", "--iterations", 5]), options),
        ("other tolerances", together(["ds"], ["ds", "--tolerance", "1e-3"]), options),
        ("gold for one rank", together(["ds", "--gold", gold], ["ds"]), options),
        ("other gold", together(["ds", "--gold", gold], ["ds", "--gold", other_gold]),
         "rank 1: the content of the gold file is not that of rank 0"),
        ("a file that is cut for one rank", cut_on_one, f"rank 1: {cut}"),
        ("a launcher that started one rank", [softlab_mpi, *words, "ds", "--ranks", 4],
         "--ranks says 4 ranks, but 1 was started"),
        ("fewer ranks than asked for", [*two, *words, "ds", "--ranks", 3],
         "--ranks says 3 ranks, but 2 were started"),
        ("ranks without MPI", [softlab, *words, "ds", "--ranks", 2],
         "several ranks need softlab-mpi"),
        ("softlab itself under mpirun", ["env", "OMPI_COMM_WORLD_SIZE=2", softlab, *words, "ds"],
         "OMPI_COMM_WORLD_SIZE says 2 ranks, but 1 was started; several ranks need softlab-mpi"),
        ("the launcher of another MPI", ["env", "PMI_SIZE=3", softlab_mpi, *words, "ds"],
         "PMI_SIZE says 3 ranks"),
        ("a method that cannot be streamed", [*two, *words, "glad"],
         "cannot be streamed; use mv, mv-shares, wawa, ds, ds-fast, ds-hybrid, ibcc"),
        ("a command that ranks cannot share", [*two, "models"], "only labels"),
        ("a truncated file", [*two, "labels", cut, "-m", "ds", "-o", out], "its header says"),
        ("ranks with different files", parts, "rank 1: a.slb is not that of rank 0"),
        ("an output that cannot be written",
         [*two, "labels", answers, "-m", "ds", "-o", folder / "absent" / "x.npz"], "absent"),
        ("a file of text", [*two, "labels", folder / "votes2.csv", "-m", "ds", "-o", out],
         "only answers.slb can be streamed"),
        ("a state", [*two, *words, "ds", "--state", folder / "s.npz"], "--state needs all answers"),
    ]
    for what, command, sentence in trials:
        done = run(*command, timeout=120)
        said = done.stderr.count(sentence)
        check(f"{what}: one sentence, no file",
              done.returncode != 0 and said == 1 and not out.exists(),
              f"{done.returncode}: {done.stderr}")
    left = [path.name for path in folder.rglob("*.tmp")]
    check("nothing temporary is left", not left, str(left))


def killed_rank(softlab, softlab_mpi, folder):
    """Kill rank 1 while it works: all end, and nothing has the final name."""
    votes, answers, out = folder / "many.csv", folder / "many.slb", folder / "killed.npz"
    write_votes(votes, 20000, 3, 9)
    assert run(softlab, "import", "--from", "long-csv", votes, "-o", answers).returncode == 0
    # The iterations do not end by themselves.
    job = subprocess.Popen(
        with_ranks(2) + [softlab_mpi, "labels", str(answers), "-m", "ds", "-o", str(out),
                         "--tolerance", "0", "--iterations", "1000000"],
        env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        deadline = time.monotonic() + 120
        ranks = []
        while time.monotonic() < deadline and not list(folder.glob("killed.npz.*.tmp")):
            time.sleep(0.1)
        children = Path(f"/proc/{job.pid}/task/{job.pid}/children").read_text().split()
        for child in children:
            environ = Path(f"/proc/{child}/environ").read_bytes().split(b"\0")
            if b"OMPI_COMM_WORLD_RANK=1" in environ:
                ranks.append(int(child))
        check("rank 1 was found", len(ranks) == 1, str(children))
        os.kill(ranks[0], signal.SIGKILL)
        _, said = job.communicate(timeout=120)
        check("a killed rank ends the job", job.returncode != 0, said)
        check("a killed rank leaves no file",
              not out.exists() and not list(folder.glob("killed.npz*")),
              str(list(folder.glob("killed*"))))
    finally:
        if job.poll() is None:
            job.terminate()
            job.wait()


def main():
    softlab = Path(sys.argv[1]).resolve()
    softlab_mpi = Path(sys.argv[2]).resolve() if len(sys.argv) > 2 else None
    if not softlab_mpi or not shutil.which("mpirun"):
        print("skipped: no MPI (tools/bootstrap scale installs it)")
        return 1 if os.environ.get("SOFTLAB_STRICT") == "1" else 77
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        same_bytes(softlab, softlab_mpi, folder)
        refusals(softlab, softlab_mpi, folder)
        killed_rank(softlab, softlab_mpi, folder)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
