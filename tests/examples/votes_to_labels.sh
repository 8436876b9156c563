try votes_to_labels.sh
try ls "$TMPDIR"
# A folder as argument keeps the files. SOFTLAB may be a path that is relative to where one is.
ln -s "$(command -v softlab)" mine
try sh -c 'SOFTLAB=./mine votes_to_labels.sh kept >/dev/null 2>&1; ls kept'
try sh -c 'SOFTLAB=./nosuch votes_to_labels.sh kept 2>&1 | sed "s/.*: \(.*\): /\1: /"'
