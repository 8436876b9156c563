try softlab dataset shapes:n=12,seed=3 --preview sheet.png
try softlab dataset shapes:n=12,seed=3 --json
try sh -c 'head -c 8 sheet.png | od -An -c'
try softlab dataset shapes:n=12,sead=3
try softlab dataset shapes:n=many
try softlab dataset nothing-here
try softlab dataset cifar11:test
try softlab dataset cifar10:tset
try softlab dataset cifar10
mkdir empty
try softlab dataset empty
printf 'not a png' > broken.png
try softlab dataset broken.png
mkdir images && cp broken.png images/
try softlab dataset images
printf 'item\ttext\tlabel\na\tone apple\tfruit\nb\ta carrot\tvegetable\n' > items.tsv
try softlab dataset items.tsv
try softlab dataset items.tsv --preview sheet2.png
try softlab dataset items.tsv --truth truth.csv
try softlab dataset shapes:n=4,classes=3,size=8 --truth truth.csv
try cat truth.csv
try ls
try softlab dataset shapes --preview no/such/folder/sheet.png
try softlab dataset mix shapes:n=60,classes=3,seed=1 --pairs 1 -o mixed --quiet
try sh -c 'ls mixed | wc -l'
try softlab dataset mix items.tsv -o mixed2
try ls
