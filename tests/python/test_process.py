"""Python survives: interrupts, memory that runs out, studies, experiments and torch."""

import contextlib
import io
import json
import os
import pathlib
import signal
import subprocess
import sys
import time
import unittest

import numpy as np
import softlab
from support import SANITIZED, Scratch, crowd


class Interrupts(Scratch):
    def interrupt(self, code, sign):
        """Run code in a child, send SIGINT once `sign` exists, and return what it printed."""
        child = subprocess.Popen([sys.executable, "-c", code], cwd=self.folder, text=True,
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        while not (self.folder / sign).exists() and child.poll() is None:
            time.sleep(0.05)
        child.send_signal(signal.SIGINT)
        return child.communicate(timeout=120)[0]

    def test_ctrl_c_stops_a_training_which_resumes(self):
        code = """
import softlab, sys
try:
    softlab.train("shapes:n=64", "run", network="resnet8", recipe="quick", set={"epochs": 5000})
except KeyboardInterrupt:
    print("interrupted", flush=True)
print(len(softlab.methods()) > 5)
"""
        self.assertEqual(self.interrupt(code, "run/log.jsonl").split()[-2:], ["interrupted", "True"])
        self.assertTrue((self.folder / "run" / "checkpoint.safetensors").exists())

    def test_ctrl_c_stops_a_bootstrap(self):
        code = """
import softlab, numpy as np, pathlib
rows = np.random.default_rng(1).dirichlet(np.ones(10), 20000).astype("f4")
try:
    pathlib.Path("begun").touch()
    softlab.evaluate(rows, rows, bootstrap=1000000)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""
        self.assertEqual(self.interrupt(code, "begun").split()[-1:], ["interrupted"])

    def test_ctrl_c_at_any_moment_leaves_nothing_running(self):
        code = """
import os, signal, threading
import numpy as np, softlab
signal.signal(signal.SIGALRM, lambda *_: os.kill(os.getpid(), signal.SIGINT))
rows, interrupted = np.full((50, 4), 0.25, "f4"), 0
for step in range(1, 151):
    try:
        signal.setitimer(signal.ITIMER_REAL, 1e-4 * step)
        softlab.evaluate(rows, rows, bootstrap=1000000)
    except KeyboardInterrupt:
        interrupted += 1
    for thread in threading.enumerate():
        if thread is not threading.main_thread():
            thread.join(20)
            assert not thread.is_alive(), f"work goes on after an interrupt at {step}"
print(interrupted)
"""
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        self.assertEqual(done.stdout, "150\n", done.stderr)


class Memory(Scratch):
    @unittest.skipIf(SANITIZED, "AddressSanitizer needs all addresses")
    def test_too_little_memory_is_a_memory_error(self):
        code = """
import resource, softlab, numpy as np, pandas as pd
n = 3_000_000
frame = pd.DataFrame({"item": np.arange(n), "worker": np.arange(n) % 100, "label": np.arange(n) % 50})
in_use = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (in_use + 400_000_000,) * 2)
try:
    softlab.aggregate(frame, "ds", threads=1)
    print("enough")
except MemoryError as error:
    print("MemoryError", str(error)[:40])
print(softlab.aggregate(frame.head(100), "mv", threads=1))
"""
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        self.assertIn("MemoryError", done.stdout, done.stderr)
        self.assertIn("Aggregation(100 rows", done.stdout)
        self.assertEqual(done.returncode, 0, done.stderr)


class Programs(Scratch):
    def test_a_study_from_make_to_labels(self):
        study = softlab.Study.make(self.folder / "study", images="shapes:n=12,size=16", batch=6,
                                   annotators=2, contact="Ada Lovelace, ada@example.org")
        with study.serve() as server:
            self.assertTrue(server.annotators.startswith("http://127.0.0.1:"))
            told = study.simulate(server, annotators=4, speed=0, count=True)
            self.assertEqual(told["finished"], 4)
        self.assertEqual(len(study.annotators()), 4)
        answers = study.export(self.folder / "answers.jsonl")
        self.assertEqual(len(softlab.labels(answers, "t2-clamp")), 12)
        with self.assertRaisesRegex(softlab.SoftlabError, "no such folder"):
            softlab.Study(self.folder / "nowhere")
        with self.assertRaisesRegex(softlab.UsageError, "--batch"):
            softlab.Study.make(self.folder / "other", images="shapes", batch="no")

    def test_folders_that_look_like_options(self):
        before = os.getcwd()
        os.chdir(self.folder)
        try:
            study = softlab.Study.make("--quiet", images="shapes:n=6,size=16", contact="Ada, a@x.org")
            self.assertEqual(study.status()["annotators"], [])
        finally:
            os.chdir(before)

    def test_experiments_are_watched(self):
        spec = {"softlab": "experiment", "version": 1, "name": "tiny", "title": "Tiny",
                "people": "simulated",
                "further": {"votes/number": {"command": ["quality", "{spec}/votes.csv", "--json"],
                                             "path": "$.answers"}}}
        crowd()[0].to_csv(self.folder / "votes.csv", index=False)
        (self.folder / "spec.json").write_text(json.dumps(spec))
        said = io.StringIO()
        with contextlib.redirect_stderr(said), self.assertLogs("softlab", "INFO") as logged:
            softlab.experiments.run(self.folder / "spec.json", output=self.folder / "out", progress=True)
        self.assertIn("tiny: 1 run made", said.getvalue())
        self.assertIn("tiny: 1 run made", "".join(logged.output))

    def test_experiments_and_reports(self):
        self.assertIn("collins2022/table2", softlab.experiments.list_experiments())
        figures = self.folder / "figures.csv"
        figures.write_text("set,network,seed,cifar10h/cross_entropy\nt2-clamp,resnet34a,1,0.5\n")
        report = softlab.report(figures, spec="collins2022/table2")
        self.assertIn("<html", report.html)
        with self.assertRaisesRegex(softlab.SoftlabError, "nothing.csv"):
            softlab.report(self.folder / "nothing.csv")


class Torch(Scratch):
    def test_a_trained_network_computes_the_same_in_torch(self):
        try:
            import torch
        except ImportError:
            self.skipTest("torch is not installed")
        networks = ["resnet8", "resnet:n=1,shortcut=conv"] if SANITIZED else [
            "resnet8", "resnet:n=1,shortcut=conv", "preact-resnet18", "vgg11", "densenet_BC_100_12",
            "shake_shake_26_2x64d", "pyramidnet:n=1,alpha=24"]
        data = softlab.dataset("shapes:n=6,seed=9")
        pixels = torch.from_numpy(np.array(data.images)).permute(0, 3, 1, 2).float() / 255
        known = softlab._program.run("models")
        for number, network in enumerate(networks):
            if network.split(":")[0] not in known and ":" not in network:
                continue
            with self.subTest(network):
                run = softlab.train("shapes:n=16", self.folder / str(number), network=network,
                                    recipe="quick", set={"epochs": 1}, progress=False)
                module = softlab.to_torch(run).eval()
                with torch.no_grad():
                    found = module(pixels).numpy()
                expected = softlab.predict(run, "shapes:n=6,seed=9", array="logits").probabilities
                np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)
                again = softlab.load_torch(softlab.to_torch(run), run)
                self.assertEqual(len(again.state_dict()), len(module.state_dict()))


if __name__ == "__main__":
    unittest.main()
