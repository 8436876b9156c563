try softlab help
try softlab help dataset
try softlab fetch --help
try softlab help dataset mix
try softlab --version
try softlab help nothing
