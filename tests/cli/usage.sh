# Wrong words: exit 2, one sentence, and the nearest match.
try softlab datset
try softlab zzzzzz
try softlab dataset --preveiw x.png
try softlab dataset --zzz
try softlab dataset -z
try softlab dataset shapes --rows 0
try softlab dataset shapes --rows 1e3
try softlab dataset shapes --rows
try softlab dataset shapes --rows=
try softlab dataset shapes one too many
try softlab dataset --json=yes
try softlab dataset --log-level loud
try softlab dataset --log-level inof
try softlab dataset
try softlab dataset mix shapes
try softlab dataset mix shapes --lambdas .5,1.5 -o x
try softlab dataset mix shapes --lambdas .5,,.1 -o x
try softlab dataset mix shapes --lambdas nan -o x
try softlab completion tcsh
try softlab fetch
try sh -c 'softlab version > /dev/full'
