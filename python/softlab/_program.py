"""The program ``softlab`` as a child process: for servers and experiments, which run for long and
start processes of their own."""

import json
import logging
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import sysconfig
import threading

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


def fail(command, code, messages):
    """Raise what the last of a program's own messages says."""
    own = [line for line in messages if line.startswith("softlab")]
    message = own[-1] if own else "\n".join(messages)
    sentence = message.partition(": ")[2] or message or f"softlab {command} ended with {code}"
    raise (UsageError if code == 2 else SoftlabError)(sentence)


def start(command, *arguments, **options):
    """Start a command, such as "study serve", whose output and messages are read as text."""
    # A folder called --quiet is a folder and no option.
    line = [find(), *command.split(), *words(options), "--", *map(str, arguments)]
    return subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            stdin=subprocess.DEVNULL)


def _follow(stream, lines, progress):
    """Messages go to the log as they come, and to people who watch."""
    for line in stream:
        line = line.rstrip("\n")
        lines.append(line)
        warning = line.partition("warning: ")[2]
        log.log(logging.WARNING if warning else logging.INFO, "%s", warning or line)
        if progress and not warning:
            print(line, file=sys.stderr, flush=True)


def run(command, *arguments, progress=False, **options):
    """Run a command to its end and return what it printed; its messages go to the log, and with
    ``progress`` to standard error too. Ctrl-C reaches the program, which stops in order."""
    messages = []
    with start(command, *arguments, **options) as child:
        follower = threading.Thread(target=_follow, args=(child.stderr, messages, progress))
        follower.start()
        try:
            out = child.stdout.read()
            child.wait()
        except KeyboardInterrupt:
            child.send_signal(signal.SIGINT)
            child.stdout.read()
            raise
        finally:
            follower.join()
    if child.returncode != 0:
        fail(command, child.returncode, messages)
    return out


def run_json(command, *arguments, **options):
    """The JSON that a command prints."""
    return json.loads(run(command, *arguments, json=True, **options))
