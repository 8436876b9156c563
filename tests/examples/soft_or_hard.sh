# Two networks, and what each run left.
try soft_or_hard runs
try ls runs runs/soft
try soft_or_hard
try soft_or_hard /dev/null/runs
