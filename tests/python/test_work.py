"""The flow from Python: the program's numbers, without copies, with softlab's sentences."""

import contextlib
import gc
import io
import os
import pathlib
import pickle
import unittest

import numpy as np
import pandas as pd
import softlab
from support import CLASSES, Scratch, crowd


class Aggregating(Scratch):
    def test_a_frame_gives_the_bytes_of_the_program(self):
        frame, _ = crowd()
        frame.to_csv(self.folder / "votes.csv", index=False)
        for method in ("mv", "ds", "ibcc", "glad", "mace", "wawa"):
            self.program("labels", "votes.csv", "--method", method, "-o", "labels.npz")
            expected = np.load(self.folder / "labels.npz")
            found = softlab.aggregate(frame, method)
            self.assertEqual(list(found.items), list(expected["item"]))
            self.assertEqual(list(found.classes), list(expected["classes"]))
            np.testing.assert_array_equal(found.probabilities, expected["labels"])
            again = softlab.aggregate(self.folder / "votes.csv", method, threads=2)
            np.testing.assert_array_equal(again.probabilities, expected["labels"])
            self.assertEqual(again.items, list(expected["item"]))

    def test_any_kind_of_value_comes_back_as_it_was(self):
        frame, _ = crowd(n_items=12)
        expected = softlab.aggregate(frame, "ds").probabilities
        numbers = frame.assign(task=frame["task"].str[1:].astype(int),
                               worker=frame["worker"].astype("category"),
                               label=frame["label"].map(CLASSES.index))
        found = softlab.aggregate(numbers, "ds")
        np.testing.assert_array_equal(found.probabilities, expected)
        self.assertEqual(list(found.items), list(pd.unique(numbers["task"])))
        self.assertEqual(list(found.classes), [0, 1, 2])
        # Equal texts that are different objects are the same value.
        copies = frame.assign(task=[("x" + name)[1:] for name in frame["task"]])
        np.testing.assert_array_equal(softlab.aggregate(copies, "ds").probabilities, expected)

    def test_numbers_are_sorted_as_numbers(self):
        frame = pd.DataFrame({"item": [1, 2, 3], "annotator": [1, 1, 1], "label": [10, 9, 2]})
        self.assertEqual(list(softlab.aggregate(frame, "mv").classes), [2, 9, 10])

    def test_classes_may_be_given(self):
        frame, _ = crowd()
        found = softlab.aggregate(frame, "mv", classes=["dog", "cat", "bird", "fish"])
        self.assertEqual(list(found.classes), ["dog", "cat", "bird", "fish"])
        self.assertTrue((found.probabilities[:, 3] == 0).all())
        with self.assertRaisesRegex(softlab.InputError, "'bird' is not one of the classes"):
            softlab.aggregate(frame, "mv", classes=["dog", "cat"])

    def test_what_was_learned_is_there(self):
        frame, _ = crowd()
        found = softlab.aggregate(frame, "ds", confusions=True)
        self.assertEqual(found.confusions.shape, (5, 3, 3))
        skills = found.annotators_frame()["skill"]
        self.assertGreater(skills["w0"], skills["w4"])
        self.assertGreater(len(found.trace), 2)
        self.assertIsNone(softlab.aggregate(frame, "ds").confusions)

    def test_gold_and_weights_are_series(self):
        frame, truth = crowd()
        gold = truth.head(20)
        found = softlab.aggregate(frame, "ds", gold=gold)
        place = {item: row for row, item in enumerate(found.items)}
        for item, name in gold.items():
            self.assertEqual(found.probabilities[place[item], CLASSES.index(name)], 1)
        weights = pd.Series({"w0": 1.0, "w1": 0, "w2": 0, "w3": 0, "w4": 0})
        alone = softlab.aggregate(frame, "mv-shares", weights=weights)
        own = frame[frame["worker"] == "w0"].set_index("task")["label"]
        self.assertEqual(list(alone.hard), list(own[list(alone.items)]))

    def test_a_frame_of_numbers_is_votes_by_its_columns(self):
        frame, _ = crowd(n_items=12)
        numbers = pd.DataFrame({"task": frame["task"].str[1:].astype(int),
                                "worker": frame["worker"].str[1:].astype(int),
                                "label": frame["label"].map(CLASSES.index)})
        found = softlab.labels(numbers, "share").to_frame()
        expected = softlab.labels(frame, "share").to_frame()
        np.testing.assert_array_equal(found.to_numpy(), expected.to_numpy())
        self.assertEqual(softlab.quality(numbers)["krippendorff_alpha"],
                         softlab.quality(frame)["krippendorff_alpha"])

    def test_unused_categories_do_not_shift_items(self):
        frame, _ = crowd(n_items=12)
        kept = frame["task"] != "t3"
        found = softlab.aggregate(frame.astype("category")[kept], "ds").to_frame()
        expected = softlab.aggregate(frame[kept], "ds").to_frame()
        pd.testing.assert_frame_equal(found.loc[list(expected.index)], expected, check_names=False,
                                      check_column_type=False, check_index_type=False)

    def test_options_of_file_readers_are_refused_for_frames(self):
        frame, _ = crowd()
        for method in ("ds", "share"):
            with self.assertRaisesRegex(softlab.UsageError, "no effect on votes in memory"):
                softlab.labels(frame, method, abstain="dog")

    def test_annotators_may_be_unknown(self):
        frame, _ = crowd()
        frame.loc[3, "worker"] = np.nan
        self.assertEqual(len(softlab.aggregate(frame, "mv")), 60)
        frame.loc[5, "label"] = None
        with self.assertRaisesRegex(softlab.InputError, "row 5 has no label"):
            softlab.aggregate(frame, "mv")

    def test_mistakes_are_exceptions_with_a_sentence(self):
        frame, _ = crowd()
        for error, words, call in (
                (softlab.UsageError, 'did you mean "ds"', lambda: softlab.aggregate(frame, "dss")),
                (softlab.UsageError, "--gamma has no effect", lambda: softlab.aggregate(frame, "ds", gamma=1)),
                (softlab.UsageError, "no option 'rounds'", lambda: softlab.aggregate(frame, "ds", rounds=1)),
                (softlab.InputError, "one column called label or similar, found 0", lambda: softlab.aggregate(frame[["task", "worker"]], "ds")),
                (softlab.InputError, "no rows", lambda: softlab.aggregate(frame.head(0), "ds")),
                (softlab.InputError, "kos", lambda: softlab.aggregate(frame, "kos")),
                (softlab.SoftlabError, "nowhere.csv: No such file", lambda: softlab.aggregate("nowhere.csv", "ds")),
                (softlab.InputError, "two items are both written \"1\"", lambda: softlab.aggregate(
                    pd.DataFrame({"item": [1, "1"], "worker": [1, 1], "label": ["a", "b"]}), "mv"))):
            with self.subTest(words), self.assertRaisesRegex(error, words):
                call()
        self.assertTrue(issubclass(softlab.InputError, ValueError))
        self.assertTrue(issubclass(softlab.NotFound, FileNotFoundError))

    def test_arrays_are_views_that_outlive_everything(self):
        frame, _ = crowd()
        rows = softlab.aggregate(frame, "ds").probabilities
        copy = rows.copy()
        gc.collect()
        softlab.aggregate(frame, "mv")
        self.assertFalse(rows.flags.owndata)
        np.testing.assert_array_equal(rows, copy)
        self.assertEqual(pickle.loads(pickle.dumps(rows)).shape, rows.shape)


class Flow(Scratch):
    def test_labels_of_a_frame_and_of_a_file(self):
        frame, _ = crowd()
        frame.to_csv(self.folder / "votes.csv", index=False)
        shares = softlab.labels(frame, "share")
        read = softlab.labels(self.folder / "votes.csv", "share").to_frame()
        pd.testing.assert_frame_equal(shares.to_frame().loc[read.index], read)
        self.assertIsInstance(softlab.labels(frame, "ds"), softlab.Aggregation)
        each = softlab.labels(frame, "share", per_annotator=True)
        self.assertEqual(len(each), len(frame))
        self.assertEqual(set(each.annotators), set(frame["worker"]))

    def test_labels_are_saved_and_read_back(self):
        frame, _ = crowd()
        labels = softlab.labels(frame, "share")
        for name in ("labels.npz", "labels.csv"):
            path = labels.save(self.folder / name)
            self.assertEqual(softlab.compare(labels, path)["mean"]["l1"], 0)
        with self.assertRaisesRegex(ValueError, "end the name in"):
            labels.save(self.folder / "labels.txt")

    def test_lent_arrays_never_stand_for_a_file(self):
        frame, _ = crowd()
        ours, theirs = softlab.labels(frame, "share"), softlab.aggregate(frame, "ds")
        before = os.getcwd()
        self.addCleanup(os.chdir, before)
        os.chdir(self.folder)
        theirs.save("b.npz")
        os.rename("b.npz", "b")
        with self.assertRaises(softlab.SoftlabError):  # the file b, whose suffix says nothing
            softlab.compare("b", ours)
        with self.assertRaisesRegex(softlab.SoftlabError, "--output=x: No such file"):
            softlab.labels("--output=x", "share")

    def test_names_of_answers_stay_as_they_are(self):
        (self.folder / "votes.csv").write_text("item,worker,label\n007,01,NA\n007,02,1.0\n")
        frame = softlab.read_answers(self.folder / "votes.csv")
        self.assertEqual(list(frame["item"]), ["007", "007"])
        self.assertEqual(list(frame["label"]), ["NA", "1.0"])
        self.assertEqual(softlab.labels(frame, "share").items, ["007"])

    def test_compare_matches_by_name(self):
        frame, _ = crowd()
        labels = softlab.labels(frame, "share")
        turned = labels.to_frame().iloc[::-1, ::-1]
        self.assertEqual(softlab.compare(labels, turned)["mean"]["l1"], 0)

    def test_quality_has_a_row_per_annotator(self):
        frame, truth = crowd()
        quality = softlab.quality(frame, truth=truth)
        self.assertEqual(set(quality.annotators.index), set(frame["worker"]))
        self.assertGreater(quality.annotators["top1"]["w0"], quality.annotators["top1"]["w4"])

    def test_advice_is_a_page(self):
        frame, truth = crowd()
        advice = softlab.advise(frame, truth=truth, seconds=3)
        self.assertIn(advice["verdict"], str(advice))
        self.assertIn("What to ask next", advice.page)
        self.assertEqual(advice["crowd"]["annotators"], frame["worker"].nunique())

    def test_train_predict_evaluate(self):
        data = softlab.dataset("shapes:n=40,size=16")
        truth = softlab.Labels(data.truth, data.items, data.classes)
        run = softlab.train("shapes:n=40,size=16", self.folder / "run", truth, network="resnet8",
                            recipe="quick", set={"epochs": 2}, seed=1, progress=False)
        self.assertEqual(len(run.history()), 2)
        self.assertIn("conv1.weight", run.weights)
        predictions = softlab.predict(run, "shapes:n=40,size=16")
        np.testing.assert_allclose(predictions.probabilities.sum(axis=1), 1, atol=1e-5)
        score = softlab.evaluate(predictions, truth, plots=True)
        self.assertEqual({chart.name for chart in score.charts},
                         {"reliability", "confidence", "risk-coverage"})
        self.assertTrue(score.charts[0]._repr_svg_().startswith("<svg"))
        truth.save(self.folder / "truth.npz")
        predictions.save(self.folder / "predictions.npz")
        direct = softlab.evaluate(run, self.folder / "truth.npz", data="shapes:n=40,size=16")
        self.assertIn("cross_entropy", str(direct.figures))
        self.assertGreater(score.metrics["cross_entropy"], 0)
        asked = {"metrics": "accuracy,cross_entropy", "bootstrap": 20}
        alone = softlab.evaluate(predictions, truth, **asked).to_frame()
        self.assertEqual(list(alone.index), ["accuracy", "cross_entropy"])
        self.assertTrue((alone["low"] <= alone["value"]).all())
        beside = softlab.evaluate(predictions, truth, against=truth, **asked).to_frame()
        self.assertEqual(list(beside.columns), ["value", "other", "difference", "difference low",
                                                "difference high", "p"])

    def test_classes_as_numbers_score_predictions(self):
        data = softlab.dataset("shapes:n=30,size=16")
        sure = softlab.Labels(np.eye(6, dtype=np.float32)[data.labels], data.items, data.classes)
        self.assertEqual(softlab.evaluate(sure, hard=data.labels).metrics["accuracy"], 1)
        with self.assertRaisesRegex(softlab.SoftlabError, "class"):
            softlab.evaluate(sure, hard=data.labels + 3)

    def test_datasets(self):
        data = softlab.dataset("shapes:n=7,size=16")
        self.assertEqual(data.images.shape, (7, 16, 16, 3))
        self.assertEqual(len(data), 7)
        self.assertIsNone(data.texts)
        with self.assertRaisesRegex(softlab.NotFound, "nowhere"):
            softlab.dataset("nowhere/")

    def test_rich_answers_are_read_as_a_frame(self):
        path = self.folder / "answers.jsonl"
        path.write_text('{"softlab":"answers","version":1,"classes":["a","b"]}\n'
                        '{"item":"i1","annotator":"p","kind":"soft","top":[["a",70],["b",20]]}\n')
        frame = softlab.read_answers(path)
        self.assertEqual(len(frame["item"].unique()), 1)
        labels = softlab.labels(path, "t2-clamp")
        self.assertGreater(labels.probabilities[0, 0], labels.probabilities[0, 1])
        # A row per class is not a row per answer: such a frame is read as the file was.
        again = softlab.labels(frame, "t2-clamp")
        np.testing.assert_array_equal(again.probabilities, labels.probabilities)
        np.testing.assert_array_equal(softlab.aggregate(frame, "mv").probabilities,
                                      softlab.aggregate(path, "mv").probabilities)

    def test_nothing_is_printed(self):
        frame, _ = crowd()
        out, error = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(error):
            softlab.aggregate(frame, "ds")
            softlab.labels(frame, "share")
        self.assertEqual(out.getvalue() + error.getvalue(), "")

    def test_results_show_themselves_in_a_notebook(self):
        frame, _ = crowd()
        for shown in (softlab.aggregate(frame, "ds"), softlab.quality(frame),
                      softlab.compare(softlab.labels(frame, "share"), softlab.labels(frame, "share"))):
            self.assertIn("<table", shown._repr_html_())
            self.assertLess(len(repr(shown)), 3000)
        self.assertIn("&lt;b&gt;", softlab.Report("<b>")._repr_html_())

    def test_options_are_documented_from_the_tables(self):
        self.assertIn("smoothing", softlab.aggregate.__doc__)
        self.assertEqual(softlab.options("labels")[0]["name"], "method")
        with self.assertRaisesRegex(softlab.UsageError, "no task"):
            softlab.options("label")
        self.assertIn("ds", softlab.methods().index)
        self.assertIn("accuracy", softlab.metrics().index)


class Size(unittest.TestCase):
    def test_python_stays_small(self):
        """Everything is computed in C: the package is under 2,000 lines, docstrings included."""
        files = pathlib.Path(softlab.__file__).parent.glob("**/*.py")
        self.assertLess(sum(len(file.read_text().splitlines()) for file in files), 2000)


if __name__ == "__main__":
    unittest.main()
