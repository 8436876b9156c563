"""The flow: answers, labels, crowds, training, prediction, scores."""

import pathlib

from ._calls import METHODS, TABLES, Call, document
from ._frames import is_rich, votes_of
from ._library import Desk, InputError, UsageError
from ._results import Advice, Aggregation, Chart, Dataset, Evaluation, Labels, Quality, Run, Table


def methods():
    """Every label method and aggregator: a DataFrame with name, summary and source."""
    import pandas as pd

    return pd.DataFrame(TABLES["methods"]).set_index("name")


def metrics():
    """Every measure of ``evaluate``: a DataFrame with name, summary and source."""
    import pandas as pd

    return pd.DataFrame(TABLES["metrics"]).set_index("name")


def dataset(name, *, threads=0, progress=None):
    """Open a data set by name ("shapes:n=100", "cifar10:test") or path, with its items in memory."""
    with Desk(threads, progress) as desk:
        result = desk.open(str(name))
        return Dataset(str(name), result.names("items"), result.names("classes"),
                       result.array("labels"), result.array("truth"), result.array("pixels"),
                       result.array("features"), result.names("texts"))


def read_answers(path, *, format=None, progress=None, threads=0, **options):
    """Read answers of any format that ``softlab import`` knows, as a DataFrame with a row per
    class of an answer (``answers-csv`` of docs/formats.md). Without ``format`` the file's content
    tells it. Options are those of ``softlab import``."""
    import pandas as pd

    with Call("import", threads, progress) as call:
        call.argument(path, "answers")
        table = call.temporary("answers.csv")
        call.do(output=table, to="answers-csv", **{"from": format or "answers"}, **options)
        # Names stay as they are: "007" is no number, and "NA" may be a class.
        names = ("item", "worker", "label", "truth", "batch", "study")
        header = pd.read_csv(table, nrows=0).columns
        return pd.read_csv(table, dtype={name: str for name in names if name in header},
                           keep_default_na=False,
                           na_values={name: [""] for name in header if name not in names})


def _is_frame(answers):
    return hasattr(answers, "columns") and not is_rich(answers)


@document("labels")
def labels(answers, method, *, threads=0, progress=None, **options):
    """Label distributions from answers, by any method of ``softlab.methods()``.

    ``answers`` is a file (answers.jsonl, CSV and others), a DataFrame of hard answers with a row per
    answer, or for ``method="ensemble"`` a list of predictions. Returns ``Labels``, or an
    ``Aggregation`` if the method learns about annotators.
    """
    if "source" in METHODS.get(method, {}):  # label methods have none
        return aggregate(answers, method, threads=threads, progress=progress, **options)
    with Call("labels", threads, progress) as call:
        many = isinstance(answers, (list, tuple))
        for number, one in enumerate(answers if many else [answers]):
            call.argument(one, f"answers {number + 1}" if many else "answers")
        result = call.do(method=method, **options)
        return Labels(result.array("rows"), result.names("items"), result.names("classes"),
                      result.names("annotators"), result.json)


@document("labels")
def aggregate(answers, method="ds", *, columns=None, classes=None, confusions=False, threads=0,
              progress=None, **options):
    """Aggregate a crowd's answers into one distribution per item.

    ``answers`` is a DataFrame with a row per answer, whose columns hold items, annotators and labels
    (found by name, or ``columns=(item, annotator, label)``), or a file. Items and labels of a frame
    come back as they were. ``classes`` gives the classes of a frame and their order; by default they
    are the labels found, sorted. ``confusions`` keeps the confusion matrix of every annotator, where
    the method has them.
    """
    with Call("labels", threads, progress) as call:
        votes = None
        if _is_frame(answers):
            votes = votes_of(call.desk, answers, columns, classes)
            call.desk.lend_votes("<answers>", votes)
            call.arguments.append("<answers>")
        else:
            if classes is not None:
                raise UsageError("classes is for frames; a file's classes are those it names")
            call.argument(answers, "answers")
            call.option("columns", columns)
        result = call.do(confusions, method=method, **options)
        items, names = (votes.values[0], votes.values[2]) if votes else (
            result.names("items"), result.names("classes"))
        people = votes.values[1] if votes else result.names("annotators")
        rows = result.array("rows")
        if len(rows) != len(items):
            raise InputError(f"{len(items) - len(rows)} items have no answer that counts")
        return Aggregation(
            rows, items, names, about=result.json, people=people,
            skills=result.array("skill"), weights=result.array("weight"),
            confusions=result.array("confusion") if confusions else None,
            prior=result.array("prior"), abilities=result.array("ability"),
            easiness=result.array("easiness"), strategies=result.array("strategy"),
            trace=result.array("trace"))


@document("compare")
def compare(a, b, *, threads=0, progress=None, **options):
    """Compare two label sets: entropy correlation, distances, the most different items. Each is
    ``Labels``, a matrix, a DataFrame or a file; rows are matched by item, columns by class."""
    with Call("compare", threads, progress) as call:
        call.argument(a, "a")
        call.argument(b, "b")
        return Table(call.do(**options).json)


@document("quality")
def quality(answers, *, threads=0, progress=None, **options):
    """Errors, accuracy, consistency, agreement and times of annotators."""
    with Call("quality", threads, progress) as call:
        call.argument(answers, "answers")
        return Quality(call.do(**options).json)


@document("advise")
def advise(answers, *, threads=0, progress=None, **options):
    """One page in plain words about a crowd: whether it agrees, whom to check, how to make labels,
    which items to look at and what to ask next. ``print`` shows the page."""
    with Call("advise", threads, progress) as call:
        call.argument(answers, "answers")
        return Advice(call.do(**options).json)


@document("simulate-labels")
def simulate(reference, *, threads=0, progress=None, **options):
    """Labels that simulated annotators would give, from a model fitted to people (``fit`` or
    ``parameters``)."""
    with Call("simulate-labels", threads, progress) as call:
        result = call.do(reference=reference, **options)
        return Labels(result.array("rows"), result.names("items"), result.names("classes"),
                      about=result.json)


@document("train")
def train(data, output, labels=None, *, threads=0, progress=None, **options):
    """Train a network on a data set and on label distributions; returns a ``Run``.

    ``labels`` is a label file, ``Labels``, or None for the data set's own classes. ``set`` is a dict
    of recipe constants (``set={"epochs": 20}``). A run that was interrupted is resumed by the same
    call.
    """
    with Call("train", threads, progress) as call:
        settings = options.pop("set", None) or {}
        for name, value in settings.items():
            call.option("set", [f"{name}={value}"])
        if labels is not None and not isinstance(labels, (str, pathlib.PurePath)):
            if not isinstance(labels, Labels):
                raise UsageError("labels is neither a file nor softlab.Labels; make one with "
                                 "softlab.Labels(probabilities, items, classes)")
            labels = labels.save(call.temporary("labels.npz"))
        call.do(data=str(data), output=str(output), labels=labels, **options)
        return Run(pathlib.Path(output))


@document("predict")
def predict(run, data, *, threads=0, progress=None, array="probs", **options):
    """Predictions of a trained network for the items of a data set: ``Labels`` with probabilities
    (``array="logits"``: logits)."""
    with Call("predict", threads, progress) as call:
        call.argument(_folder(run), "run")
        result = call.do(data=str(data), array=array, **options)
        return Labels(result.array("rows"), result.names("items"), result.names("classes"))


@document("eval")
def evaluate(predictions, labels=None, *, plots=False, threads=0, progress=None, **options):
    """Score predictions, or a trained ``Run`` with ``data=...``, against people's labels.

    ``predictions`` and ``labels`` are ``Labels``, matrices, DataFrames or files; several predictions
    are runs of one model with different seeds. ``hard`` gives true classes. ``plots=True`` also
    draws reliability, confidence and risk-coverage charts.
    """
    with Call("eval", threads, progress) as call:
        many = isinstance(predictions, (list, tuple))
        for number, one in enumerate(predictions if many else [predictions]):
            call.argument(_folder(one), f"predictions {number + 1}" if many else "predictions")
        folder = call.temporary("plots") if plots else None
        result = call.do(labels=labels, plots=folder, **options)
        drawn = sorted(pathlib.Path(folder).glob("**/*.svg")) if plots else []
        charts = [Chart(file.stem, file.read_text(encoding="utf-8")) for file in drawn]
        return Evaluation(result.json, charts)


def _folder(run):
    return run.folder if isinstance(run, Run) else run
