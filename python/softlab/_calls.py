"""Python's values to the words of tasks: options by name, arrays and frames in place of files."""

import contextlib
import os
import tempfile

import numpy as np

from . import _frames
from ._library import Desk, UsageError, describe

TABLES = describe()
TASKS = {task["name"]: task for task in TABLES["tasks"]}
METHODS = {method["name"]: method for method in TABLES["methods"]}


# The columns of files with two columns, by option; all others are read as true classes by item.
_pair_columns = {
    "weights": ("annotator", "weight"),
    "class-prior": ("class", "p"),
    "ability-prior": ("annotator", "ability"),
    "easiness-prior": ("item", "easiness"),
}


def options(task):
    """The options of a task as a list of dicts: name, help, default, choices.

    Every keyword argument of the functions in this package that is not named in their signature is
    such an option, with ``_`` in place of ``-``.
    """
    if task not in TASKS:
        raise UsageError(f"no task is called {task!r}; there are {', '.join(TASKS)}")
    return TASKS[task]["options"]


def document(task):
    """A decorator: append the options of a task to a function's docstring."""
    lines = []
    for row in options(task):
        more = f" (default {row['default']})" if row["default"] else ""
        lines.append(f"    ``{row['name'].replace('-', '_')}``: {row['help']}{more}.")

    def add(function):
        function.__doc__ += "\n    Options:\n\n" + "\n".join(lines) + "\n"
        return function

    return add


class Call:
    """One task with its words, and the arrays and temporary files that stand for its files."""

    def __init__(self, task, threads=0, progress=None):
        self.task, self.words, self.arguments = task, [], []
        self._known = {row["name"]: row for row in options(task)}
        self._stack = contextlib.ExitStack()
        self.desk = self._stack.enter_context(Desk(threads, progress))
        self._folder = None

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return self._stack.__exit__(*error)

    def temporary(self, name):
        """A path in a folder that is deleted after the call."""
        if self._folder is None:
            self._folder = self._stack.enter_context(tempfile.TemporaryDirectory(prefix="softlab-"))
        return os.path.join(self._folder, name)

    def place(self, value, name):
        """What stands for a value on the command line: a path, or the name of a lent array."""
        if isinstance(value, (str, os.PathLike)):
            return os.fspath(value)
        name = f"<{name}>"  # not like a path, so that it cannot stand for another file
        if hasattr(value, "probabilities"):
            self.desk.lend_rows(name, value.probabilities, _texts(value.items), _texts(value.classes))
        elif _frames.is_rich(value):
            return self.table(value)
        elif hasattr(value, "columns") and (_frames.has_roles(value) or not _is_numeric(value)):
            self.desk.lend_votes(name, _frames.votes_of(self.desk, value))
        elif hasattr(value, "columns"):
            self.desk.lend_rows(name, value.to_numpy(), _texts(value.index), _texts(value.columns))
        elif isinstance(value, dict) or hasattr(value, "index") and hasattr(value, "items"):
            return self._pairs_file(value, name.strip("<>"))
        else:
            return self._array(np.asarray(value), name)
        return name

    def table(self, frame):
        """A frame of ``read_answers`` as the file that it came from."""
        path = self.temporary("answers.csv")
        frame.to_csv(path, index=False)
        return path

    def _array(self, array, name):
        if array.ndim == 2 and array.dtype.kind in "fiub":
            self.desk.lend_rows(name, array)
            return name
        path = self.temporary(name.strip("<>") + ".npy")
        np.save(path, array)
        return path

    def _pairs_file(self, pairs, name):
        """A dict or a Series as a CSV with the two columns that the option reads."""
        import csv

        path = self.temporary(name + ".csv")
        with open(path, "w", newline="", encoding="utf-8") as file:
            rows = csv.writer(file)
            rows.writerow(_pair_columns.get(name, ("item", "truth")))
            rows.writerows(pairs.items())
        return path

    def argument(self, value, name):
        self.arguments.append(self.place(value, name))

    def option(self, name, value):
        """Add an option by its Python name; None and False leave it out."""
        name = name.replace("_", "-")
        row = self._known.get(name)
        if row is None:
            raise UsageError(f"{self.task} has no option {name!r}; softlab.options({self.task!r}) "
                             "lists them")
        if value is None or value is False:
            return
        if row["value"] is None:
            self.words.append(f"--{name}")
        elif row["many"] and isinstance(value, (list, tuple)):
            self.words += [f"--{name}={_word(each)}" for each in value]
        elif row["file"]:
            self.words.append(f"--{name}={self.place(value, name)}")
        else:
            self.words.append(f"--{name}={_word(value)}")

    def do(self, confusions=False, **values):
        for name, value in values.items():
            self.option(name, value)
        # A file called --output is a file and no option.
        return self.desk.do(self.task, [*self.words, "--", *self.arguments], confusions)


def _word(value):
    if isinstance(value, (list, tuple)):
        return ",".join(_word(each) for each in value)
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (float, np.floating)):
        return repr(float(value))
    return str(value)


def _is_numeric(frame):
    return all(isinstance(kind, np.dtype) and np.issubdtype(kind, np.number)
               for kind in frame.dtypes)


def _texts(values):
    return None if values is None else [str(value) for value in values]
