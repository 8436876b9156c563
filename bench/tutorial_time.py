#!/usr/bin/env python3
"""Goes through the site's first tutorial and prints how long a person takes to the report.

    bench/tutorial_time.py PROGRAM

Commands and pages are run and timed: the real program, a real server, a real browser. What a person
adds is counted on the way and multiplied by the paces below, which are printed with the result.
"""
import importlib.machinery
import importlib.util
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "site" / "tutorials" / "first-study.md"
READING = 238  # words a minute: the mean of 190 studies (Brysbaert 2019)
SKIMMING = 2 * READING  # texts of the study, which the page says to skim
PER_COMMAND = 5  # seconds to copy a command into the terminal and to look at what it prints
PER_FILE = 20  # seconds to copy a text into an editor and to save it
PER_PRESS = 1.5  # seconds to find and press something on a page
PER_PHOTOGRAPH = 20  # seconds to look at a photograph and to make up one's mind
GATHERING = 120  # seconds to put twenty photographs into folders; the page says so, too
PHOTOGRAPHS = 3  # the page: "two or three photographs"
MOST = 600


def load_check_pages():
    path = str(ROOT / "tools" / "check-pages")
    loader = importlib.machinery.SourceFileLoader("check_pages", path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


check_pages = load_check_pages()


class TimedPage(check_pages.Page):
    """A page whose commands are timed by section."""

    def __init__(self, program):
        super().__init__(PAGE, program, long=False)
        self.sections = {}

    def section(self, line):
        """The row of the section that a line stands in."""
        titles = re.findall(r"^## (.*?)(?: \(.*)?$", "\n".join(self.text.splitlines()[:line]), re.M)
        return self.sections.setdefault(titles[-1] if titles else "Before",
                                        {"computer": 0, "person": 0})

    def command(self, command, marks, is_last):
        begun = time.monotonic()
        super().command(command, marks, is_last)
        row = self.section(command.line)
        row["computer"] += time.monotonic() - begun
        row["person"] += PER_COMMAND
        if "background" in marks:
            self.walk(row)

    def block(self, found, line, marks):
        if "file" in marks:
            self.section(line)["person"] += PER_FILE
        super().block(found, line, marks)

    def walk(self, row):
        """What the page asks for in the browser."""
        log = (self.folder.parent / "server-0.txt").read_text(encoding="utf-8")
        link = re.search(r"to try it:\s+(\S+)", log)[1]
        done = subprocess.run(["node", ROOT / "tests" / "e2e" / "tutorial-walk.mjs", link,
                               self.folder / "pets" / "study.json", str(PHOTOGRAPHS)],
                              stdout=subprocess.PIPE, check=True)
        seen = json.loads(done.stdout)
        print(f"in the browser: {seen['skimmed']} words skimmed, {seen['read']} read, "
              f"{seen['presses']} presses, {seen['photographs']} photographs")
        row["computer"] += seen["seconds"]
        row["person"] += (60 * seen["skimmed"] / SKIMMING + 60 * seen["read"] / READING
                          + PER_PRESS * seen["presses"] + PER_PHOTOGRAPH * seen["photographs"])

    def add_reading(self):
        """Prose is read; what to do if a step fails is left out, since none did."""
        text = re.sub(r"<!--.*?-->|!\[.*?\]\(.*?\)", lambda found: "\n" * found[0].count("\n"),
                      self.text, flags=re.S)
        text = re.sub(r"^```.*?^```$", lambda found: "\n" * found[0].count("\n"), text,
                      flags=re.M | re.S)
        helping = False
        for number, line in enumerate(text.splitlines(), 1):
            if line.startswith("If it fails"):
                helping = True
            elif not line.startswith(("-", " ")) and line.strip():
                helping = helping and not line[:1].isupper() and not line.startswith("#")
            if not helping:
                self.section(number)["person"] += 60 * len(line.split()) / READING


def main():
    page = TimedPage(pathlib.Path(sys.argv[1]).resolve())
    folder = pathlib.Path(tempfile.mkdtemp(prefix="softlab-tutorial-"))
    try:
        page.run(folder)
    finally:
        page.stop()
        shutil.rmtree(folder)
    page.add_reading()
    first = min(name for name in page.sections if name.startswith("1. "))
    page.sections[first]["person"] += GATHERING
    print(f"{'':44}computer  person")
    for name in sorted(page.sections, key=lambda name: (name != "Before", name)):
        row = page.sections[name]
        print(f"{name:44}{row['computer']:6.1f} s {row['person']:5.0f} s")
    total = sum(sum(row.values()) for row in page.sections.values())
    print(f"from the first word to the report: {total / 60:.1f} minutes (at most {MOST / 60:.0f})")
    print(f"paces: {READING} words a minute, {PER_COMMAND} s a command, {PER_PRESS} s a press, "
          f"{PER_PHOTOGRAPH} s a photograph, {GATHERING} s to gather photographs")
    return 0 if total <= MOST else 1


if __name__ == "__main__":
    sys.exit(main())
