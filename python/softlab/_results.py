"""What the functions return: small classes over arrays, which show themselves in notebooks."""

import base64
import dataclasses
import html
import pathlib
import typing

import numpy as np


def _frame_html(frame, rows=10):
    more = f"<p>{len(frame):,} rows</p>" if len(frame) > rows else ""
    return frame.head(rows).to_html(float_format=lambda value: f"{value:.4g}") + more


@dataclasses.dataclass(repr=False)
class Labels:
    """A distribution over classes for every item (or for every answer, with ``annotators``)."""

    probabilities: np.ndarray  #: (n, classes), float32; each row sums to 1
    items: typing.Sequence  #: n items, as they were given
    classes: typing.Sequence  #: names of the columns
    annotators: typing.Optional[typing.Sequence] = None  #: n annotators, of rows per answer
    about: typing.Optional[dict] = None  #: what was used and what it cost, from the library

    @property
    def hard(self):
        """The most probable class of every item; of equal ones the first."""
        return np.asarray(self.classes)[self.probabilities.argmax(axis=1)]

    def to_frame(self):
        """A DataFrame: a row per item, a column per class."""
        import pandas as pd

        index = pd.Index(self.items, name="item")
        if self.annotators is not None:
            index = pd.MultiIndex.from_arrays([self.items, self.annotators],
                                              names=["item", "annotator"])
        return pd.DataFrame(self.probabilities, index=index, columns=self.classes, copy=False)

    def save(self, path):
        """Write the labels for ``softlab train --labels`` and others: .npz, .csv or .npy."""
        path = pathlib.Path(path)
        if path.suffix == ".npz":
            names = {"item": np.asarray([str(item) for item in self.items]),
                     "classes": np.asarray([str(name) for name in self.classes])}
            if self.annotators is not None:
                names["annotator"] = np.asarray([str(one) for one in self.annotators])
            np.savez(path, labels=self.probabilities, **names)
        elif path.suffix == ".csv":
            self.to_frame().to_csv(path)
        elif path.suffix == ".npy":
            np.save(path, self.probabilities)
        else:
            raise ValueError(f"{path}: end the name in .npz, .csv or .npy")
        return path

    def __len__(self):
        return len(self.probabilities)

    def __repr__(self):
        return f"{type(self).__name__}({len(self):,} rows, {len(self.classes)} classes)"

    def _repr_html_(self):
        return _frame_html(self.to_frame())


@dataclasses.dataclass(repr=False)
class Aggregation(Labels):
    """Labels of a crowd, and what was learned about its annotators. A method leaves what it does
    not estimate as None."""

    people: typing.Optional[typing.Sequence] = None  #: the annotators, in the order of what follows
    skills: typing.Optional[np.ndarray] = None  #: probability of giving the true class, or a weight
    weights: typing.Optional[np.ndarray] = None  #: weight of an answer
    confusions: typing.Optional[np.ndarray] = None  #: (annotators, true class, given class)
    prior: typing.Optional[np.ndarray] = None  #: share of each class
    abilities: typing.Optional[np.ndarray] = None  #: glad: alpha of every annotator
    easiness: typing.Optional[np.ndarray] = None  #: glad: b of every item; larger is easier
    strategies: typing.Optional[np.ndarray] = None  #: mace: what an annotator says who spams
    trace: typing.Optional[np.ndarray] = None  #: objective after each iteration

    def annotators_frame(self):
        """A DataFrame: a row per annotator with skill and weight."""
        import pandas as pd

        known = {"skill": self.skills, "weight": self.weights}
        columns = {name: values for name, values in known.items() if values is not None}
        return pd.DataFrame(columns, index=pd.Index(self.people, name="annotator"))


@dataclasses.dataclass(repr=False)
class Table:
    """Named figures from the library; ``figures`` has everything as plain dicts and lists."""

    figures: dict

    def __getitem__(self, name):
        return self.figures[name]

    def to_frame(self):
        """The figures that are numbers, as a DataFrame with the column value."""
        import pandas as pd

        numbers = dict(_numbers(self.figures))
        return pd.DataFrame({"value": list(numbers.values())}, index=pd.Index(numbers, name="figure"))

    def __repr__(self):
        lines = [f"  {name}: {value:.6g}" for name, value in _numbers(self.figures)]
        return f"{type(self).__name__}\n" + "\n".join(lines)

    def _repr_html_(self):
        return _frame_html(self.to_frame(), rows=60)


def _numbers(figures, path=""):
    for name, value in figures.items():
        if isinstance(value, dict):
            if name not in ("provenance", "options"):
                yield from _numbers(value, f"{path}{name}.")
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            yield path + name, value


@dataclasses.dataclass(repr=False)
class Quality(Table):
    """Answers and annotators, measured. ``figures`` has everything."""

    @property
    def annotators(self):
        """A DataFrame with a row per annotator."""
        import pandas as pd

        rows = pd.json_normalize(list(self.figures["annotators"].values()))
        rows.index = pd.Index(self.figures["annotators"], name="annotator")
        return rows

    def __repr__(self):
        return repr(Table({name: value for name, value in self.figures.items()
                           if name != "annotators"})).replace("Table", "Quality", 1)

    def _repr_html_(self):
        return _frame_html(self.annotators)


class Advice(Table):
    """Advice about a crowd. ``page`` has it in words, ``figures`` has everything."""

    @property
    def page(self):
        return self.figures["page"]

    def __repr__(self):
        return self.page

    def _repr_html_(self):
        return f"<pre>{html.escape(self.page)}</pre>"


@dataclasses.dataclass(repr=False)
class Evaluation(Table):
    """Scores of predictions beside people. ``charts`` are drawn with ``plots=True``."""

    charts: list = dataclasses.field(default_factory=list)

    def to_frame(self):
        """A DataFrame with a row per measure: its value, its interval (``bootstrap``), and beside
        another model (``against``) the difference with interval and p-value."""
        import pandas as pd

        frame = pd.DataFrame({"value": self.metrics})
        intervals = self.figures.get("intervals") or {}
        if intervals:
            frame[["low", "high"]] = pd.DataFrame(intervals, index=["low", "high"]).T
        other = pd.DataFrame(self.figures.get("against") or {}).T
        wanted = [name for name in ("other", "difference", "low", "high", "p") if name in other]
        other = other[wanted].rename(columns={"low": "difference low", "high": "difference high"})
        return frame.join(other).rename_axis("measure")

    @property
    def metrics(self):
        """The value of every measure."""
        from ._calls import TABLES

        return {row["name"]: self.figures[row["name"]] for row in TABLES["metrics"]
                if row["name"] in self.figures}

    def _repr_html_(self):
        return super()._repr_html_() + "".join(chart._repr_html_() for chart in self.charts)


@dataclasses.dataclass(repr=False)
class Chart:
    """A drawing; ``svg`` is its source."""

    name: str
    svg: str

    def save(self, path):
        pathlib.Path(path).write_text(self.svg, encoding="utf-8")
        return path

    def __repr__(self):
        return f"Chart({self.name!r})"

    def _repr_svg_(self):
        return self.svg

    def _repr_html_(self):
        """As a picture: pages made from notebooks take style sheets out of drawings."""
        data = base64.b64encode(self.svg.encode()).decode()
        return f'<img alt="{html.escape(self.name)}" src="data:image/svg+xml;base64,{data}">'


@dataclasses.dataclass(repr=False)
class Report:
    """A report as one page; ``html`` is its source."""

    html: str

    def save(self, path):
        pathlib.Path(path).write_text(self.html, encoding="utf-8")
        return path

    def __repr__(self):
        return f"Report({len(self.html):,} characters)"

    def _repr_html_(self):
        return ('<iframe style="width:100%;height:40em;border:1px solid #ccc" '
                f'srcdoc="{html.escape(self.html)}"></iframe>')


@dataclasses.dataclass(repr=False)
class Dataset:
    """Items in memory; exactly one of ``images``, ``features`` and ``texts`` is not None."""

    name: str
    items: list
    classes: list
    labels: np.ndarray  #: class of every item, -1 where unknown
    truth: typing.Optional[np.ndarray]  #: true distributions, where they are known
    images: typing.Optional[np.ndarray]  #: (n, height, width, channels), uint8
    features: typing.Optional[np.ndarray]  #: (n, features), float32
    texts: typing.Optional[list]

    def __len__(self):
        return len(self.items)

    def __repr__(self):
        kind = "images" if self.images is not None else "texts" if self.texts else "rows"
        return f"Dataset({self.name!r}, {len(self):,} {kind}, {len(self.classes)} classes)"


@dataclasses.dataclass
class Run:
    """A trained network: the folder that ``softlab train`` made."""

    folder: pathlib.Path

    @property
    def weights(self):
        """The arrays of the network by name, from its safetensors file, without copies."""
        from ._weights import read_weights

        return read_weights(self.folder)

    def history(self):
        """A DataFrame with a row per epoch."""
        import pandas as pd

        return pd.read_json(self.folder / "log.jsonl", lines=True)
