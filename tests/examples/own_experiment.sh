# The keys of runs are pinned elsewhere, and how long they take differs from machine to machine.
try sh -c 'own_experiment.sh kept | sed "s/^[0-9a-f]\{12\} /KEY/; s/; about.*//"'
try sh -c 'ls kept; test -s kept/report.html'
