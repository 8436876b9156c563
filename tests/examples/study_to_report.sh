# Who gets which pictures is drawn by the server, so that figures differ from run to run.
try sh -c 'study_to_report.sh 2>&1 | sed "s/[0-9]*[.][0-9][0-9]*/N/g; s/± 0 /± N /g"'
try ls "$TMPDIR"
