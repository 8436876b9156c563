"""Tables of answers to codes, and codes back to tables."""

import dataclasses

import numpy as np

from ._library import NO_NAME, InputError, column_places

ROLES = ("item", "annotator", "label")


@dataclasses.dataclass
class Votes:
    """Hard answers as codes, with the values and the names that the codes stand for."""

    codes: tuple  # of item, annotator and label, one per answer
    values: tuple  # arrays of the different items, annotators and labels, by code
    items: list
    annotators: list
    classes: list

    @property
    def sizes(self):
        return tuple(len(part) for part in self.values)


def number(desk, column, what):
    """Codes of a column by first appearance (as uint32), and its different values."""
    import pandas as pd

    if isinstance(column.dtype, pd.CategoricalDtype):
        column = column.cat.remove_unused_categories()
        codes = column.cat.codes.to_numpy()
        values = column.cat.categories.to_numpy(dtype=object)
        missing = codes < 0
    else:
        array = column.to_numpy()
        if array.dtype == object:
            # The same object is the same value: number the objects first, and compare only the
            # different ones.
            addresses = np.ndarray(len(array), np.uint64, _memory(array))
            codes, firsts = desk.number(addresses)
            again, values = pd.factorize(array[firsts], use_na_sentinel=True)
            codes = again[codes]
        elif array.dtype.kind in "iu":
            codes, firsts = desk.number(array.astype(np.int64, copy=False))
            values = array[firsts]
        else:
            codes, values = pd.factorize(array, use_na_sentinel=True)
        missing = np.asarray(codes) < 0 if codes.dtype.kind == "i" else np.zeros(0, bool)
    if missing.any() and what != "annotator":
        raise InputError(f"row {int(np.argmax(missing))} has no {what}")
    codes = np.where(missing, NO_NAME, codes) if missing.any() else codes
    return codes.astype(np.uint32, copy=False), np.asarray(values)


def _memory(array):
    """The pointers of a contiguous array of objects, as bytes that can be read."""
    import ctypes

    array = np.ascontiguousarray(array)
    memory = (ctypes.c_char * (len(array) * 8)).from_address(array.ctypes.data)
    memory._owner = array
    return memory


def _names(values, what):
    """A text for every value; values that look the same are refused."""
    names = [value if isinstance(value, str) else str(value) for value in values.tolist()]
    if len(set(names)) < len(names):
        raise InputError(f"two {what}s are both written \"{_first_twice(names)}\"; give one of them "
                         "another name or type")
    return names


def _first_twice(names):
    seen = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)


def is_rich(frame):
    """Whether a frame has a row per class of an answer, as ``read_answers`` gives it."""
    return hasattr(frame, "columns") and {"answer", "item", "kind", "part"} <= set(frame.columns)


def has_roles(frame):
    """Whether a frame has columns of items, annotators and labels by name."""
    try:
        column_places([str(name) for name in frame.columns])
    except InputError:
        return False
    return True


def find_columns(frame, columns=None):
    """The columns of items, annotators and labels of a frame."""
    there = list(frame.columns)
    if columns is None:
        try:
            return [there[place] for place in column_places([str(name) for name in there])]
        except InputError as error:
            raise InputError(f"{str(error).partition(';')[0]}: the frame has the columns {there}; "
                             "give columns=(item, annotator, label)") from None
    found = dict(columns) if isinstance(columns, dict) else dict(zip(ROLES, columns))
    for role in ROLES:
        if found.get(role) not in there:
            raise InputError(f"the frame has no column {found.get(role)!r} for the {role}: it has "
                             f"{there}; give columns=(item, annotator, label)")
    return [found[role] for role in ROLES]


def _sorted(values):
    """The order of classes: numbers as numbers, everything else as text, as the program sorts."""
    try:
        return np.argsort(values.astype(np.float64), kind="stable")
    except (TypeError, ValueError):
        return np.array(sorted(range(len(values)), key=lambda i: str(values[i])), dtype=np.int64)


def votes_of(desk, frame, columns=None, classes=None):
    """Votes of a frame with a row per answer. ``classes`` fixes the classes and their order."""
    if len(frame) == 0:
        raise InputError("the frame has no rows")
    item, annotator, label = find_columns(frame, columns)
    items, item_values = number(desk, frame[item], "item")
    people, people_values = number(desk, frame[annotator], "annotator")
    labels, label_values = number(desk, frame[label], "label")
    if classes is None:
        order = _sorted(label_values)
        rank = np.empty(len(order), np.uint32)
        rank[order] = np.arange(len(order), dtype=np.uint32)
        label_values = label_values[order]
    else:
        wanted = np.asarray(classes)
        place = {value: i for i, value in enumerate(wanted.tolist())}
        unknown = [value for value in label_values.tolist() if value not in place]
        if unknown:
            raise InputError(f"label {unknown[0]!r} is not one of the classes {list(place)}")
        rank = np.array([place[value] for value in label_values.tolist()], np.uint32)
        label_values = wanted
    return Votes((items, people, rank[labels]), (item_values, people_values, label_values),
                 _names(item_values, "item"), _names(people_values, "annotator"),
                 _names(label_values, "class"))
