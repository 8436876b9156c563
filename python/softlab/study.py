"""Studies: ask people in their browsers::

    study = Study.make("birds", images="photos/", contact="Ada Lovelace, ada@example.org")
    with study.serve() as server:
        print(server.annotators)        # the address to send to people
        study.watch()
    crowd = softlab.labels(study.export("answers.jsonl"), "t2-clamp")

The server is a process of its own: it lives until it is stopped, whatever happens to Python.
"""

import dataclasses
import pathlib
import signal
import subprocess
import time

from . import _program


@dataclasses.dataclass
class Server:
    """A running server; it ends with ``stop()`` or at the end of a ``with``."""

    annotators: str  #: address for annotators
    test: str  #: address to try the study; its answers never count
    researcher: str  #: address of the researcher's page
    process: subprocess.Popen = dataclasses.field(repr=False)

    def stop(self):
        """End the server. Every acknowledged answer is on disk."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait()
        for stream in (self.process.stdout, self.process.stderr):
            stream.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()


class Study:
    """A study is a folder; see ``softlab study --help``."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.status()  # is it a study?

    @classmethod
    def make(cls, folder, **options):
        """Make a study: ``images``, ``texts`` or ``mixtures``, and any option of
        ``softlab study init``."""
        _program.run("study init", folder, **options)
        return cls(folder)

    def serve(self, *, port=0, admin_port=0, **options):
        """Serve the study's pages until ``stop()``; options of ``softlab study serve``."""
        process = _program.start("study serve", self.folder, port=port, admin_port=admin_port,
                                 **options)
        found = {}
        for line in process.stdout:
            name, _, value = line.strip().partition(": ")
            found[name] = value.strip()
            if "researcher" in found:
                return Server(found["annotators"], found.get("to try it", ""), found["researcher"],
                              process)
        _program.fail("study serve", process.wait(), process.stderr.read().splitlines())

    def simulate(self, server, annotators=50, **options):
        """Send simulated annotators through a running server; ``count=True`` makes their answers
        count. Returns a dict of what happened."""
        return _program.run_json("study simulate", server.annotators, study=self.folder,
                                 annotators=annotators, **options)

    def status(self):
        """Progress, batches, times, agreement and exclusions as a dict."""
        return _program.run_json("study status", self.folder)

    def annotators(self):
        """A DataFrame with a row per session."""
        import pandas as pd

        return pd.json_normalize(self.status()["annotators"])

    def watch(self, seconds=10, times=None):
        """Print the progress every ``seconds``, until Ctrl-C or so many times."""
        while times is None or times > 0:
            print(_program.run("study status", self.folder).strip(), flush=True)
            times = None if times is None else times - 1
            if times != 0:
                time.sleep(seconds)

    def export(self, path, format="answers", **options):
        """Write answers, trials, payments or another format of ``softlab study export --list``."""
        _program.run("study export", self.folder, format=format, output=path, **options)
        return pathlib.Path(path)

    def check(self):
        """What still has to be done before people are asked, as text."""
        return _program.run("study check", self.folder)

    def __repr__(self):
        return f"Study({str(self.folder)!r})"
