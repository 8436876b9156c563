try distrust.sh
