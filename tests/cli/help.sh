try softlab help
try softlab help dataset
try softlab fetch --help
try softlab help dataset mix
try softlab --version
try softlab help nothing
# The first word of a two-word command is known like a command.
try softlab study --help
try softlab help study
try softlab study
try softlab study inti --images x
try softlab help study inti
try softlab manual study inti
