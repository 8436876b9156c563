# Making a study, and the commands for a study without participants.
try softlab study init --list
try softlab study init
try softlab study init other --list
try softlab study init birds --images shapes:n=12,classes=3,size=16 --batch 5 --screen collins+,bars
try sh -c 'ls birds birds/items | sort | head -8'
try sh -c 'sed "s/\(\"[a-z]*\": \"\)[A-Z2-9]\{8\}\"/\1CODE\"/; s/[0-9a-f]\{16\}/ID/" birds/study.json'
try sh -c 'head -5 birds/instructions.md'
try softlab study init birds --images shapes:n=12
try softlab study init other --images shapes:n=12 --screen colins
try softlab study init other --images shapes:n=12 --screen mix
try softlab study init other
try softlab study init other --images nothing-here
try softlab study init other --images shapes:n=12 --recruiter mturk
try softlab study init other --images shapes:n=12 --classes Cat,Dog,Cat
try softlab study init other --images shapes:n=12 --classes Cat,,Dog
try softlab study init other --images shapes:n=12 --classes Cat
try softlab study init other --images shapes:n=12 --screen bars,bars
mkdir plain && softlab dataset shapes:n=2,size=16 --preview plain/one.png --quiet >plain.txt
try softlab study init other --images plain
printf 'item\ttext\tlabel\na\tone apple\tfruit\nb\ta carrot\tvegetable\n' > items.tsv
try softlab study init words --texts items.tsv --recruiter prolific --quiet
try sh -c 'sed -n "/recruiter/,/complete/p" words/study.json'
try softlab dataset mix shapes:n=60,classes=3,seed=1,size=16 --pairs 1 -o mixed --quiet
try softlab study init mixed-study --mixtures mixed --screen mix --quiet
printf 'var batches=[{"0": [{"filename": "shapes-000003.png"}, {"filename": "shapes-000001.png"}]}];' > batches.js
try softlab study init published --images shapes:n=12,size=16 --batches batches.js
printf 'longer than eight\n' > secret.txt
try sh -c 'softlab study password birds < secret.txt'
try sh -c 'echo short | softlab study password birds'
try softlab study password nowhere
try softlab study serve nowhere
sed 's/"attempts"/"atempts"/' birds/study.json > changed.json && cp changed.json birds/study.json
try softlab study serve birds
try ls
