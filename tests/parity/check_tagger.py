#!/usr/bin/env python3
"""Compare the tagger network with the same module in PyTorch.

usage: check_tagger.py <path of the program parity_tagger, or the word torch>

Logits and the whole flat gradient must be within 1e-5 of PyTorch's in double precision, by the
norm of the difference over the norm. The word torch puts PyTorch's own float32 in our place.
"""
import json
import os
import struct
import subprocess
import sys
import tempfile

import numpy
import torch
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

LIMIT = 1e-5
CLASSES, VOCABULARY, ALPHABET = 12, 90, 40
SMALL = {"words": 7, "letters": 3, "word-units": 5, "letter-units": 2, "hidden": [11]}
PAPER = {"words": 300, "letters": 64, "word-units": 128, "letter-units": 128, "hidden": [409, 327]}
SIZES = [(SMALL, 13, 6, 5), (SMALL, 1, 1, 2), (PAPER, 60, 30, 12)]
# Options, step of the letters, items, tokens, letters, whether items differ in length.
CASES = [
    (options, step, items, tokens, letters, ragged)
    for options, items, tokens, letters in SIZES
    for step in ("1", "0", "last")
    for ragged in (False, True)
] + [
    ({**options, "attention": units}, "1", items, tokens, letters, ragged)
    for (options, items, tokens, letters), units in zip(SIZES, (4, 3, 512))
    for ragged in (False, True)
]


class Tagger(torch.nn.Module):
    def __init__(self, options, step):
        super().__init__()
        self.step = step
        self.words = torch.nn.Embedding(VOCABULARY, options["words"])
        self.word_lstm = torch.nn.LSTM(options["words"], options["word-units"], bidirectional=True)
        self.letters = torch.nn.Embedding(ALPHABET, options["letters"])
        self.letter_lstm = torch.nn.LSTM(options["letters"], options["letter-units"],
                                         bidirectional=True)
        self.words.weight.requires_grad_(False)
        self.letters.weight.requires_grad_(False)
        self.attention = options.get("attention", 0)
        if self.attention:
            for name in ("word", "letter"):
                scored = torch.nn.Linear(2 * options[f"{name}-units"], self.attention)
                vector = torch.nn.Linear(self.attention, 1, bias=False)
                torch.nn.init.normal_(vector.weight)
                setattr(self, f"{name}_attention", scored)
                setattr(self, f"{name}_attention_vector", vector)
        width = 2 * (options["word-units"] + options["letter-units"])
        for i, units in enumerate(options["hidden"]):
            setattr(self, f"hidden{i + 1}", torch.nn.Linear(width, units))
            width = units
        self.n_hidden = len(options["hidden"])
        self.output = torch.nn.Linear(width, CLASSES)

    def forward(self, batch, noise):
        words, _ = read(self.words, self.word_lstm, batch["words"], batch["word_counts"])
        items = torch.arange(words.shape[1])
        words = words[torch.as_tensor(batch["positions"]).long(), items]
        letters, ends = read(self.letters, self.letter_lstm, batch["letters"],
                             batch["letter_counts"])
        letters = torch.cat(list(ends), 1) if self.step == "last" else letters[int(self.step)]
        words, letters = words * noise[0].to(words), letters * noise[1].to(words)
        if self.attention:
            scores = torch.cat([
                self.word_attention_vector(torch.tanh(self.word_attention(words))),
                self.letter_attention_vector(torch.tanh(self.letter_attention(letters)))], 1)
            weights = torch.softmax(scores, 1)
            words, letters = words * weights[:, :1], letters * weights[:, 1:]
        rows = torch.cat([words, letters], 1)
        for i in range(self.n_hidden):
            rows = getattr(self, f"hidden{i + 1}")(rows)
        return self.output(rows)


def read(vectors, lstm, ids, counts):
    """Outputs (steps, n, width) with zeros beyond the ends, and the final states."""
    sequence = vectors(torch.as_tensor(ids.T).long())
    packed = pack_padded_sequence(sequence, torch.as_tensor(counts).long(), enforce_sorted=False)
    outputs, (ends, _) = lstm(packed)
    return pad_packed_sequence(outputs, total_length=len(sequence))[0], ends


def draw(items, tokens, letters, ragged, options):
    """Tokens of few sentences, as in a real batch: some sentences and words come up again."""
    random = numpy.random.default_rng(items + tokens)
    sentence = random.integers(0, max(1, items // 3), items)
    batch = {
        "words": random.integers(0, VOCABULARY, (items, tokens))[sentence],
        "word_counts": (random.integers(1, tokens + 1, items) if ragged
                        else numpy.full(items, tokens))[sentence],
        "letters": random.integers(0, ALPHABET, (items, letters))[sentence],
        "letter_counts": (random.integers(1, letters + 1, items) if ragged
                          else numpy.full(items, letters))[sentence],
    }
    batch["positions"] = (random.random(items) * batch["word_counts"]).astype(int)
    batch = {name: array.astype(numpy.int32) for name, array in batch.items()}
    widths = 2 * options["word-units"], 2 * options["letter-units"]
    noise = [(random.random((items, width)) > .2).astype(numpy.float32) / .8 for width in widths]
    upstream = random.normal(size=(items, CLASSES)).astype(numpy.float32)
    return batch, noise, upstream


def run_torch(model, batch, noise, upstream, dtype):
    model = model.to(dtype)
    model.zero_grad()
    logits = model(batch, [torch.tensor(mask) for mask in noise])
    (logits * torch.tensor(upstream).to(dtype)).sum().backward()
    gradients = [value.grad.numpy().ravel() for value in model.parameters() if value.requires_grad]
    return {"logits": logits.detach().numpy().ravel().copy(),
            "gradients": numpy.concatenate(gradients)}


def write_safetensors(path, tensors):
    header, offset = {}, 0
    for name, array in tensors.items():
        header[name] = {"dtype": "F32", "shape": list(array.shape),
                        "data_offsets": [offset, offset + array.nbytes]}
        offset += array.nbytes
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for array in tensors.values():
            file.write(array.tobytes())


def run_ours(program, folder, spec, arrays):
    numpy.savez(os.path.join(folder, "in.npz"), **arrays)
    subprocess.run([program, folder, spec, str(CLASSES), str(VOCABULARY), str(ALPHABET)],
                   check=True)
    with numpy.load(os.path.join(folder, "out.npz")) as results:
        return {name: results[name] for name in results.files}


def distance(found, expected):
    return numpy.linalg.norm(found.astype(float) - expected) / numpy.linalg.norm(expected)


def compare(program, folder, options, step, items, tokens, letters, ragged):
    torch.manual_seed(items)
    model = Tagger(options, step)
    batch, noise, upstream = draw(items, tokens, letters, ragged, options)
    weights = {name: value.numpy().copy() for name, value in model.state_dict().items()}
    write_safetensors(os.path.join(folder, "weights.safetensors"), weights)
    arrays = {**batch, "noise0": noise[0], "noise1": noise[1], "upstream": upstream}
    if not ragged:
        del arrays["word_counts"], arrays["letter_counts"]
    hidden = "-".join(str(units) for units in options["hidden"])
    sizes = ",".join(f"{name}={value}" for name, value in options.items() if name != "hidden")
    spec = f"tagger:{sizes},hidden={hidden},step={step}"
    if program == "torch":
        found = run_torch(model, batch, noise, upstream, torch.float32)
        evaluated = found
    else:
        found = run_ours(program, folder, spec, arrays)
        del arrays["noise0"], arrays["noise1"]
        evaluated = run_ours(program, folder, spec, arrays)
    expected = run_torch(model, batch, noise, upstream, torch.float64)
    apart = {name: distance(found[name], expected[name]) for name in expected}
    if program != "torch":
        ones = [numpy.ones_like(mask) for mask in noise]
        plain = run_torch(model, batch, ones, upstream, torch.float64)
        apart["in evaluation"] = distance(evaluated["logits"], plain["logits"])
    good = all(value <= LIMIT for value in apart.values())
    text = ", ".join(f"{name} {value:.1e}" for name, value in apart.items())
    print(f"{'ok' if good else 'not ok'}: {spec}, {items} items of {tokens} words and {letters} "
          f"letters{', ragged' if ragged else ''}: {text}", flush=True)
    return good


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip())
    with tempfile.TemporaryDirectory() as folder:
        good = [compare(sys.argv[1], folder, *case) for case in CASES]
    print(f"{sum(good)} passed, {len(good) - sum(good)} failed")
    sys.exit(not all(good))


if __name__ == "__main__":
    main()
