# How many clicks other answers are worth: two crowds of the same kind, and what is refused.
# Every third item is hard: of twelve people four say dog. The others all say cat, or all dog.
crowd() {
    echo item,worker,label
    for item in $(seq 30); do
        for person in $(seq 12); do
            case $((item % 3)) in
            0) said=$([ $(((person * $1 + item) % 3)) = 0 ] && echo dog || echo cat) ;;
            1) said=cat ;;
            2) said=dog ;;
            esac
            echo "$item,p$person,$said"
        done
    done
}
crowd 1 > clicks.csv
crowd 2 > other.csv

try softlab worth clicks.csv other.csv --method share --other-method share --numbers 1,2,4,6 --other-numbers 2 --draws 10
try softlab worth clicks.csv other.csv --method share --other-method share --numbers 1,2 --other-numbers 1 --screen 0 --bootstrap 0 --reference other
try softlab worth clicks.csv other.csv
try softlab worth clicks.csv
try softlab worth clicks.csv other.csv --numbers 4,2
try softlab worth clicks.csv other.csv --screen 1
try softlab worth clicks.csv other.csv --numbers 1,2 --other-method nonsense
try softlab worth clicks.csv other.csv --method DS
sed 's/^[0-9]/new&/' other.csv > elsewhere.csv
try softlab worth clicks.csv elsewhere.csv
