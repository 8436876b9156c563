try train_and_compare.sh
