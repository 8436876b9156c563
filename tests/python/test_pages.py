"""Every Python block of the documentation runs, page by page, in an empty folder."""

import contextlib
import io
import os
import pathlib
import re
import unittest

from support import Scratch

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Pages(Scratch):
    def test_the_blocks_of_every_page_run(self):
        pages = [ROOT / "README.md", *sorted((ROOT / "docs" / "site").glob("**/*.md"))]
        ran = 0
        for page in pages:
            blocks = re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S)
            names, folder = {}, self.folder / page.stem
            folder.mkdir(exist_ok=True)
            before = os.getcwd()
            try:
                os.chdir(folder)
                for block in blocks:
                    with self.subTest(page.name), contextlib.redirect_stdout(io.StringIO()):
                        exec(compile(block, str(page), "exec"), names)
                    ran += 1
            finally:
                os.chdir(before)
        self.assertGreaterEqual(ran, 6)


if __name__ == "__main__":
    unittest.main()
