# Images as floats and with colours first.
sh -c 'npy() { printf "\223NUMPY\001\000\166\000%-117s\n" "{\"descr\": \"$1\", \"fortran_order\": False, \"shape\": $2, }" | tr "\"" "\047"; }
fill() { i=0; while [ $i -lt "$1" ]; do printf "$2"; i=$((i + 1)); done; }
{ npy "<f4" "(2, 3, 4, 5)"; fill 120 "\000\000\000\077"; } >halves.npy
{ npy "<f4" "(2, 4, 4)"; fill 32 "\000\000\200\077"; } >ones.npy
{ npy "<f4" "(2, 4, 4)"; fill 32 "\000\000\200\277"; } >negative.npy
{ npy "|u1" "(2, 3, 4, 3)"; fill 72 "\100"; } >both.npy'
try softlab dataset halves.npy
try softlab dataset ones.npy
try softlab dataset ones.npy:range=1
try softlab dataset negative.npy
try softlab dataset both.npy
try softlab dataset both.npy:layout=nchw
try softlab dataset both.npy:layout=chw
try softlab dataset both.npy:train
