# Completion of softlab for bash; written by: softlab completion bash
_softlab() {
    local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}"
    local command="${COMP_WORDS[1]}" words='' options='' files=no
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W 'fetch dataset help version manual completion' -- "$current"))
        return
    fi
    case "$command ${COMP_WORDS[2]}" in
        "dataset mix") command='dataset mix' ;;
    esac
    case "$command $previous" in
        "fetch --data-folder") COMPREPLY=($(compgen -f -- "$current")); return ;;
        "fetch --log-level") COMPREPLY=($(compgen -W 'error warning info debug' -- "$current")); return ;;
        "dataset --preview" | "dataset -p") COMPREPLY=($(compgen -f -- "$current")); return ;;
        "dataset --rows") return ;;
        "dataset --columns") return ;;
        "dataset --seed") return ;;
        "dataset --split") COMPREPLY=($(compgen -f -- "$current")); return ;;
        "dataset --data-folder") COMPREPLY=($(compgen -f -- "$current")); return ;;
        "dataset --log-level") COMPREPLY=($(compgen -W 'error warning info debug' -- "$current")); return ;;
        "dataset mix --output" | "dataset mix -o") COMPREPLY=($(compgen -f -- "$current")); return ;;
        "dataset mix --lambdas") return ;;
        "dataset mix --pairs") return ;;
        "dataset mix --count") return ;;
        "dataset mix --batch") return ;;
        "dataset mix --split") COMPREPLY=($(compgen -f -- "$current")); return ;;
        "dataset mix --seed") return ;;
        "dataset mix --data-folder") COMPREPLY=($(compgen -f -- "$current")); return ;;
        "dataset mix --log-level") COMPREPLY=($(compgen -W 'error warning info debug' -- "$current")); return ;;
        "help --data-folder") COMPREPLY=($(compgen -f -- "$current")); return ;;
        "help --log-level") COMPREPLY=($(compgen -W 'error warning info debug' -- "$current")); return ;;
        "version --data-folder") COMPREPLY=($(compgen -f -- "$current")); return ;;
        "version --log-level") COMPREPLY=($(compgen -W 'error warning info debug' -- "$current")); return ;;
        "manual --output" | "manual -o") COMPREPLY=($(compgen -f -- "$current")); return ;;
        "manual --data-folder") COMPREPLY=($(compgen -f -- "$current")); return ;;
        "manual --log-level") COMPREPLY=($(compgen -W 'error warning info debug' -- "$current")); return ;;
        "completion --data-folder") COMPREPLY=($(compgen -f -- "$current")); return ;;
        "completion --log-level") COMPREPLY=($(compgen -W 'error warning info debug' -- "$current")); return ;;
    esac
    case "$command" in
        "fetch")
            words='cifar10 cifar10h cifar10s hmix peterson2019 labelme pos sentiment_polarity rte truth_inference fashion-mnist cifar10.1-v4 cifar10.1-v6 cifar10-c cinic10 cinic10_sample imagenet-far'
            options='--list --json --offline --no-package-manager --data-folder --log-level --quiet --help'
            files=no ;;
        "dataset")
            words='cifar10 cifar10.1-v4 cifar10.1-v6 cifar10-c cinic10 cinic10_sample fashion-mnist shapes'
            options='--preview --rows --columns --seed --split --json --list --data-folder --log-level --quiet --help'
            files=yes ;;
        "dataset mix")
            words='cifar10 cifar10.1-v4 cifar10.1-v6 cifar10-c cinic10 cinic10_sample fashion-mnist shapes'
            options='--output --lambdas --pairs --count --batch --split --seed --data-folder --log-level --quiet --help'
            files=yes ;;
        "help")
            words='fetch dataset dataset mix help version manual completion'
            options='--data-folder --log-level --quiet --help'
            files=no ;;
        "version")
            words=''
            options='--json --data-folder --log-level --quiet --help'
            files=no ;;
        "manual")
            words=''
            options='--output --data-folder --log-level --quiet --help'
            files=yes ;;
        "completion")
            words='bash zsh fish'
            options='--data-folder --log-level --quiet --help'
            files=no ;;
    esac
    case "$current" in
        -*) COMPREPLY=($(compgen -W "$options" -- "$current")) ;;
        *) COMPREPLY=($(compgen -W "$words" -- "$current"))
           [ $files = no ] || COMPREPLY+=($(compgen -f -- "$current")) ;;
    esac
}
complete -o filenames -F _softlab softlab
