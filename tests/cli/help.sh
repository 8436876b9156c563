try softlab help
try softlab help dataset
try softlab fetch --help
try softlab help dataset mix
try softlab --version
try softlab help nothing
# A word that begins commands of two words is known like a command.
try softlab study --help
try softlab help study
try softlab study
try softlab study inti --images x
try softlab help study inti
try softlab manual study inti
