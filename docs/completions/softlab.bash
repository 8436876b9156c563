# Completion of softlab for bash; written by: softlab completion bash
_softlab() {
    local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}"
    local command="${COMP_WORDS[1]}" words='' options='' files=no
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W 'study import labels quality advise compare worth simulate-labels mixing next plan models train predict eval run report export bench fetch dataset help version manual completion' -- "$current"))
        return
    fi
    [ "$COMP_CWORD" -eq 2 ] || case "$command ${COMP_WORDS[2]}" in
        "help study")
            COMPREPLY=($(compgen -W ' init check serve links password simulate status audit export backup restore migrate purge' -- "$current"))
            return ;;
        "study init") command='study init' ;;
        "study check") command='study check' ;;
        "study serve") command='study serve' ;;
        "study links") command='study links' ;;
        "study password") command='study password' ;;
        "study simulate") command='study simulate' ;;
        "study status") command='study status' ;;
        "study audit") command='study audit' ;;
        "study export") command='study export' ;;
        "study backup") command='study backup' ;;
        "study restore") command='study restore' ;;
        "study migrate") command='study migrate' ;;
        "study purge") command='study purge' ;;
        "help dataset")
            COMPREPLY=($(compgen -W ' corrupt mix' -- "$current"))
            return ;;
        "dataset corrupt") command='dataset corrupt' ;;
        "dataset mix") command='dataset mix' ;;
    esac
    case "$command $previous" in
        "study --data-folder") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "study --log-level") COMPREPLY+=($(compgen -W 'error warning info debug' -- "$current")); return ;;
        "study init --images") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "study init --texts") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "study init --mixtures") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "study init --classes") return ;;
        "study init --screen" | "study init -s") COMPREPLY+=($(compgen -W 'collins collins+ possible bars fast hard select2 mix mix+ mixsoft' -- "$current")); return ;;
        "study init --recruiter") COMPREPLY+=($(compgen -W 'open prolific generic' -- "$current")); return ;;
        "study init --batch") return ;;
        "study init --annotators") return ;;
        "study init --assignment") COMPREPLY+=($(compgen -W 'fixed adaptive' -- "$current")); return ;;
        "study init --batches") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "study init --checks") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "study init --contact") return ;;
        "study init --training") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "study init --reference") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "study init --high") return ;;
        "study init --low") return ;;
        "study init --low-per-batch") return ;;
        "study init --seed") return ;;
        "study init --data-folder") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "study init --log-level") COMPREPLY+=($(compgen -W 'error warning info debug' -- "$current")); return ;;
        "study check --url" | "study check -u") return ;;
        "study check --data-folder") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "study check --log-level") COMPREPLY+=($(compgen -W 'error warning info debug' -- "$current")); return ;;
        "study serve --address") return ;;
        "study serve --port" | "study serve -p") return ;;
        "study serve --admin-address") return ;;
        "study serve --admin-port") return ;;
        "study serve --host") return ;;
        "study serve --per-address") return ;;
        "study serve --database") return ;;
        "study serve --access-log") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "study serve --data-folder") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "study serve --log-level") COMPREPLY+=($(compgen -W 'error warning info debug' -- "$current")); return ;;
        "study links --url" | "study links -u") return ;;
        "study links --column" | "study links -c") return ;;
        "study links --output" | "study links -o") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "study links --data-folder") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "study links --log-level") COMPREPLY+=($(compgen -W 'error warning info debug' -- "$current")); return ;;
        "study password --data-folder") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "study password --log-level") COMPREPLY+=($(compgen -W 'error warning info debug' -- "$current")); return ;;
        "study simulate --study") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "study simulate --truth") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "study simulate --model") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "study simulate --annotators" | "study simulate -a") return ;;
        "study simulate --at-once") return ;;
        "study simulate --speed") return ;;
        "study simulate --rate") return ;;
        "study simulate --noise") return ;;
        "study simulate --slips") return ;;
        "study simulate --patience") return ;;
        "study simulate --scripts") COMPREPLY+=($(compgen -W 'careful key1 key2 alternate slow1 random half flat hasty' -- "$current")); return ;;
        "study simulate --replay") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "study simulate --replay-share") return ;;
        "study simulate --answers") return ;;
        "study simulate --seconds") return ;;
        "study simulate --given") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "study simulate --held-out") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "study simulate --target") return ;;
        "study simulate --seed") return ;;
        "study simulate --data-folder") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "study simulate --log-level") COMPREPLY+=($(compgen -W 'error warning info debug' -- "$current")); return ;;
        "study status --data-folder") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "study status --log-level") COMPREPLY+=($(compgen -W 'error warning info debug' -- "$current")); return ;;
        "study audit --data-folder") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "study audit --log-level") COMPREPLY+=($(compgen -W 'error warning info debug' -- "$current")); return ;;
        "study export --format" | "study export -f") COMPREPLY+=($(compgen -W 'answers items trials changes cifar10s-raw cifar10s-json cifar10h-raw cifar10h-counts cifar10h-probs payments bonus' -- "$current")); return ;;
        "study export --output" | "study export -o") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "study export --screen" | "study export -s") COMPREPLY+=($(compgen -W 'collins collins+ possible bars fast hard select2 mix mix+ mixsoft' -- "$current")); return ;;
        "study export --data-folder") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "study export --log-level") COMPREPLY+=($(compgen -W 'error warning info debug' -- "$current")); return ;;
        "study backup --data-folder") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "study backup --log-level") COMPREPLY+=($(compgen -W 'error warning info debug' -- "$current")); return ;;
        "study restore --data-folder") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "study restore --log-level") COMPREPLY+=($(compgen -W 'error warning info debug' -- "$current")); return ;;
        "study migrate --to") return ;;
        "study migrate --data-folder") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "study migrate --log-level") COMPREPLY+=($(compgen -W 'error warning info debug' -- "$current")); return ;;
        "study purge --participant" | "study purge -p") return ;;
        "study purge --data-folder") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "study purge --log-level") COMPREPLY+=($(compgen -W 'error warning info debug' -- "$current")); return ;;
        "import --from" | "import -f") COMPREPLY+=($(compgen -W 'answers answers-csv cifar10h-counts cifar10h-raw cifar10s-json cifar10s-raw doccano hmix hmix-soft label-studio label-studio-min labelme long-csv mturk peerannot pos potato probs-long probs-wide toloka wide' -- "$current")); return ;;
        "import --to" | "import -t") COMPREPLY+=($(compgen -W 'answers answers-csv cifar10h-counts cifar10s-json hmix labelme long-csv peerannot wide' -- "$current")); return ;;
        "import --output" | "import -o") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "import --columns") return ;;
        "import --abstain") return ;;
        "import --leave-out") return ;;
        "import --only") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "import --header") COMPREPLY+=($(compgen -W 'guess yes no' -- "$current")); return ;;
        "import --id-column") return ;;
        "import --classes") return ;;
        "import --threads") return ;;
        "import --data-folder") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "import --log-level") COMPREPLY+=($(compgen -W 'error warning info debug' -- "$current")); return ;;
        "labels --method" | "labels -m") COMPREPLY+=($(compgen -W 'hard share softmax t1-uniform t1-clamp t1-semantic t2-uniform t2-clamp t2-semantic select2 uniform random smooth class mix mv mv-shares gold-mv wawa zbs ds ds-onecoin ds-fast ds-hybrid ibcc glad mace zencrowd kos mmsr catd crowdlab dirichlet dirichlet-soft ds-soft pool-linear pool-log ensemble' -- "$current")); return ;;
        "labels --output" | "labels -o") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "labels --columns") return ;;
        "labels --abstain") return ;;
        "labels --leave-out") return ;;
        "labels --annotators" | "labels -a") return ;;
        "labels --seed") return ;;
        "labels --seconds-per-input") return ;;
        "labels --truth") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "labels --weights") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "labels --gamma") return ;;
        "labels --beta") return ;;
        "labels --temperature") return ;;
        "labels --folds") return ;;
        "labels --vectors") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "labels --iterations") return ;;
        "labels --tolerance") return ;;
        "labels --stop") COMPREPLY+=($(compgen -W 'relative per-answer' -- "$current")); return ;;
        "labels --smoothing") return ;;
        "labels --diagonal") return ;;
        "labels --start") COMPREPLY+=($(compgen -W 'shares diagonal given added' -- "$current")); return ;;
        "labels --start-from") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "labels --start-weight") return ;;
        "labels --tie") COMPREPLY+=($(compgen -W 'share first random' -- "$current")); return ;;
        "labels --restarts") return ;;
        "labels --noise") return ;;
        "labels --spam-prior") return ;;
        "labels --know-prior") return ;;
        "labels --class-prior") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "labels --ability-prior") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "labels --easiness-prior") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "labels --m-steps") return ;;
        "labels --m-accuracy") return ;;
        "labels --rate") return ;;
        "labels --rate-factor") return ;;
        "labels --rate-period") return ;;
        "labels --rate-margin") return ;;
        "labels --gold") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "labels --predictions") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "labels --rows") COMPREPLY+=($(compgen -W 'hard share softmax t1-uniform t1-clamp t1-semantic t2-uniform t2-clamp t2-semantic select2 smooth class mix' -- "$current")); return ;;
        "labels --reference") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "labels --annotators-out") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "labels --items-out") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "labels --state") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "labels --resume") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "labels --prior") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "labels --prior-weight") return ;;
        "labels --threads") return ;;
        "labels --ranks") return ;;
        "labels --data-folder") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "labels --log-level") COMPREPLY+=($(compgen -W 'error warning info debug' -- "$current")); return ;;
        "quality --columns") return ;;
        "quality --abstain") return ;;
        "quality --leave-out") return ;;
        "quality --truth") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "quality --exclude" | "quality -x") COMPREPLY+=($(compgen -W 'none collins2022-as-published collins2022-as-run peterson2019' -- "$current")); return ;;
        "quality --most-answers") return ;;
        "quality --reference") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "quality --high") return ;;
        "quality --low") return ;;
        "quality --bootstrap") return ;;
        "quality --seed") return ;;
        "quality --data-folder") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "quality --log-level") COMPREPLY+=($(compgen -W 'error warning info debug' -- "$current")); return ;;
        "advise --columns") return ;;
        "advise --abstain") return ;;
        "advise --leave-out") return ;;
        "advise --truth") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "advise --hours") return ;;
        "advise --seconds") return ;;
        "advise --top") return ;;
        "advise --seed") return ;;
        "advise --threads") return ;;
        "advise --data-folder") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "advise --log-level") COMPREPLY+=($(compgen -W 'error warning info debug' -- "$current")); return ;;
        "compare --top") return ;;
        "compare --by") COMPREPLY+=($(compgen -W 'wasserstein-values wasserstein-classes l1 kl js' -- "$current")); return ;;
        "compare --min-entropy") return ;;
        "compare --max-entropy-b") return ;;
        "compare --mix") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "compare --endpoint-labels") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "compare --only") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "compare --mixed") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "compare --bootstrap") return ;;
        "compare --seed") return ;;
        "compare --data-folder") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "compare --log-level") COMPREPLY+=($(compgen -W 'error warning info debug' -- "$current")); return ;;
        "worth --method" | "worth -m") COMPREPLY+=($(compgen -W 'hard share softmax t1-uniform t1-clamp t1-semantic t2-uniform t2-clamp t2-semantic select2 uniform random smooth class mix mv mv-shares gold-mv wawa zbs ds ds-onecoin ds-fast ds-hybrid ibcc glad mace zencrowd kos mmsr catd crowdlab dirichlet dirichlet-soft ds-soft pool-linear pool-log' -- "$current")); return ;;
        "worth --other-method") COMPREPLY+=($(compgen -W 'hard share softmax t1-uniform t1-clamp t1-semantic t2-uniform t2-clamp t2-semantic select2 uniform random smooth class mix mv mv-shares gold-mv wawa zbs ds ds-onecoin ds-fast ds-hybrid ibcc glad mace zencrowd kos mmsr catd crowdlab dirichlet dirichlet-soft ds-soft pool-linear pool-log' -- "$current")); return ;;
        "worth --numbers") return ;;
        "worth --other-numbers") return ;;
        "worth --reference") COMPREPLY+=($(compgen -W 'clicks other' -- "$current")); return ;;
        "worth --screen") return ;;
        "worth --draws") return ;;
        "worth --floor") return ;;
        "worth --seconds") return ;;
        "worth --bootstrap") return ;;
        "worth --seed") return ;;
        "worth --output" | "worth -o") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "worth --data-folder") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "worth --log-level") COMPREPLY+=($(compgen -W 'error warning info debug' -- "$current")); return ;;
        "simulate-labels --fit") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "simulate-labels --parameters") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "simulate-labels --reference" | "simulate-labels -r") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "simulate-labels --vectors") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "simulate-labels --output" | "simulate-labels -o") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "simulate-labels --save") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "simulate-labels --threshold") return ;;
        "simulate-labels --annotators" | "simulate-labels -a") return ;;
        "simulate-labels --seed") return ;;
        "simulate-labels --threads") return ;;
        "simulate-labels --data-folder") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "simulate-labels --log-level") COMPREPLY+=($(compgen -W 'error warning info debug' -- "$current")); return ;;
        "mixing --output" | "mixing -o") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "mixing --only") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "mixing --k") return ;;
        "mixing --x0") return ;;
        "mixing --data-folder") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "mixing --log-level") COMPREPLY+=($(compgen -W 'error warning info debug' -- "$current")); return ;;
        "next --budget" | "next -b") return ;;
        "next --output" | "next -o") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "next --finished") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "next --wave") return ;;
        "next --seconds") return ;;
        "next --target") return ;;
        "next --items") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "next --prior") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "next --way") COMPREPLY+=($(compgen -W 'auto gain equal' -- "$current")); return ;;
        "next --per-item") return ;;
        "next --stop") return ;;
        "next --most") return ;;
        "next --columns") return ;;
        "next --abstain") return ;;
        "next --leave-out") return ;;
        "next --threads") return ;;
        "next --data-folder") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "next --log-level") COMPREPLY+=($(compgen -W 'error warning info debug' -- "$current")); return ;;
        "plan --items" | "plan -n") return ;;
        "plan --output" | "plan -o") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "plan --budgets") return ;;
        "plan --target") return ;;
        "plan --seconds") return ;;
        "plan --pay-per-hour") return ;;
        "plan --currency") return ;;
        "plan --screen") COMPREPLY+=($(compgen -W 'hard rich' -- "$current")); return ;;
        "plan --seed") return ;;
        "plan --columns") return ;;
        "plan --abstain") return ;;
        "plan --leave-out") return ;;
        "plan --threads") return ;;
        "plan --data-folder") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "plan --log-level") COMPREPLY+=($(compgen -W 'error warning info debug' -- "$current")); return ;;
        "models --classes" | "models -k") return ;;
        "models --input" | "models -i") return ;;
        "models --data-folder") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "models --log-level") COMPREPLY+=($(compgen -W 'error warning info debug' -- "$current")); return ;;
        "train --data" | "train -d") COMPREPLY+=($(compgen -W 'cifar10 cifar10.1-v4 cifar10.1-v6 cifar10-c cinic10 cinic10_sample fashion-mnist labelme pos shapes' -- "$current")); COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "train --split") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "train --labels" | "train -l") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "train --rest") COMPREPLY+=($(compgen -W 'fail hard drop' -- "$current")); return ;;
        "train --holdout") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "train --network" | "train -n") COMPREPLY+=($(compgen -W 'resnet34a resnet50 vgg11 preact-resnet18 preact-resnet34 vgg_15_BN_64 resnet_basic_110 resnet_preact_bottleneck_164 wrn_28_10 resnext_29_8x64d densenet_BC_100_12 pyramidnet_basic_110_270 shake_shake_26_2x64d resnet8 resnet20 mlp mlp-uma tagger' -- "$current")); return ;;
        "train --recipe" | "train -r") COMPREPLY+=($(compgen -W 'quick collins2022 collins2022-smooth uma2020-cifar10h uma2020-cifar10h-crowd uma2020-labelme uma2020-labelme-crowd uma2020-labelme-rodrigues uma2020-pos uma2020-pos-crowd peterson2019-vgg_15_BN_64-scratch peterson2019-vgg_15_BN_64-pretrain peterson2019-vgg_15_BN_64-finetune peterson2019-resnet_basic_110-scratch peterson2019-resnet_basic_110-pretrain peterson2019-resnet_basic_110-finetune peterson2019-resnet_preact_bottleneck_164-scratch peterson2019-resnet_preact_bottleneck_164-pretrain peterson2019-resnet_preact_bottleneck_164-finetune peterson2019-wrn_28_10-scratch peterson2019-wrn_28_10-pretrain peterson2019-wrn_28_10-finetune peterson2019-resnext_29_8x64d-scratch peterson2019-resnext_29_8x64d-pretrain peterson2019-resnext_29_8x64d-finetune peterson2019-densenet_BC_100_12-scratch peterson2019-densenet_BC_100_12-pretrain peterson2019-densenet_BC_100_12-finetune peterson2019-pyramidnet_basic_110_270-scratch peterson2019-pyramidnet_basic_110_270-pretrain peterson2019-pyramidnet_basic_110_270-finetune peterson2019-shake_shake_26_2x64d-scratch peterson2019-shake_shake_26_2x64d-pretrain peterson2019-shake_shake_26_2x64d-finetune regmixup thesis-ch4 thesis-ch5 thesis-ch5-mix-maxent thesis-ch5-ent-wc thesis-mixup' -- "$current")); COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "train --set") return ;;
        "train --epochs" | "train -e") return ;;
        "train --seed" | "train -s") return ;;
        "train --output" | "train -o") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "train --weights" | "train -w") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "train --dev") COMPREPLY+=($(compgen -W 'cifar10 cifar10.1-v4 cifar10.1-v6 cifar10-c cinic10 cinic10_sample fashion-mnist labelme pos shapes' -- "$current")); COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "train --dev-split") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "train --dev-labels") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "train --teacher") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "train --mixing") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "train --extra") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "train --extra-labels") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "train --size") return ;;
        "train --channels") COMPREPLY+=($(compgen -W '1 3' -- "$current")); return ;;
        "train --vectors") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "train --tuning") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "train --checkpoint-seconds") return ;;
        "train --threads") return ;;
        "train --data-folder") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "train --log-level") COMPREPLY+=($(compgen -W 'error warning info debug' -- "$current")); return ;;
        "predict --data" | "predict -d") COMPREPLY+=($(compgen -W 'cifar10 cifar10.1-v4 cifar10.1-v6 cifar10-c cinic10 cinic10_sample fashion-mnist labelme pos shapes' -- "$current")); COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "predict --split") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "predict --size") return ;;
        "predict --channels") COMPREPLY+=($(compgen -W '1 3' -- "$current")); return ;;
        "predict --vectors") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "predict --array") COMPREPLY+=($(compgen -W 'logits probs' -- "$current")); return ;;
        "predict --batch" | "predict -b") return ;;
        "predict --output" | "predict -o") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "predict --threads") return ;;
        "predict --data-folder") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "predict --log-level") COMPREPLY+=($(compgen -W 'error warning info debug' -- "$current")); return ;;
        "eval --labels" | "eval -l") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "eval --reference") COMPREPLY+=($(compgen -W 'guess normalise softmax' -- "$current")); return ;;
        "eval --hard") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "eval --order") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "eval --metrics" | "eval -m") return ;;
        "eval --bin-size") return ;;
        "eval --bins") return ;;
        "eval --clip") return ;;
        "eval --bootstrap") return ;;
        "eval --seed") return ;;
        "eval --against") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "eval --defer") return ;;
        "eval --defer-by") COMPREPLY+=($(compgen -W 'confidence margin entropy' -- "$current")); return ;;
        "eval --answers") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "eval --seconds-per-answer") return ;;
        "eval --data" | "eval -d") COMPREPLY+=($(compgen -W 'cifar10 cifar10.1-v4 cifar10.1-v6 cifar10-c cinic10 cinic10_sample fashion-mnist labelme pos shapes' -- "$current")); COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "eval --split") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "eval --size") return ;;
        "eval --channels") COMPREPLY+=($(compgen -W '1 3' -- "$current")); return ;;
        "eval --tests") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "eval --attack" | "eval -a") return ;;
        "eval --attack-items") return ;;
        "eval --severity") return ;;
        "eval --corruption-folder") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "eval --plots") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "eval --threads") return ;;
        "eval --data-folder") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "eval --log-level") COMPREPLY+=($(compgen -W 'error warning info debug' -- "$current")); return ;;
        "run --scale") COMPREPLY+=($(compgen -W 'quick small paper' -- "$current")); return ;;
        "run --output" | "run -o") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "run --jobs" | "run -j") return ;;
        "run --threads") return ;;
        "run --memory") return ;;
        "run --only") return ;;
        "run --shard") return ;;
        "run --launcher") COMPREPLY+=($(compgen -W 'local slurm print' -- "$current")); return ;;
        "run --slurm") return ;;
        "run --run") return ;;
        "run --init") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "run --answers") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "run --data-folder") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "run --log-level") COMPREPLY+=($(compgen -W 'error warning info debug' -- "$current")); return ;;
        "report --output" | "report -o") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "report --format") COMPREPLY+=($(compgen -W 'html md csv latex' -- "$current")); return ;;
        "report --spec") return ;;
        "report --data-folder") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "report --log-level") COMPREPLY+=($(compgen -W 'error warning info debug' -- "$current")); return ;;
        "export --output" | "export -o") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "export --to" | "export -t") COMPREPLY+=($(compgen -W 'weights label-studio cleanlab' -- "$current")); return ;;
        "export --field") return ;;
        "export --control") return ;;
        "export --object") return ;;
        "export --labels") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "export --network" | "export -n") COMPREPLY+=($(compgen -W 'resnet34a resnet50 vgg11 preact-resnet18 preact-resnet34 vgg_15_BN_64 resnet_basic_110 resnet_preact_bottleneck_164 wrn_28_10 resnext_29_8x64d densenet_BC_100_12 pyramidnet_basic_110_270 shake_shake_26_2x64d resnet8 resnet20 mlp mlp-uma tagger' -- "$current")); return ;;
        "export --classes" | "export -k") return ;;
        "export --class-names") return ;;
        "export --input" | "export -i") return ;;
        "export --mean") return ;;
        "export --deviation") return ;;
        "export --init") COMPREPLY+=($(compgen -W 'paper pytorch' -- "$current")); return ;;
        "export --seed" | "export -s") return ;;
        "export --data-folder") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "export --log-level") COMPREPLY+=($(compgen -W 'error warning info debug' -- "$current")); return ;;
        "bench --batch" | "bench -b") return ;;
        "bench --steps" | "bench -n") return ;;
        "bench --rounds") return ;;
        "bench --output" | "bench -o") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "bench --tuning") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "bench --classes" | "bench -k") return ;;
        "bench --input" | "bench -i") return ;;
        "bench --threads") return ;;
        "bench --data-folder") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "bench --log-level") COMPREPLY+=($(compgen -W 'error warning info debug' -- "$current")); return ;;
        "fetch --data-folder") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "fetch --log-level") COMPREPLY+=($(compgen -W 'error warning info debug' -- "$current")); return ;;
        "dataset --preview" | "dataset -p") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "dataset --rows") return ;;
        "dataset --columns") return ;;
        "dataset --seed") return ;;
        "dataset --split") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "dataset --truth") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "dataset --data-folder") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "dataset --log-level") COMPREPLY+=($(compgen -W 'error warning info debug' -- "$current")); return ;;
        "dataset corrupt --output" | "dataset corrupt -o") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "dataset corrupt --only") return ;;
        "dataset corrupt --severity") return ;;
        "dataset corrupt --split") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "dataset corrupt --size") return ;;
        "dataset corrupt --channels") COMPREPLY+=($(compgen -W '1 3' -- "$current")); return ;;
        "dataset corrupt --seed") return ;;
        "dataset corrupt --threads") return ;;
        "dataset corrupt --data-folder") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "dataset corrupt --log-level") COMPREPLY+=($(compgen -W 'error warning info debug' -- "$current")); return ;;
        "dataset mix --output" | "dataset mix -o") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "dataset mix --lambdas") return ;;
        "dataset mix --pairs") return ;;
        "dataset mix --count") return ;;
        "dataset mix --batch") return ;;
        "dataset mix --split") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "dataset mix --size") return ;;
        "dataset mix --channels") COMPREPLY+=($(compgen -W '1 3' -- "$current")); return ;;
        "dataset mix --seed") return ;;
        "dataset mix --data-folder") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "dataset mix --log-level") COMPREPLY+=($(compgen -W 'error warning info debug' -- "$current")); return ;;
        "help --data-folder") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "help --log-level") COMPREPLY+=($(compgen -W 'error warning info debug' -- "$current")); return ;;
        "version --data-folder") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "version --log-level") COMPREPLY+=($(compgen -W 'error warning info debug' -- "$current")); return ;;
        "manual --output" | "manual -o") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "manual --data-folder") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "manual --log-level") COMPREPLY+=($(compgen -W 'error warning info debug' -- "$current")); return ;;
        "completion --data-folder") COMPREPLY+=($(compgen -f -- "$current")); return ;;
        "completion --log-level") COMPREPLY+=($(compgen -W 'error warning info debug' -- "$current")); return ;;
    esac
    case "$command" in
        "study")
            words=' init check serve links password simulate status audit export backup restore migrate purge'
            options='--data-folder --log-level --quiet --help'
            files=no ;;
        "study init")
            words=''
            options='--images --texts --mixtures --classes --screen --recruiter --batch --annotators --assignment --batches --checks --contact --training --skip-broken --reference --high --low --low-per-batch --seed --list --data-folder --log-level --quiet --help'
            files=yes ;;
        "study check")
            words=''
            options='--url --json --data-folder --log-level --quiet --help'
            files=yes ;;
        "study serve")
            words=''
            options='--address --port --admin-address --admin-port --behind-proxy --host --per-address --rehearse --database --access-log --data-folder --log-level --quiet --help'
            files=yes ;;
        "study links")
            words=''
            options='--url --column --output --data-folder --log-level --quiet --help'
            files=yes ;;
        "study password")
            words=''
            options='--data-folder --log-level --quiet --help'
            files=yes ;;
        "study simulate")
            words=''
            options='--study --truth --model --annotators --at-once --speed --rate --noise --slips --patience --no-images --scripts --replay --replay-share --replay-partial --answers --seconds --given --held-out --count --power --target --seed --json --data-folder --log-level --quiet --help'
            files=yes ;;
        "study status")
            words=''
            options='--annotators --items --json --data-folder --log-level --quiet --help'
            files=yes ;;
        "study audit")
            words=''
            options='--json --data-folder --log-level --quiet --help'
            files=yes ;;
        "study export")
            words=''
            options='--format --output --screen --list --data-folder --log-level --quiet --help'
            files=yes ;;
        "study backup")
            words=''
            options='--data-folder --log-level --quiet --help'
            files=yes ;;
        "study restore")
            words=''
            options='--force --data-folder --log-level --quiet --help'
            files=yes ;;
        "study migrate")
            words=''
            options='--to --data-folder --log-level --quiet --help'
            files=yes ;;
        "study purge")
            words=''
            options='--participant --data-folder --log-level --quiet --help'
            files=yes ;;
        "import")
            words=''
            options='--from --to --output --columns --abstain --leave-out --only --header --id-column --classes --list --threads --data-folder --log-level --quiet --help'
            files=yes ;;
        "labels")
            words=''
            options='--method --output --list --columns --abstain --leave-out --annotators --seed --stream --as-released --seconds-per-input --truth --weights --gamma --beta --temperature --folds --per-annotator --mean-first --generated --vectors --iterations --tolerance --stop --smoothing --diagonal --start --start-from --start-weight --tie --em --restarts --noise --spam-prior --know-prior --class-prior --ability-prior --easiness-prior --m-steps --m-accuracy --rate --rate-factor --rate-period --rate-margin --gold --predictions --rows --calibrate --reference --annotators-out --items-out --state --resume --prior --prior-weight --json --threads --ranks --data-folder --log-level --quiet --help'
            files=yes ;;
        "quality")
            words=''
            options='--columns --abstain --leave-out --truth --exclude --most-answers --reference --high --low --bootstrap --seed --annotators --json --data-folder --log-level --quiet --help'
            files=yes ;;
        "advise")
            words=''
            options='--columns --abstain --leave-out --truth --hours --seconds --top --seed --json --threads --data-folder --log-level --quiet --help'
            files=yes ;;
        "compare")
            words=''
            options='--top --by --least --same-first --min-entropy --max-entropy-b --mix --endpoint-labels --only --mixed --bootstrap --seed --pairs --json --data-folder --log-level --quiet --help'
            files=yes ;;
        "worth")
            words=''
            options='--method --other-method --numbers --other-numbers --reference --screen --draws --floor --seconds --bootstrap --seed --output --json --data-folder --log-level --quiet --help'
            files=yes ;;
        "simulate-labels")
            words=''
            options='--fit --parameters --reference --vectors --output --save --threshold --annotators --seed --as-released --json --threads --data-folder --log-level --quiet --help'
            files=no ;;
        "mixing")
            words=''
            options='--output --only --k --x0 --data-folder --log-level --quiet --help'
            files=yes ;;
        "next")
            words=''
            options='--budget --output --finished --wave --seconds --target --items --prior --way --per-item --stop --most --columns --abstain --leave-out --json --threads --data-folder --log-level --quiet --help'
            files=yes ;;
        "plan")
            words=''
            options='--items --output --budgets --target --seconds --pay-per-hour --currency --screen --seed --columns --abstain --leave-out --json --threads --data-folder --log-level --quiet --help'
            files=yes ;;
        "models")
            words='resnet34a resnet50 vgg11 preact-resnet18 preact-resnet34 vgg_15_BN_64 resnet_basic_110 resnet_preact_bottleneck_164 wrn_28_10 resnext_29_8x64d densenet_BC_100_12 pyramidnet_basic_110_270 shake_shake_26_2x64d resnet8 resnet20 mlp mlp-uma tagger'
            options='--classes --input --json --data-folder --log-level --quiet --help'
            files=yes ;;
        "train")
            words=''
            options='--data --split --labels --rest --holdout --network --recipe --as-published --set --epochs --seed --output --restart --untrained --weights --dev --dev-split --dev-labels --teacher --mixing --extra --extra-labels --size --channels --skip-broken --vectors --tuning --checkpoint-seconds --as-run --list --keys --json --threads --data-folder --log-level --quiet --help'
            files=no ;;
        "predict")
            words=''
            options='--data --split --size --channels --skip-broken --vectors --array --batch --output --threads --data-folder --log-level --quiet --help'
            files=yes ;;
        "eval")
            words=''
            options='--labels --reference --hard --order --subset --metrics --bin-size --bins --clip --bootstrap --seed --against --each --per-class --defer --defer-by --answers --seconds-per-answer --data --split --size --channels --skip-broken --tests --dry-run --attack --attack-items --attack-hard --corruptions --extra --severity --corruption-folder --plots --list --json --threads --data-folder --log-level --quiet --help'
            files=yes ;;
        "run")
            words='collins2022/figure10 collins2022/figure2 collins2022/figure4 collins2022/figure5 collins2022/figure6 collins2022/figure8 collins2022/figure9 collins2022/section4.3 collins2022/table1 collins2022/table2 collins2022/table3 collins2022/table4 collins2022/table5 collins2022/table6 peterson2019/figure1 peterson2019/figure2 peterson2019/figure3 peterson2019/figure4 peterson2019/table1 peterson2019/table2 softlab2026/trained softlab2026/worth thesis2022/figure3.5 thesis2022/figure3.6 thesis2022/figure4.2 thesis2022/figure4.3 thesis2022/figure4.4 thesis2022/figure4.5 thesis2022/figure5.1 thesis2022/figureB.3 thesis2022/section4.2.2 thesis2022/section5.1.2 thesis2022/table3.1 thesis2022/table3.2 thesis2022/table3.3 thesis2022/table3.4 thesis2022/table4.1 thesis2022/table4.2 thesis2022/table4.3 thesis2022/table5.1 thesis2022/table5.2 thesis2022/tableB.1 thesis2022/tableB.2 thesis2022/tableB.3 thesis2022/tableC.1 uma2020/table1 uma2020/table2 uma2020/table3'
            options='--scale --output --jobs --threads --memory --only --shard --as-published --tune --dry-run --launcher --slurm --run --watch --cancel --init --answers --list --data-folder --log-level --quiet --help'
            files=yes ;;
        "report")
            words=''
            options='--output --format --spec --charts --data-folder --log-level --quiet --help'
            files=yes ;;
        "export")
            words=''
            options='--output --to --field --control --object --labels --network --classes --class-names --input --mean --deviation --init --seed --data-folder --log-level --quiet --help'
            files=yes ;;
        "bench")
            words='resnet34a resnet50 vgg11 preact-resnet18 preact-resnet34 vgg_15_BN_64 resnet_basic_110 resnet_preact_bottleneck_164 wrn_28_10 resnext_29_8x64d densenet_BC_100_12 pyramidnet_basic_110_270 shake_shake_26_2x64d resnet8 resnet20 mlp mlp-uma tagger'
            options='--batch --steps --inference --layers --tune --rounds --output --tuning --classes --input --json --threads --data-folder --log-level --quiet --help'
            files=yes ;;
        "fetch")
            words='cifar10 cifar10h cifar10h-raw cifar10s hmix peterson2019 peterson2019-predictions labelme pos sentiment_polarity rte truth_inference fashion-mnist cifar10.1-v4 cifar10.1-v6 cifar10-c cinic10 cinic10_sample glove100d imagenet-far'
            options='--list --json --offline --no-package-manager --data-folder --log-level --quiet --help'
            files=no ;;
        "dataset")
            words='cifar10 cifar10.1-v4 cifar10.1-v6 cifar10-c cinic10 cinic10_sample fashion-mnist labelme pos shapes corrupt mix'
            options='--preview --rows --columns --seed --split --skip-broken --truth --json --list --data-folder --log-level --quiet --help'
            files=yes ;;
        "dataset corrupt")
            words='cifar10 cifar10.1-v4 cifar10.1-v6 cifar10-c cinic10 cinic10_sample fashion-mnist labelme pos shapes'
            options='--output --only --severity --split --size --channels --skip-broken --seed --list --json --threads --data-folder --log-level --quiet --help'
            files=yes ;;
        "dataset mix")
            words='cifar10 cifar10.1-v4 cifar10.1-v6 cifar10-c cinic10 cinic10_sample fashion-mnist labelme pos shapes'
            options='--output --lambdas --pairs --count --batch --split --size --channels --skip-broken --seed --data-folder --log-level --quiet --help'
            files=yes ;;
        "help")
            words='study import labels quality advise compare worth simulate-labels mixing next plan models train predict eval run report export bench fetch dataset help version manual completion'
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
