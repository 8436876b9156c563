"""The door to libsoftlab: loading, calls, messages, progress, interrupts and errors.

Everything is computed by the C library; this file only carries words, arrays and results across.
"""

import contextlib
import ctypes
import json
import logging
import os
import pathlib
import signal
import sys
import threading
import warnings

import numpy as np

BIND_VERSION = 1  # SL_BIND_VERSION of softlab/bind.h
NO_NAME = 0xFFFFFFFF
log = logging.getLogger("softlab")
_levels = (logging.ERROR, logging.WARNING, logging.INFO, logging.DEBUG)


# ---- Errors ----


class SoftlabError(Exception):
    """What softlab could not do, in softlab's own sentence. ``code`` names the kind: ``usage``,
    ``input``, ``not-found``, ``io``, ``backend``, ``numeric`` or ``busy``."""

    code = "backend"


class UsageError(SoftlabError, ValueError):
    """An option or argument does not exist, is out of range or has no effect."""

    code = "usage"


class InputError(SoftlabError, ValueError):
    """Data are malformed; the sentence names the file and line, or the row."""

    code = "input"


class NotFound(SoftlabError, FileNotFoundError):
    """A named thing does not exist."""

    code = "not-found"


class SystemRefused(SoftlabError, OSError):
    """The operating system refused: a full disk, a missing permission."""

    code = "io"


class NumericError(SoftlabError, ArithmeticError):
    """A loss, weight or fit became NaN or infinite."""

    code = "numeric"


class Busy(SoftlabError):
    """Another program uses the same files; try again later."""

    code = "busy"


_NO_MEMORY, _STOPPED = 5, 9
_errors = {1: UsageError, 2: InputError, 3: NotFound, 4: SystemRefused, 6: SoftlabError,
           7: NumericError, 8: Busy}


class _Error(ctypes.Structure):
    _fields_ = [("code", ctypes.c_int), ("message", ctypes.c_char * 512)]


def _check(status, error):
    if status == 0:
        return
    message = error.message.decode("utf-8", "replace")
    if status == _NO_MEMORY:
        raise MemoryError(message or "not enough memory")
    if status == _STOPPED:
        raise KeyboardInterrupt(message)
    raise _errors.get(status, SoftlabError)(message)


# ---- Loading ----

_pointer, _size, _text = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p
_sizes = ctypes.POINTER(_size)
_log_hook = ctypes.CFUNCTYPE(None, _pointer, ctypes.c_int, _text)
_progress_hook = ctypes.CFUNCTYPE(None, _pointer, _text, _text, ctypes.c_uint64, ctypes.c_uint64,
                                  ctypes.c_bool)
_prototypes = {
    "sl_bind_version": (ctypes.c_uint, []),
    "sl_bind_describe": (ctypes.c_int, [ctypes.POINTER(_pointer), _pointer]),
    "sl_bind_free": (None, [_pointer]),
    "sl_bind_columns": (ctypes.c_int, [_pointer, _size, ctypes.POINTER(_size), _pointer]),
    "sl_desk_create": (ctypes.c_int, [_size, _text, _text, ctypes.POINTER(_pointer), _pointer]),
    "sl_desk_destroy": (None, [_pointer]),
    "sl_desk_listen": (None, [_pointer, _log_hook, _progress_hook, _pointer]),
    "sl_desk_stop": (None, [_pointer]),
    "sl_desk_lend_rows": (ctypes.c_int, [_pointer, _text, _pointer, _sizes, _pointer, _pointer]),
    "sl_desk_lend_votes": (ctypes.c_int, [_pointer, _text, _size, _pointer, _sizes, _pointer,
                                          _pointer]),
    "sl_desk_keep_confusions": (None, [_pointer, ctypes.c_bool]),
    "sl_desk_do": (ctypes.c_int, [_pointer, _text, ctypes.POINTER(_text), _size,
                                  ctypes.POINTER(_pointer), _pointer]),
    "sl_desk_measure": (ctypes.c_int, [_pointer, _text, _text, _pointer, _pointer,
                                       ctypes.POINTER(_pointer), _pointer]),
    "sl_desk_open": (ctypes.c_int, [_pointer, _text, ctypes.POINTER(_pointer), _pointer]),
    "sl_desk_network": (ctypes.c_int, [_pointer, _text, ctypes.POINTER(_pointer), _pointer]),
    "sl_desk_number": (ctypes.c_int, [_pointer, _pointer, _size, _pointer, _pointer, _sizes,
                                      _pointer]),
    "sl_desk_result_destroy": (None, [_pointer]),
    "sl_desk_result_json": (_text, [_pointer]),
    "sl_desk_result_array": (_pointer, [_pointer, _text, ctypes.POINTER(_text), _sizes, _sizes]),
    "sl_desk_result_texts": (_pointer, [_pointer, _text, _sizes]),
}


class _Names(ctypes.Structure):
    """struct sl_joined_names"""

    _fields_ = [("text", _text), ("bytes", _size)]


def _load():
    here = pathlib.Path(__file__).parent / "libsoftlab.so.0"
    path = os.environ.get("SOFTLAB_LIBRARY") or (str(here) if here.exists() else here.name)
    try:
        library = ctypes.CDLL(path)
        version = library.sl_bind_version()
    except (OSError, AttributeError) as error:
        raise ImportError(
            f"libsoftlab cannot be loaded: {error}. Install softlab (make install) and the libraries "
            "that `tools/bootstrap --list demo` names, or set SOFTLAB_LIBRARY to libsoftlab.so") from None
    if version != BIND_VERSION:
        raise ImportError(f"{path} has interface {version}, this package needs {BIND_VERSION}; "
                          "install the package and the library of the same version")
    for name, (result, arguments) in _prototypes.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


library = _load()


def describe():
    """Every task with its options, every method, measure and format, from the library's tables."""
    out, error = _pointer(), _Error()
    _check(library.sl_bind_describe(ctypes.byref(out), ctypes.byref(error)), error)
    try:
        return json.loads(ctypes.string_at(out.value))
    finally:
        library.sl_bind_free(out)


# ---- Results ----


def _join(*lists):
    """Lists of names, each None or a list, as an array of struct sl_joined_names."""
    joined = (_Names * len(lists))()
    for one, names in zip(joined, lists):
        if names is None:
            continue
        text = "\0".join(names) + "\0" if len(names) else ""
        if text.count("\0") != len(names):
            raise InputError("a name contains the character NUL")
        encoded = text.encode("utf-8", "surrogateescape")
        one.text, one.bytes = encoded, len(encoded)  # ctypes keeps the text alive
    return joined


def column_places(names):
    """Where items, annotators and labels stand among the names of columns, as import finds them."""
    place, error = (_size * 3)(), _Error()
    _check(library.sl_bind_columns(_join(names), len(names), place, ctypes.byref(error)), error)
    return list(place)


class Result:
    """What a task left: its JSON, its arrays (views of the library's memory) and its names."""

    def __init__(self, handle):
        self._handle = handle
        text = library.sl_desk_result_json(handle)
        self.json = json.loads(text) if text else None

    def __del__(self):
        if self._handle:
            library.sl_desk_result_destroy(self._handle)

    def array(self, name):
        """The array called ``name`` without a copy, or None."""
        kind, n_dimensions = _text(), _size()
        shape = (_size * 4)()
        address = library.sl_desk_result_array(self._handle, name.encode(), ctypes.byref(kind),
                                          ctypes.byref(n_dimensions), shape)
        if not address:
            return None
        dtype = np.dtype(kind.value.decode())
        sizes = tuple(shape[:n_dimensions.value])
        count = int(np.prod(sizes, dtype=np.int64))
        memory = (ctypes.c_char * (count * dtype.itemsize)).from_address(address)
        memory._owner = self  # the array keeps the memory, the memory keeps the result
        return np.frombuffer(memory, dtype, count).reshape(sizes)

    def names(self, name):
        """The names called ``name`` as a list, or None."""
        size = _size()
        address = library.sl_desk_result_texts(self._handle, name.encode(), ctypes.byref(size))
        if not address:
            return None
        return ctypes.string_at(address, size.value).decode("utf-8", "replace").split("\0")[:-1]


# ---- Progress ----


def is_watched():
    """Whether a person sees what is written to standard error: a terminal or a notebook."""
    return sys.stderr.isatty() or "ipykernel" in sys.modules


class _Bar:
    """A tqdm bar for tasks that take more than a second, on a terminal and in a notebook unless
    ``wanted`` says otherwise; nothing without tqdm."""

    def __init__(self, wanted):
        self._bar, self._make = None, None
        if wanted is None:
            wanted = is_watched()
        if wanted:
            with contextlib.suppress(ImportError), warnings.catch_warnings():
                warnings.simplefilter("ignore")  # a notebook without widgets gets a bar of text
                from tqdm.auto import tqdm

                self._make = tqdm

    def show(self, label, unit, done, total, ended):
        if self._make is None:
            return
        if self._bar is None:
            self._bar = self._make(total=total or None, desc=label, unit=unit, delay=1, leave=False,
                                   unit_scale=unit == "B")
        self._bar.set_description(label, refresh=False)
        self._bar.update(done - self._bar.n)
        if ended:
            self.close()

    def close(self):
        if self._bar is not None:
            self._bar.close()
            self._bar = None


# ---- Calls ----


def _data_roots():
    given = os.environ.get("SOFTLAB_DATA")
    xdg = os.environ.get("XDG_DATA_HOME", "")
    base = xdg if xdg.startswith("/") else os.path.join(os.path.expanduser("~"), ".local", "share")
    return given.encode() if given else None, os.path.join(base, "softlab").encode()


@contextlib.contextmanager
def _interrupts(stop):
    """Ctrl-C calls ``stop`` instead of raising, so that no moment is left at which it could part
    the caller from work that still runs. Yields the list of those that came."""
    came = []
    ours = (threading.current_thread() is threading.main_thread()
            and signal.getsignal(signal.SIGINT) is signal.default_int_handler)
    if ours:
        signal.signal(signal.SIGINT, lambda number, _: (came.append(number), stop()))
    try:
        yield came
    finally:
        if ours:
            signal.signal(signal.SIGINT, signal.default_int_handler)


class Desk:
    """One call of the library: lend arrays to it, then do a task. Use it in a ``with``."""

    def __init__(self, threads=0, progress=None):
        self._handle, self._error, self._kept = _pointer(), _Error(), []
        self._ended = threading.Event()  # no work runs
        self._ended.set()
        self._bar = _Bar(progress)
        given, folder = _data_roots()
        self._call(library.sl_desk_create, threads, given, folder, ctypes.byref(self._handle),
                   own=False)
        # The library calls these until the desk is destroyed.
        self._log = _log_hook(self._on_log)
        self._progress = _progress_hook(self._on_progress)
        library.sl_desk_listen(self._handle, self._log, self._progress, None)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._bar.close()
        if self._ended.is_set():  # a signal handler of the caller that raises may leave work running
            library.sl_desk_destroy(self._handle)
        self._handle = None

    def _on_log(self, _, level, line):
        log.log(_levels[level], "%s", line.decode("utf-8", "replace"))

    def _on_progress(self, _, label, unit, done, total, ended):
        self._bar.show(label.decode(), unit.decode(), done, total, ended)

    def _call(self, function, *arguments, own=True):
        first = (self._handle,) if own else ()
        _check(function(*first, *arguments, ctypes.byref(self._error)), self._error)

    def _run(self, function, *arguments):
        """Call in a thread, so that Ctrl-C reaches Python; the library then stops by itself."""
        status, ended = [], self._ended
        ended.clear()
        arguments = (self._handle, *arguments, ctypes.byref(self._error))

        def work():
            status.append(function(*arguments))
            ended.set()

        with _interrupts(lambda: library.sl_desk_stop(self._handle)) as interrupts:
            threading.Thread(target=work, daemon=True).start()
            ended.wait()
        if interrupts and status[0] in (0, _STOPPED):
            raise KeyboardInterrupt
        _check(status[0], self._error)

    def lend_rows(self, name, values, items=None, classes=None):
        """Lend a matrix of labels or predictions under a name."""
        values = np.ascontiguousarray(values, dtype=np.float32)
        if values.ndim != 2:
            raise UsageError(f"{name} has {values.ndim} dimensions, expected (items, classes)")
        self._kept.append(values)
        self._call(library.sl_desk_lend_rows, name.encode(), values.ctypes.data,
                   (_size * 2)(*values.shape), _join(items, classes))

    def lend_votes(self, name, votes):
        """Lend votes (softlab._frames.Votes) under a name."""
        codes = [np.ascontiguousarray(part, dtype=np.uint32) for part in votes.codes]
        addresses = (_pointer * 3)(*(part.ctypes.data for part in codes))
        self._call(library.sl_desk_lend_votes, name.encode(), len(codes[0]), addresses,
                   (_size * 3)(*votes.sizes), _join(votes.items, votes.annotators, votes.classes))

    def number(self, values):
        """Codes of 8-byte values by first appearance, and where each different value is first."""
        values = np.ascontiguousarray(values)
        codes, firsts = np.empty(len(values), np.uint32), np.empty(len(values), np.uint64)
        count = _size()
        self._call(library.sl_desk_number, values.ctypes.data, len(values), codes.ctypes.data,
                   firsts.ctypes.data, ctypes.byref(count))
        return codes, firsts[:count.value].astype(np.int64)

    def do(self, task, words, confusions=False):
        """Do a task by the words of its command."""
        library.sl_desk_keep_confusions(self._handle, confusions)
        encoded = (_text * (len(words) + 1))(*(word.encode() for word in words), None)
        out = _pointer()
        self._run(library.sl_desk_do, task.encode(), encoded, len(words), ctypes.byref(out))
        return Result(out.value)

    def measure(self, votes, measure, skill=None, chosen=None):
        """A measure of lent votes: its figure for all, and one for every item or annotator."""
        kept = [None if values is None else np.ascontiguousarray(values, dtype=kind)
                for values, kind in ((skill, np.float64), (chosen, np.uint32))]
        out = _pointer()
        self._call(library.sl_desk_measure, votes.encode(), measure.encode(),
                   *(None if values is None else values.ctypes.data for values in kept),
                   ctypes.byref(out))
        result = Result(out.value)
        everything = result.json["all"]
        return float("nan") if everything is None else everything, result.array("figures")

    def network(self, weights):
        """The graph of a trained network."""
        out = _pointer()
        self._call(library.sl_desk_network, os.fspath(weights).encode(), ctypes.byref(out))
        return Result(out.value)

    def open(self, dataset):
        """Open a data set and load its items."""
        out = _pointer()
        self._run(library.sl_desk_open, dataset.encode(), ctypes.byref(out))
        return Result(out.value)
