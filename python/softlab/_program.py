"""The program ``softlab`` as a child process: for servers and experiments, which run for long and
start processes of their own."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sysconfig

from ._library import NotFound, SoftlabError, UsageError, log


def find():
    """The program that belongs to this package: SOFTLAB_PROGRAM, the one that was installed with it,
    or on PATH."""
    here = pathlib.Path(sysconfig.get_path("scripts")) / "softlab"
    path = os.environ.get("SOFTLAB_PROGRAM") or (str(here) if here.exists() else shutil.which("softlab"))
    if not path:
        raise NotFound("the program softlab is not on PATH; install it, or set SOFTLAB_PROGRAM")
    return path


def words(options):
    """Keyword arguments as options: ``at_once=3`` is ``--at-once=3``, True is a flag."""
    found = []
    for name, value in options.items():
        name = "--" + name.replace("_", "-")
        if value is True:
            found.append(name)
        elif isinstance(value, (list, tuple)):
            found += [f"{name}={each}" for each in value]
        elif value is not None and value is not False:
            found.append(f"{name}={value}")
    return found


def _fail(command, code, error):
    lines = [line for line in error.splitlines() if line.startswith("softlab")]
    message = lines[-1] if lines else error.strip()
    sentence = message.partition(": ")[2] or message or f"softlab {command} ended with {code}"
    raise (UsageError if code == 2 else SoftlabError)(sentence)


def run(*command, **options):
    """Run a command to its end and return what it printed; its messages go to the log. Ctrl-C
    reaches the program, which stops in order."""
    arguments = [find(), *map(str, command), *words(options)]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          stdin=subprocess.DEVNULL) as child:
        try:
            out, error = child.communicate()
        except KeyboardInterrupt:
            child.send_signal(signal.SIGINT)
            child.communicate()
            raise
    if child.returncode != 0:
        _fail(command[0], child.returncode, error)
    for line in error.splitlines():
        log.info("%s", line)
    return out


def run_json(*command, **options):
    """The JSON that a command prints."""
    return json.loads(run(*command, "--json", **options))
