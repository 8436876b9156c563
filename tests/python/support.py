"""What the tests share: a crowd, a scratch folder, and the program's own answer."""

import os
import pathlib
import subprocess
import tempfile
import unittest

import numpy as np
import pandas as pd

SANITIZED = bool(os.environ.get("SOFTLAB_SANITIZED"))
CLASSES = ["bird", "cat", "dog"]


def crowd(n_items=60, skills=(0.95, 0.9, 0.8, 0.7, 0.5), classes=CLASSES, seed=0):
    """Answers of annotators of known skill, shuffled, and the true classes."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, len(classes), n_items)
    rows = []
    for item in range(n_items):
        for person, skill in enumerate(skills):
            said = truth[item] if rng.random() < skill else rng.integers(0, len(classes))
            rows.append((f"t{item}", f"w{person}", classes[said]))
    frame = pd.DataFrame(rows, columns=["task", "worker", "label"])
    named = pd.Series([classes[k] for k in truth], [f"t{i}" for i in range(n_items)])
    return frame.sample(frac=1, random_state=seed).reset_index(drop=True), named


class Scratch(unittest.TestCase):
    """A test in an empty folder."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="softlab-test-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def program(self, *words):
        """Run the program in the folder."""
        environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
        return subprocess.run([os.path.abspath(os.environ["SOFTLAB_PROGRAM"]), *words], check=True,
                              cwd=self.folder, capture_output=True, text=True, env=environment).stdout
