# Exported weights, timings, and files that are refused.
try softlab export --network resnet8 --input 3x8x8 --classes 3 --class-names cat,dog,ship -o small.safetensors
try softlab export small.safetensors -o small.onnx
try softlab export small.safetensors -o again.safetensors
try cmp small.safetensors again.safetensors
try softlab export small.safetensors --network resnet20 --input 3x8x8 --classes 3 -o no.onnx
try softlab export small.safetensors --network resnet8 --input 3x8x8 --classes 4 -o no.onnx
try softlab export small.safetensors --network resnet8:names=hysts --input 3x8x8 --classes 3 -o no.onnx
try softlab export --network resnet8 --classes 1 -o no.onnx
try softlab export --network vgg11 --input 3x8x8 -o no.onnx
try softlab export --network resnet8 --mean .5 -o no.onnx
try softlab export --network resnet9 -o no.onnx
try softlab export missing.safetensors -o no.onnx
try softlab export small.safetensors
try softlab export small.safetensors -o small.pt
try softlab export -o no.onnx
try sh -c 'head -c 999 small.safetensors >cut.safetensors; softlab export cut.safetensors -o no.onnx'
try sh -c 'ls no.onnx 2>/dev/null || echo nothing was written'
# Times differ from run to run, so only their presence is checked.
try sh -c 'softlab bench resnet8 --threads 2 --quiet --steps 1 --batch 2 --input 3x8x8 | sed "s/[0-9][0-9.]*/N/g"'
try sh -c 'softlab bench mlp --threads 1 --quiet --steps 1 --batch 2 --input 3x8x8 | sed "s/[0-9][0-9.]*/N/g"'
try softlab bench resnet8 --threads 0
try softlab bench resnet8 --threads 5000
try sh -c 'softlab bench resnet8 --quiet --steps 1 --batch 2 --input 3x8x8 --inference --layers | cut -c1-30 | head -n 5'
try sh -c 'softlab bench resnet8 --quiet --tune --rounds 1 --batch 2 --input 3x8x8 -o tuning.json; head -c 60 tuning.json'
try softlab bench resnet8 --tuning small.safetensors
try softlab bench resnet9
try softlab bench resnet8 --batch 0
