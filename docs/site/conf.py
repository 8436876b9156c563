"""Sphinx settings of the documentation site. tools/make-site runs Sphinx on a folder that
tools/site-pages wrote; nothing here reads the clock, the network or the machine."""
import os
import sys

project = "softlab"
author = "The softlab authors"
html_title = "softlab"
extensions = ["myst_parser", "sphinx_copybutton"]
exclude_patterns = ["README.md"]

# The Python package has a page once it is there.
package = os.environ.get("SOFTLAB_PYTHON")
if package:
    sys.path.insert(0, package)
    extensions.append("sphinx.ext.autodoc")
    autodoc_member_order = "bysource"
    # Types of other packages have no page here.
    nitpick_ignore_regex = [("py:class", r".*")]

nitpicky = True
# An option is written with two hyphens, not with a dash.
smartquotes = False
myst_heading_anchors = 4
myst_enable_extensions = ["deflist"]
# A page that shows one document of the repository as it is may begin at a lower heading.
suppress_warnings = ["myst.header"]

html_theme = "furo"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_show_sphinx = False
html_show_copyright = False
html_copy_source = False
html_last_updated_fmt = None
pygments_style = "friendly"
pygments_dark_style = "native"
copybutton_prompt_text = "$ "
copybutton_only_copy_prompt_lines = True
copybutton_line_continuation_character = "\\"
green, light_green = "#0b645c", "#5cc8bb"
html_theme_options = {
    "light_css_variables": {"color-brand-primary": green, "color-brand-content": green},
    # All of them: Debian's build of the theme has no colours for a system that is set to dark.
    "dark_css_variables": {
        "color-brand-primary": light_green,
        "color-brand-content": light_green,
        "color-foreground-primary": "#d8d9da",
        "color-foreground-secondary": "#a2a6aa",
        "color-foreground-muted": "#878c92",
        "color-foreground-border": "#62666a",
        "color-background-primary": "#141618",
        "color-background-secondary": "#1b1d20",
        "color-background-hover": "#22262a",
        "color-background-hover--transparent": "#22262a00",
        "color-background-border": "#33373b",
        "color-background-item": "#45494d",
        "color-highlighted-background": "#124a45",
        "color-highlight-on-target": "#1d3532",
        "color-admonition-background": "#1b1d20",
        "color-api-keyword": "#a2a6aa",
    },
}
