try softlab manual dataset
try softlab manual nothing
try softlab manual -o docs
try find docs -type f
