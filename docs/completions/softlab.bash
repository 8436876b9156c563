# Completion of softlab for bash; written by: softlab completion bash
_softlab() {
    local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}"
    local command="${COMP_WORDS[1]}" words='' options='' files=no
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W ' import labels quality compare simulate-labels mixing models export bench fetch dataset help version manual completion' -- "$current"))
        return
    fi
    case "$command ${COMP_WORDS[2]}" in
        "study init") command='study init' ;;
        "study serve") command='study serve' ;;
        "study password") command='study password' ;;
        "study simulate") command='study simulate' ;;
        "study status") command='study status' ;;
        "study export") command='study export' ;;
        "study backup") command='study backup' ;;
        "study restore") command='study restore' ;;
        "study purge") command='study purge' ;;
        "dataset mix") command='dataset mix' ;;
    esac
    case "$command $previous" in
        "study init --images") COMPREPLY=($(compgen -f -- "$current")); return ;;
        "study init --texts") COMPREPLY=($(compgen -f -- "$current")); return ;;
        "study init --mixtures") COMPREPLY=($(compgen -f -- "$current")); return ;;
        "study init --classes") return ;;
        "study init --screen" | "study init -s") COMPREPLY=($(compgen -W 'collins collins+ possible bars fast hard select2 mix mix+ mixsoft' -- "$current")); return ;;
        "study init --recruiter") COMPREPLY=($(compgen -W 'open prolific generic' -- "$current")); return ;;
        "study init --batch") return ;;
        "study init --annotators") return ;;
        "study init --batches") COMPREPLY=($(compgen -f -- "$current")); return ;;
        "study init --checks") COMPREPLY=($(compgen -f -- "$current")); return ;;
        "study init --reference") COMPREPLY=($(compgen -f -- "$current")); return ;;
        "study init --high") return ;;
        "study init --low") return ;;
        "study init --low-per-batch") return ;;
        "study init --seed") return ;;
        "study init --data-folder") COMPREPLY=($(compgen -f -- "$current")); return ;;
        "study init --log-level") COMPREPLY=($(compgen -W 'error warning info debug' -- "$current")); return ;;
        "study serve --address") return ;;
        "study serve --port" | "study serve -p") return ;;
        "study serve --admin-address") return ;;
        "study serve --admin-port") return ;;
        "study serve --data-folder") COMPREPLY=($(compgen -f -- "$current")); return ;;
        "study serve --log-level") COMPREPLY=($(compgen -W 'error warning info debug' -- "$current")); return ;;
        "study password --data-folder") COMPREPLY=($(compgen -f -- "$current")); return ;;
        "study password --log-level") COMPREPLY=($(compgen -W 'error warning info debug' -- "$current")); return ;;
        "study simulate --study") COMPREPLY=($(compgen -f -- "$current")); return ;;
        "study simulate --truth") COMPREPLY=($(compgen -f -- "$current")); return ;;
        "study simulate --annotators" | "study simulate -a") return ;;
        "study simulate --at-once") return ;;
        "study simulate --speed") return ;;
        "study simulate --rate") return ;;
        "study simulate --noise") return ;;
        "study simulate --slips") return ;;
        "study simulate --patience") return ;;
        "study simulate --seed") return ;;
        "study simulate --data-folder") COMPREPLY=($(compgen -f -- "$current")); return ;;
        "study simulate --log-level") COMPREPLY=($(compgen -W 'error warning info debug' -- "$current")); return ;;
        "study status --data-folder") COMPREPLY=($(compgen -f -- "$current")); return ;;
        "study status --log-level") COMPREPLY=($(compgen -W 'error warning info debug' -- "$current")); return ;;
        "study export --format" | "study export -f") COMPREPLY=($(compgen -W 'answers items trials changes cifar10s-raw cifar10s-json cifar10h-raw cifar10h-counts cifar10h-probs payments bonus' -- "$current")); return ;;
        "study export --output" | "study export -o") COMPREPLY=($(compgen -f -- "$current")); return ;;
        "study export --data-folder") COMPREPLY=($(compgen -f -- "$current")); return ;;
        "study export --log-level") COMPREPLY=($(compgen -W 'error warning info debug' -- "$current")); return ;;
        "study backup --data-folder") COMPREPLY=($(compgen -f -- "$current")); return ;;
        "study backup --log-level") COMPREPLY=($(compgen -W 'error warning info debug' -- "$current")); return ;;
        "study restore --data-folder") COMPREPLY=($(compgen -f -- "$current")); return ;;
        "study restore --log-level") COMPREPLY=($(compgen -W 'error warning info debug' -- "$current")); return ;;
        "study purge --participant" | "study purge -p") return ;;
        "study purge --data-folder") COMPREPLY=($(compgen -f -- "$current")); return ;;
        "study purge --log-level") COMPREPLY=($(compgen -W 'error warning info debug' -- "$current")); return ;;
        "import --from" | "import -f") COMPREPLY=($(compgen -W 'answers cifar10h-counts cifar10h-raw cifar10s-json cifar10s-raw hmix hmix-soft labelme long-csv peerannot pos wide' -- "$current")); return ;;
        "import --to" | "import -t") COMPREPLY=($(compgen -W 'answers cifar10h-counts cifar10s-json hmix labelme long-csv peerannot wide' -- "$current")); return ;;
        "import --output" | "import -o") COMPREPLY=($(compgen -f -- "$current")); return ;;
        "import --columns") return ;;
        "import --classes") return ;;
        "import --data-folder") COMPREPLY=($(compgen -f -- "$current")); return ;;
        "import --log-level") COMPREPLY=($(compgen -W 'error warning info debug' -- "$current")); return ;;
        "labels --method" | "labels -m") COMPREPLY=($(compgen -W 'hard share softmax t1-uniform t1-clamp t1-semantic t2-uniform t2-clamp t2-semantic select2 uniform random smooth class mix mv wawa ds ds-onecoin ds-fast ds-hybrid ibcc glad mace zencrowd kos catd crowdlab ds-soft pool-linear pool-log ensemble' -- "$current")); return ;;
        "labels --output" | "labels -o") COMPREPLY=($(compgen -f -- "$current")); return ;;
        "labels --annotators" | "labels -a") return ;;
        "labels --seed") return ;;
        "labels --truth") COMPREPLY=($(compgen -f -- "$current")); return ;;
        "labels --gamma") return ;;
        "labels --beta") return ;;
        "labels --temperature") return ;;
        "labels --vectors") COMPREPLY=($(compgen -f -- "$current")); return ;;
        "labels --iterations") return ;;
        "labels --tolerance") return ;;
        "labels --smoothing") return ;;
        "labels --diagonal") return ;;
        "labels --start") COMPREPLY=($(compgen -W 'shares diagonal' -- "$current")); return ;;
        "labels --tie") COMPREPLY=($(compgen -W 'share first random' -- "$current")); return ;;
        "labels --gold") COMPREPLY=($(compgen -f -- "$current")); return ;;
        "labels --predictions") COMPREPLY=($(compgen -f -- "$current")); return ;;
        "labels --rows") COMPREPLY=($(compgen -W 'hard share softmax t1-uniform t1-clamp t1-semantic t2-uniform t2-clamp t2-semantic select2 smooth class mix' -- "$current")); return ;;
        "labels --reference") COMPREPLY=($(compgen -f -- "$current")); return ;;
        "labels --state") COMPREPLY=($(compgen -f -- "$current")); return ;;
        "labels --resume") COMPREPLY=($(compgen -f -- "$current")); return ;;
        "labels --prior") COMPREPLY=($(compgen -f -- "$current")); return ;;
        "labels --prior-weight") return ;;
        "labels --threads") return ;;
        "labels --data-folder") COMPREPLY=($(compgen -f -- "$current")); return ;;
        "labels --log-level") COMPREPLY=($(compgen -W 'error warning info debug' -- "$current")); return ;;
        "quality --truth") COMPREPLY=($(compgen -f -- "$current")); return ;;
        "quality --exclude" | "quality -x") COMPREPLY=($(compgen -W 'none collins2022-as-published collins2022-as-run peterson2019' -- "$current")); return ;;
        "quality --most-answers") return ;;
        "quality --data-folder") COMPREPLY=($(compgen -f -- "$current")); return ;;
        "quality --log-level") COMPREPLY=($(compgen -W 'error warning info debug' -- "$current")); return ;;
        "compare --top") return ;;
        "compare --by") COMPREPLY=($(compgen -W 'wasserstein-values wasserstein-classes l1 kl js' -- "$current")); return ;;
        "compare --mix") COMPREPLY=($(compgen -f -- "$current")); return ;;
        "compare --endpoint-labels") COMPREPLY=($(compgen -f -- "$current")); return ;;
        "compare --only") COMPREPLY=($(compgen -f -- "$current")); return ;;
        "compare --data-folder") COMPREPLY=($(compgen -f -- "$current")); return ;;
        "compare --log-level") COMPREPLY=($(compgen -W 'error warning info debug' -- "$current")); return ;;
        "simulate-labels --fit") COMPREPLY=($(compgen -f -- "$current")); return ;;
        "simulate-labels --parameters") COMPREPLY=($(compgen -f -- "$current")); return ;;
        "simulate-labels --reference" | "simulate-labels -r") COMPREPLY=($(compgen -f -- "$current")); return ;;
        "simulate-labels --vectors") COMPREPLY=($(compgen -f -- "$current")); return ;;
        "simulate-labels --output" | "simulate-labels -o") COMPREPLY=($(compgen -f -- "$current")); return ;;
        "simulate-labels --save") COMPREPLY=($(compgen -f -- "$current")); return ;;
        "simulate-labels --threshold") return ;;
        "simulate-labels --annotators" | "simulate-labels -a") return ;;
        "simulate-labels --seed") return ;;
        "simulate-labels --data-folder") COMPREPLY=($(compgen -f -- "$current")); return ;;
        "simulate-labels --log-level") COMPREPLY=($(compgen -W 'error warning info debug' -- "$current")); return ;;
        "mixing --output" | "mixing -o") COMPREPLY=($(compgen -f -- "$current")); return ;;
        "mixing --k") return ;;
        "mixing --x0") return ;;
        "mixing --data-folder") COMPREPLY=($(compgen -f -- "$current")); return ;;
        "mixing --log-level") COMPREPLY=($(compgen -W 'error warning info debug' -- "$current")); return ;;
        "models --classes" | "models -k") return ;;
        "models --input" | "models -i") return ;;
        "models --data-folder") COMPREPLY=($(compgen -f -- "$current")); return ;;
        "models --log-level") COMPREPLY=($(compgen -W 'error warning info debug' -- "$current")); return ;;
        "export --output" | "export -o") COMPREPLY=($(compgen -f -- "$current")); return ;;
        "export --network" | "export -n") COMPREPLY=($(compgen -W 'resnet34a resnet50 vgg11 preact-resnet18 preact-resnet34 vgg_15_BN_64 resnet_basic_110 resnet_preact_bottleneck_164 wrn_28_10 resnext_29_8x64d densenet_BC_100_12 pyramidnet_basic_110_270 shake_shake_26_2x64d resnet8 resnet20 mlp mlp-uma tagger' -- "$current")); return ;;
        "export --classes" | "export -k") return ;;
        "export --input" | "export -i") return ;;
        "export --mean") return ;;
        "export --deviation") return ;;
        "export --init") COMPREPLY=($(compgen -W 'paper pytorch' -- "$current")); return ;;
        "export --seed" | "export -s") return ;;
        "export --data-folder") COMPREPLY=($(compgen -f -- "$current")); return ;;
        "export --log-level") COMPREPLY=($(compgen -W 'error warning info debug' -- "$current")); return ;;
        "bench --batch" | "bench -b") return ;;
        "bench --steps" | "bench -n") return ;;
        "bench --rounds") return ;;
        "bench --output" | "bench -o") COMPREPLY=($(compgen -f -- "$current")); return ;;
        "bench --tuning") COMPREPLY=($(compgen -f -- "$current")); return ;;
        "bench --classes" | "bench -k") return ;;
        "bench --input" | "bench -i") return ;;
        "bench --data-folder") COMPREPLY=($(compgen -f -- "$current")); return ;;
        "bench --log-level") COMPREPLY=($(compgen -W 'error warning info debug' -- "$current")); return ;;
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
        "study init")
            words=''
            options='--images --texts --mixtures --classes --screen --recruiter --batch --annotators --batches --checks --reference --high --low --low-per-batch --seed --data-folder --log-level --quiet --help'
            files=yes ;;
        "study serve")
            words=''
            options='--address --port --admin-address --admin-port --behind-proxy --data-folder --log-level --quiet --help'
            files=yes ;;
        "study password")
            words=''
            options='--data-folder --log-level --quiet --help'
            files=yes ;;
        "study simulate")
            words=''
            options='--study --truth --annotators --at-once --speed --rate --noise --slips --patience --no-images --test --seed --json --data-folder --log-level --quiet --help'
            files=yes ;;
        "study status")
            words=''
            options='--annotators --items --json --data-folder --log-level --quiet --help'
            files=yes ;;
        "study export")
            words=''
            options='--format --output --list --data-folder --log-level --quiet --help'
            files=yes ;;
        "study backup")
            words=''
            options='--data-folder --log-level --quiet --help'
            files=yes ;;
        "study restore")
            words=''
            options='--force --data-folder --log-level --quiet --help'
            files=yes ;;
        "study purge")
            words=''
            options='--participant --data-folder --log-level --quiet --help'
            files=yes ;;
        "import")
            words=''
            options='--from --to --output --columns --classes --list --data-folder --log-level --quiet --help'
            files=yes ;;
        "labels")
            words=''
            options='--method --output --list --json --annotators --seed --as-released --truth --gamma --beta --temperature --per-annotator --mean-first --generated --vectors --iterations --tolerance --smoothing --diagonal --start --tie --em --gold --predictions --rows --calibrate --reference --state --resume --prior --prior-weight --threads --data-folder --log-level --quiet --help'
            files=yes ;;
        "quality")
            words=''
            options='--truth --exclude --most-answers --annotators --json --data-folder --log-level --quiet --help'
            files=yes ;;
        "compare")
            words=''
            options='--top --by --mix --endpoint-labels --only --pairs --json --data-folder --log-level --quiet --help'
            files=yes ;;
        "simulate-labels")
            words=''
            options='--fit --parameters --reference --vectors --output --save --threshold --annotators --seed --as-released --json --data-folder --log-level --quiet --help'
            files=no ;;
        "mixing")
            words=''
            options='--output --k --x0 --data-folder --log-level --quiet --help'
            files=yes ;;
        "models")
            words='resnet34a resnet50 vgg11 preact-resnet18 preact-resnet34 vgg_15_BN_64 resnet_basic_110 resnet_preact_bottleneck_164 wrn_28_10 resnext_29_8x64d densenet_BC_100_12 pyramidnet_basic_110_270 shake_shake_26_2x64d resnet8 resnet20 mlp mlp-uma tagger'
            options='--classes --input --json --data-folder --log-level --quiet --help'
            files=yes ;;
        "export")
            words=''
            options='--output --network --classes --input --mean --deviation --init --seed --data-folder --log-level --quiet --help'
            files=yes ;;
        "bench")
            words='resnet34a resnet50 vgg11 preact-resnet18 preact-resnet34 vgg_15_BN_64 resnet_basic_110 resnet_preact_bottleneck_164 wrn_28_10 resnext_29_8x64d densenet_BC_100_12 pyramidnet_basic_110_270 shake_shake_26_2x64d resnet8 resnet20 mlp mlp-uma tagger'
            options='--batch --steps --inference --layers --tune --rounds --output --tuning --classes --input --json --data-folder --log-level --quiet --help'
            files=yes ;;
        "fetch")
            words='cifar10 cifar10h cifar10s hmix peterson2019 labelme pos sentiment_polarity rte truth_inference fashion-mnist cifar10.1-v4 cifar10.1-v6 cifar10-c cinic10 cinic10_sample imagenet-far'
            options='--list --json --offline --no-package-manager --data-folder --log-level --quiet --help'
            files=no ;;
        "dataset")
            words='cifar10 cifar10.1-v4 cifar10.1-v6 cifar10-c cinic10 cinic10_sample fashion-mnist shapes mix'
            options='--preview --rows --columns --seed --split --json --list --data-folder --log-level --quiet --help'
            files=yes ;;
        "dataset mix")
            words='cifar10 cifar10.1-v4 cifar10.1-v6 cifar10-c cinic10 cinic10_sample fashion-mnist shapes'
            options='--output --lambdas --pairs --count --batch --split --seed --data-folder --log-level --quiet --help'
            files=yes ;;
        "help")
            words='study init study serve study password study simulate study status study export study backup study restore study purge import labels quality compare simulate-labels mixing models export bench fetch dataset dataset mix help version manual completion'
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
