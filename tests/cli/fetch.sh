# Which sets are here depends on the machine: only their names are compared.
try sh -c 'softlab fetch --list | cut -d" " -f1'
try softlab fetch cifar10x
try softlab fetch cifar10 --offline
try softlab fetch imagenet-far
try softlab fetch cifar10h --offline --json
# The help lists files without a published checksum.
try sh -c 'softlab fetch --help | tr "\n" " " | tr -s " " | grep -o "If no checksum.* the same\."'
