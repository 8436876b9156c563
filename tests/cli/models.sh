# The list of networks with sizes, the layers of one network, and unknown names.
try softlab models
try softlab models --input 1x28x28 --classes 2
try softlab models --input 512
try softlab models resnet8
try softlab models vgg:n=1-1,width=8,relu=first --input 1x28x28
try softlab models mlp-uma --input 8192 --classes 8
try softlab models tagger
try sh -c 'softlab models tagger:word-units=4,letter-units=4,hidden=8 --input 20x10x100x30 --classes 12 --json | head -n 14'
try softlab models tagger --input 3x32x32
try softlab models resnet8 --input 20x10x100x30
try softlab models pyramidnet:n=1,alpha=8
try softlab models mlp:hidden=4 --input 4 --classes 2 --json
try sh -c 'softlab models --json | head -n 9'
try softlab models resnet43a
try softlab models resnet34a:bais=0
try softlab models resnet:n=many
try softlab models resnet:shortcut=C
try softlab models resnet20 --input 512
try softlab models shake_shake_26_2x64d --input 3x30x30
try softlab models resnet20 --input 3x32
try softlab models resnet20 --input 3x32x0
try softlab models resnet20 --input 3x32x32x
try softlab models resnet20 --input ''
try softlab models resnet20 --classes 1
try softlab models resnet20 mlp
