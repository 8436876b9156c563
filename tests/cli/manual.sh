try softlab manual dataset
try softlab manual nothing
try softlab manual -o docs
try sh -c 'find docs -type f | sort'
