"""Experiments: a paper's table, or your own specification, to results and a report."""

import json
import pathlib
import tempfile

from . import _program
from ._library import is_watched
from ._results import Report


def list_experiments():
    """The built-in experiments: a dict of name to title."""
    lines = _program.run("run", list=True).splitlines()
    return dict(line.split(maxsplit=1) for line in lines if " " in line)


def init(data, output, **options):
    """Write a specification for your own data; returns the path of its folder."""
    _program.run("run", init=data, output=output, **options)
    return pathlib.Path(output)


def run(*experiments, output="results", progress=None, **options):
    """Run experiments by name, paper or folder; an interrupted call is resumed by the same call.
    Options are those of ``softlab run``, such as ``scale="small"`` or ``only="figures"``. On a
    terminal and in a notebook every finished run is printed, unless ``progress`` says otherwise.
    Returns the path of results.jsonl."""
    if progress is None:
        progress = is_watched()
    _program.run("run", *experiments, output=output, progress=progress, **options)
    return pathlib.Path(output) / "results.jsonl"


def plan(*experiments, **options):
    """What would run, and how long it takes on this machine, as text."""
    return _program.run("run", *experiments, dry_run=True, **options)


def results(path):
    """Result lines as a DataFrame, a row per run."""
    import pandas as pd

    with open(path, encoding="utf-8") as file:
        return pd.json_normalize([json.loads(line) for line in file])


def report(*results, spec=None):
    """Results beside the papers' figures, as a page that shows itself in a notebook."""
    with tempfile.TemporaryDirectory(prefix="softlab-") as folder:
        page = pathlib.Path(folder) / "report.html"
        _program.run("report", *results, output=page, spec=spec)
        return Report(page.read_text(encoding="utf-8"))
