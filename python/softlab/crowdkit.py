"""Aggregators under the names of crowd-kit: change the import, keep the code::

    from softlab.crowdkit import DawidSkene            # was: from crowdkit.aggregation import ...
    labels = DawidSkene(n_iter=20).fit_predict(frame)  # columns task, worker, label

Arguments, defaults, attributes and index types are crowd-kit's; the numbers are softlab's. Every
estimate comes from ``softlab.aggregate`` with the options written in the class.
"""

import tempfile

import numpy as np
import pandas as pd

from ._frames import votes_of
from ._library import NO_NAME, Desk, UsageError
from ._work import aggregate


class _Aggregator:
    """Fits an aggregator to a DataFrame with the columns task, worker and label."""

    _method = ""

    def __init__(self, *values, **named):
        """Arguments are the class's ``_arguments``, in this order, with these defaults."""
        given = dict(zip(self._arguments, values))
        unknown = set(named) - set(self._arguments)
        if unknown or len(values) > len(self._arguments) or set(given) & set(named):
            raise TypeError(f"{type(self).__name__}() takes {', '.join(self._arguments) or 'nothing'}")
        for name, value in {**self._arguments, **given, **named}.items():
            setattr(self, name, value)

    def _options(self):
        return {}

    def _fit(self, data, confusions=False, **more):
        missing = {"task", "worker", "label"} - set(data.columns)
        if missing:
            raise UsageError(f"the frame has no column {', '.join(sorted(missing))}; it needs task, "
                             "worker and label")
        found = aggregate(data, self._method, columns=("task", "worker", "label"),
                          confusions=confusions, **self._options(), **more)
        tasks = pd.Index(found.items, name="task")
        labels = pd.Index(found.classes, name="label")
        self.probas_ = pd.DataFrame(found.probabilities, tasks, labels).sort_index()
        first = self.probas_.to_numpy().argmax(axis=1)
        self.labels_ = pd.Series(labels.to_numpy()[first], self.probas_.index, name="agg_label")
        self._found, self._n_answers = found, len(data)
        return found

    def _by_worker(self, values, name):
        index = pd.Index(self._found.people, name="worker")
        return pd.Series(values, index, name=name).sort_index()

    def fit(self, data, **more):
        """Fit to a frame of answers; returns self."""
        self._fit(data, **more)
        return self

    def fit_predict(self, data, **more):
        """The label of every task: a Series by task, called agg_label."""
        return self.fit(data, **more).labels_

    def fit_predict_proba(self, data, **more):
        """The distribution of every task: a DataFrame by task, a column per label."""
        return self.fit(data, **more).probas_


class _Skilled(_Aggregator):
    def _fit(self, data, confusions=False, **more):
        found = super()._fit(data, confusions, **more)
        self.skills_ = self._by_worker(found.skills, "skill")
        return found


class MajorityVote(_Skilled):
    """Votes, weighted by given skills; ``probas_`` are shares of the votes."""

    _method = "mv-shares"
    _arguments = {"default_skill": None, "on_missing_skill": "error"}

    def fit(self, data, skills=None):
        """``skills``: a Series by worker; on_missing_skill says what others count: error, ignore
        or value (default_skill)."""
        if skills is None:
            self._fit(data)
            return self
        known = data["worker"].isin(skills.index)
        if not known.all() and self.on_missing_skill == "error":
            worker = data["worker"][~known].iloc[0]
            raise ValueError(f"worker {worker!r} has no skill; on_missing_skill=\"ignore\" leaves "
                             "such workers out, \"value\" gives them default_skill")
        if self.on_missing_skill == "ignore":
            data = data[known]
        elif not known.all():
            if self.default_skill is None:
                raise ValueError("on_missing_skill=\"value\" needs default_skill")
            more = pd.Series(self.default_skill, index=data["worker"][~known].unique())
            skills = pd.concat([skills, more])
        self._fit(data, weights=skills[skills.index.isin(data["worker"])])
        return self


class GoldMajorityVote(_Skilled):
    """Votes, weighted by each worker's accuracy on tasks whose label is known."""

    _method = "gold-mv"
    _arguments = {}

    def fit(self, data, true_labels):
        """``true_labels``: a Series by task. They only tell the skills: the tasks themselves get
        what the weighted votes say."""
        self._fit(data, gold=true_labels)
        vote = MajorityVote().fit(data, self.skills_)
        self.probas_, self.labels_ = vote.probas_, vote.labels_
        return self


class Wawa(_Skilled):
    """Votes, weighted by each worker's agreement with the majority."""

    _method = "wawa"
    _arguments = {}


class ZeroBasedSkill(_Skilled):
    """Votes, weighted by skills that follow the agreement with the weighted vote."""

    _method = "zbs"
    _arguments = {"n_iter": 100, "lr_init": 1.0, "lr_steps_to_reduce": 20, "lr_reduce_factor": 0.5,
                  "eps": 1e-5}

    def _options(self):
        return {"iterations": self.n_iter, "rate": self.lr_init, "rate_margin": self.eps,
                "rate_period": self.lr_steps_to_reduce, "rate_factor": self.lr_reduce_factor}


class DawidSkene(_Aggregator):
    """A confusion matrix per worker, by plain EM without smoothing. ``loss_history_`` is the
    log-likelihood per answer."""

    _method = "ds"
    _arguments = {"n_iter": 100, "tol": 1e-5, "initial_error_strategy": None}
    _plain = {"smoothing": 0, "diagonal": 0}

    def _options(self):
        return {"iterations": self.n_iter, "tolerance": self.tol, "stop": "per-answer", **self._plain}

    def fit(self, data, true_labels=None, initial_error=None):
        """``true_labels``: a Series by task, kept as they are. ``initial_error``: confusion matrices
        to start from, a DataFrame as ``errors_``, used as ``initial_error_strategy`` says: "assign"
        replaces what the votes give, "addition" adds to it."""
        with tempfile.TemporaryDirectory(prefix="softlab-") as folder:
            more = {} if initial_error is None else self._start(initial_error, folder)
            found = self._fit(data, confusions=True, gold=true_labels, **more)
        labels = self.probas_.columns
        index = pd.MultiIndex.from_product([found.people, labels], names=["worker", "label"])
        by_said = found.confusions.transpose(0, 2, 1).reshape(len(index), len(labels))
        self.errors_ = pd.DataFrame(by_said, index, labels).sort_index()
        self.priors_ = pd.Series(found.prior, labels, name="prior")
        self.loss_history_ = list(found.trace / self._n_answers)
        return self

    def _start(self, errors, folder):
        """The matrices as a state that softlab labels --start-from reads."""
        strategies = {"assign": "given", "addition": "added"}
        if self.initial_error_strategy not in strategies:
            raise ValueError("initial_error needs initial_error_strategy \"assign\" or \"addition\"")
        labels = errors.columns
        workers = errors.index.unique("worker")
        full = errors.reindex(pd.MultiIndex.from_product([workers, labels])).fillna(0)
        matrices = full.to_numpy(np.float32).reshape(len(workers), len(labels), -1)
        path = f"{folder}/errors.npz"
        np.savez(path, confusion=matrices.transpose(0, 2, 1), annotator=[str(one) for one in workers],
                 classes=[str(one) for one in labels])
        return {"start": strategies[self.initial_error_strategy], "start_from": path}


class OneCoinDawidSkene(DawidSkene):
    """Dawid-Skene with one probability of being right per worker."""

    _method = "ds-onecoin"
    _arguments = {"n_iter": 100, "tol": 1e-5}

    def fit(self, data):
        """Fit to a frame of answers; returns self."""
        super().fit(data)
        self.skills_ = self._by_worker(self._found.skills, "skill")
        return self


class GLAD(_Aggregator):
    """An ability (``alphas_``) per worker and an easiness (``betas_``) per task."""

    _method = "glad"
    _arguments = {"n_iter": 100, "tol": 1e-5, "silent": True, "labels_priors": None,
                  "alphas_priors_mean": None, "betas_priors_mean": None, "m_step_max_iter": 25,
                  "m_step_tol": 0.01}

    def _options(self):
        return {"iterations": self.n_iter, "tolerance": self.tol, "stop": "per-answer",
                "class_prior": self.labels_priors, "ability_prior": self.alphas_priors_mean,
                "easiness_prior": self.betas_priors_mean, "m_steps": self.m_step_max_iter,
                "m_accuracy": self.m_step_tol, "progress": None if not self.silent else False}

    def fit(self, data):
        """Fit to a frame of answers; returns self."""
        found = self._fit(data)
        self.alphas_ = self._by_worker(found.abilities, "alpha")
        tasks = pd.Index(found.items, name="task")
        self.betas_ = pd.Series(found.easiness, tasks, name="beta").sort_index()
        self.loss_history_ = list(found.trace / self._n_answers)
        return self


class MACE(_Aggregator):
    """Each worker knows or spams. ``spamming_`` has the columns spams and knows, ``thetas_`` what a
    worker says who spams; both a row per worker in the order of ``workers_``."""

    _method = "mace"
    _arguments = {"n_restarts": 10, "n_iter": 50, "method": "vb", "smoothing": 0.1,
                  "default_noise": 0.5, "alpha": 0.5, "beta": 0.5, "random_state": 0, "verbose": 0}

    def _options(self):
        own = {"restarts": self.n_restarts, "iterations": self.n_iter, "noise": self.default_noise,
               "seed": self.random_state}
        if self.method == "em":
            return {**own, "em": True, "smoothing": self.smoothing}
        if self.method != "vb":
            raise ValueError(f"method {self.method!r} is neither \"vb\" nor \"em\"")
        return {**own, "spam_prior": self.alpha, "know_prior": self.beta}

    def fit(self, data):
        """Fit to a frame of answers; returns self."""
        found = self._fit(data)
        order = np.argsort(np.asarray(found.people), kind="stable")
        self.workers_ = pd.Index(np.asarray(found.people)[order], name="worker")
        self.spamming_ = np.stack([1 - found.skills, found.skills], axis=1)[order]
        self.thetas_ = found.strategies[order]
        return self


class KOS(_Aggregator):
    """Message passing between tasks and workers; two labels only."""

    _method = "kos"
    _arguments = {"n_iter": 100, "random_state": 0}
    fit_predict_proba = None

    def _options(self):
        return {"iterations": self.n_iter, "seed": self.random_state}


class MMSR(_Skilled):
    """Skills from how often pairs of workers agree, robust to adversaries."""

    _method = "mmsr"
    _arguments = {"n_iter": 10000, "tol": 1e-10, "random_state": 0}
    fit_predict_proba = None

    def _options(self):
        return {"iterations": self.n_iter, "tolerance": self.tol}

    def fit(self, data):
        """Fit to a frame of answers; returns self."""
        found = self._fit(data)
        self.scores_ = self.probas_
        self.loss_history_ = list(found.trace)
        return self

    def fit_predict_score(self, data):
        """The score of every label of every task: a DataFrame by task."""
        return self.fit(data).scores_


# ---- Measures of answers ----


def _measure(answers, measure, skills=None, chosen=None):
    """A measure for all answers, and a Series of it by task or worker."""
    with Desk(1, False) as desk:
        votes = votes_of(desk, answers, ("task", "worker", "label"))
        desk.lend_votes("answers", votes)
        people = measure.endswith("annotators")
        skill = None if skills is None else skills.reindex(votes.values[1]).to_numpy()
        place = {label: number for number, label in enumerate(votes.values[2].tolist())}
        codes = None if chosen is None else [
            place.get(label, NO_NAME) for label in chosen.reindex(votes.values[0]).tolist()]
        everything, figures = desk.measure("answers", measure, skill, codes)
        index = pd.Index(votes.values[1 if people else 0], name="worker" if people else "task")
        return everything, None if figures is None else pd.Series(figures, index).sort_index()


def alpha_krippendorff(answers):
    """Krippendorff's alpha of the labels."""
    return _measure(answers, "alpha")[0]


def uncertainty(answers, workers_skills=None, aggregator=None, compute_by="task", aggregate=True):
    """The entropy of the labels that answers make likely, by task or worker; ``aggregate``: its mean.
    Skills are a Series by worker, or those that the aggregator estimates."""
    if workers_skills is None and aggregator is not None:
        workers_skills = aggregator.fit(answers).skills_
    kinds = {"task": "uncertainty", "worker": "uncertainty-of-annotators"}
    if compute_by not in kinds:
        raise ValueError(f"compute_by is {compute_by!r}, expected \"task\" or \"worker\"")
    mean, figures = _measure(answers, kinds[compute_by], workers_skills)
    return mean if aggregate else figures


def consistency(answers, workers_skills=None, aggregator=None, by_task=False):
    """How probable the aggregated labels are, given the answers and the skills; by default those of a
    majority vote."""
    aggregator = aggregator or MajorityVote()
    chosen = aggregator.fit_predict(answers)
    skills = getattr(aggregator, "skills_", None) if workers_skills is None else workers_skills
    mean, figures = _measure(answers, "consistency", skills, chosen)
    return figures if by_task else mean


def accuracy_on_aggregates(answers, aggregator=None, aggregates=None, by=None):
    """The share of answers that agree with the aggregated labels: of all, or by "task" or "worker"."""
    if aggregates is None:
        aggregates = (aggregator or MajorityVote()).fit_predict(answers)
    kinds = {None: "accuracy", "task": "accuracy", "worker": "accuracy-of-annotators"}
    if by not in kinds:
        raise ValueError(f"by is {by!r}, expected \"task\", \"worker\" or None")
    everything, figures = _measure(answers, kinds[by], chosen=aggregates)
    return everything if by is None else figures
