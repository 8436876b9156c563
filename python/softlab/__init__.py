"""softlab: collect, aggregate, train on and evaluate soft labels::

    import softlab
    votes = pandas.read_csv("votes.csv")            # a row per answer
    crowd = softlab.aggregate(votes, "ds")          # a distribution per item, skills of annotators
    run = softlab.train("photos/", "run", crowd)    # a network trained on them
    softlab.evaluate(softlab.predict(run, "photos:test"), labels="people.npz")

Everything is computed by libsoftlab; results are NumPy arrays, DataFrames and small classes.
"""

from . import experiments
from ._calls import options
from ._library import (Busy, InputError, NotFound, NumericError, SoftlabError, SystemRefused,
                       UsageError)
from ._results import (Advice, Aggregation, Chart, Dataset, Evaluation, Labels, Report, Run, Table)
from ._weights import load_torch, to_torch
from ._work import (advise, aggregate, compare, dataset, evaluate, labels, methods, metrics, predict,
                    quality, read_answers, simulate, train)
from .experiments import report
from .study import Server, Study

__all__ = [name for name in dir() if not name.startswith("_")]
__version__ = "0.1.0"
