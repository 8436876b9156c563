"""crowd-kit's documented usage with another import, and the numbers of the program."""

import io
import unittest

import numpy as np
import pandas as pd
import softlab
from softlab import crowdkit
from support import Scratch, crowd

# What the C program is told for each class.
METHODS = {
    crowdkit.MajorityVote: ["mv-shares"],
    crowdkit.Wawa: ["wawa"],
    crowdkit.ZeroBasedSkill: ["zbs"],
    crowdkit.DawidSkene: ["ds", "--smoothing=0", "--diagonal=0", "--tolerance=1e-5", "--stop=per-answer"],
    crowdkit.OneCoinDawidSkene: ["ds-onecoin", "--smoothing=0", "--diagonal=0", "--tolerance=1e-5",
                                 "--stop=per-answer"],
    crowdkit.GLAD: ["glad", "--tolerance=1e-5", "--stop=per-answer", "--m-steps=25", "--m-accuracy=0.01"],
    crowdkit.MACE: ["mace", "--seed=0"],
    crowdkit.MMSR: ["mmsr"],
}


class Documented(Scratch):
    def test_every_class_gives_the_numbers_of_the_program(self):
        frame, truth = crowd()
        frame.to_csv(self.folder / "votes.csv", index=False)
        for kind, words in METHODS.items():
            with self.subTest(kind.__name__):
                table = self.program("labels", "votes.csv", "-o", "-", "--method", *words)
                expected = pd.read_csv(io.StringIO(table), index_col="item").sort_index()
                aggregator = kind().fit(frame)
                found = aggregator.probas_
                np.testing.assert_array_equal(found.to_numpy(), expected.to_numpy(np.float32))
                self.assertEqual(list(found.index), list(expected.index))
                self.assertEqual((found.index.name, found.columns.name), ("task", "label"))
                self.assertEqual(aggregator.labels_.name, "agg_label")
                self.assertGreater((aggregator.labels_ == truth[aggregator.labels_.index]).mean(), 0.85)

    def test_fit_predict_and_fit_predict_proba(self):
        frame, _ = crowd()
        labels = crowdkit.DawidSkene(n_iter=20).fit_predict(frame)
        shares = crowdkit.DawidSkene(20).fit_predict_proba(frame)
        self.assertIsInstance(labels, pd.Series)
        self.assertEqual(labels.index.name, "task")
        self.assertEqual(list(shares.columns), ["bird", "cat", "dog"])
        self.assertEqual(list(labels), list(shares.idxmax(axis=1)))

    def test_attributes_after_fit(self):
        frame, truth = crowd()
        ds = crowdkit.DawidSkene().fit(frame)
        self.assertEqual(ds.errors_.index.names, ["worker", "label"])
        np.testing.assert_allclose(ds.errors_.groupby("worker").sum(), 1, atol=1e-5)
        self.assertEqual(ds.priors_.name, "prior")
        self.assertTrue(all(np.diff(ds.loss_history_) > -1e-9))
        one = crowdkit.OneCoinDawidSkene().fit(frame)
        self.assertGreater(one.skills_["w0"], one.skills_["w4"])
        self.assertAlmostEqual(one.errors_.loc[("w0", "cat"), "cat"], one.skills_["w0"], 5)
        glad = crowdkit.GLAD().fit(frame)
        self.assertEqual((glad.alphas_.index.name, glad.betas_.index.name), ("worker", "task"))
        mace = crowdkit.MACE().fit(frame)
        self.assertEqual((mace.spamming_.shape, mace.thetas_.shape), ((5, 2), (5, 3)))
        self.assertGreater(mace.spamming_[4, 0], mace.spamming_[0, 0])
        self.assertGreater(crowdkit.Wawa().fit(frame).skills_["w0"], 0.8)
        gold = crowdkit.GoldMajorityVote().fit(frame, truth.head(30))
        self.assertGreater(gold.skills_["w0"], gold.skills_["w4"])
        # Known labels say who is good; they do not replace the votes.
        wrong = truth.head(30).copy()
        wrong.iloc[0] = "none of them"
        with self.assertRaisesRegex(softlab.InputError, "none of them"):
            crowdkit.GoldMajorityVote().fit(frame, wrong)
        wrong.iloc[0] = {"bird": "cat", "cat": "dog", "dog": "bird"}[truth.iloc[0]]
        self.assertEqual(crowdkit.GoldMajorityVote().fit_predict(frame, true_labels=wrong).loc[truth.index[0]],
                         truth.iloc[0])
        self.assertEqual(crowdkit.MMSR().fit_predict_score(frame).shape, (60, 3))

    def test_two_labels_for_kos(self):
        frame, truth = crowd(classes=["no", "yes"])
        labels = crowdkit.KOS(random_state=3).fit_predict(frame)
        self.assertGreater((labels == truth[labels.index]).mean(), 0.85)
        with self.assertRaisesRegex(softlab.InputError, "needs 2 classes"):
            crowdkit.KOS().fit(crowd()[0])

    def test_skills_of_a_majority_vote(self):
        frame, _ = crowd()
        skills = pd.Series({"w0": 1.0, "w1": 0.0, "w2": 0.0, "w3": 0.0})
        with self.assertRaisesRegex(ValueError, "'w4' has no skill"):
            crowdkit.MajorityVote().fit(frame, skills)
        alone = crowdkit.MajorityVote(on_missing_skill="ignore").fit(frame, skills)
        own = frame[frame["worker"] == "w0"].set_index("task")["label"]
        self.assertTrue((alone.labels_ == own[alone.labels_.index]).all())
        crowdkit.MajorityVote(default_skill=0.5, on_missing_skill="value").fit(frame, skills)

    def test_gold_and_starts_of_dawid_skene(self):
        frame, truth = crowd()
        fitted = crowdkit.DawidSkene().fit(frame)
        wrong = truth.head(5).map({"bird": "cat", "cat": "dog", "dog": "bird"})
        pinned = crowdkit.DawidSkene().fit(frame, true_labels=wrong)
        self.assertTrue((pinned.labels_[wrong.index] == wrong).all())
        for strategy in ("assign", "addition"):
            again = crowdkit.DawidSkene(initial_error_strategy=strategy)
            self.assertEqual(len(again.fit(frame, initial_error=fitted.errors_).labels_), 60)
        with self.assertRaisesRegex(ValueError, "initial_error_strategy"):
            crowdkit.DawidSkene().fit(frame, initial_error=fitted.errors_)

    def test_measures_of_answers(self):
        frame, truth = crowd()
        self.assertAlmostEqual(crowdkit.alpha_krippendorff(frame),
                               softlab.quality(frame)["krippendorff_alpha"], 12)
        right = frame["label"].to_numpy() == truth[frame["task"]].to_numpy()
        self.assertAlmostEqual(crowdkit.accuracy_on_aggregates(frame, aggregates=truth), right.mean(), 12)
        by_worker = crowdkit.accuracy_on_aggregates(frame, aggregates=truth, by="worker")
        pd.testing.assert_series_equal(by_worker, frame.assign(right=right * 1.0).groupby("worker")["right"].mean(),
                                       check_names=False)
        sure = pd.DataFrame({"task": ["a"] * 2, "worker": ["x", "y"], "label": ["p", "p"]})
        split = sure.assign(label=["p", "q"])
        self.assertEqual(crowdkit.uncertainty(sure), 0)
        self.assertAlmostEqual(crowdkit.uncertainty(split), np.log(2), 12)
        self.assertEqual(len(crowdkit.uncertainty(frame, aggregator=crowdkit.Wawa(), aggregate=False)), 60)
        self.assertTrue(0.5 < crowdkit.consistency(frame) <= 1)
        self.assertEqual(len(crowdkit.consistency(frame, by_task=True)), 60)
        self.assertTrue(np.isnan(crowdkit.alpha_krippendorff(frame.drop_duplicates("task"))))
        with self.assertRaisesRegex(ValueError, "compute_by"):
            crowdkit.uncertainty(frame, compute_by="label")

    def test_wrong_arguments(self):
        with self.assertRaisesRegex(TypeError, "takes n_iter, tol"):
            crowdkit.DawidSkene(rounds=3)
        with self.assertRaisesRegex(softlab.UsageError, "no column label"):
            crowdkit.Wawa().fit(crowd()[0].drop(columns="label"))
        with self.assertRaisesRegex(ValueError, "neither"):
            crowdkit.MACE(method="gibbs").fit(crowd()[0])


if __name__ == "__main__":
    unittest.main()
