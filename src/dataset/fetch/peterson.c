/* The files of Peterson et al. 2019. The checksums in the first list were computed from copies; for
 * the second list none is published. */
#include "dataset/fetch/internal.h"

#define PETERSON SL_GITHUB "jcpeterson/cifar10-human-experiments/HEAD/"
#define PETERSON_BASE                                                                              \
    SL_GITHUB "jcpeterson/cifar10-human-experiments/9d7f0e2fc4f967e254fe6d72cbcff30fa9f210b0/"
#define PETERSON_BASE_TEST                                                                         \
    SL_GITHUB "jcpeterson/cifar10-human-experiments/ba5e9aaa0062584ce4205de1a5e9dec9acc18721/"
#define PETERSON_ORDER                                                                             \
    SL_GITHUB "jcpeterson/cifar10-human-experiments/a111f2683b1f4eb4e4bd366a629d0925ff2aa88c/"
#define PETERSON_LABELS                                                                            \
    SL_GITHUB "jcpeterson/cifar10-human-experiments/ad85c2707aa2df2a7f7fabb079e2a913a885a255/"
#define PETERSON_FOLD                                                                              \
    SL_GITHUB "jcpeterson/cifar10-human-experiments/5ce285cd4658cee63f438fd8d001f27fdc60cc98/"

const struct sl_fetch_file sl_fetch_peterson2019[] = {
    {"decoded_test_filename_order.npy",
     "4f2b1966bda3f69bac2fe7fb2cf61eb3a2580aa126637966f43edda9afd7cdbd",
     PETERSON_ORDER "predictions/test/decoded_test_filename_order.npy", 1600080},
    {"test_set_cifar_labels.npy",
     "c381e62b2ad606fa0239c301e35aa4c94fd2c8b9dc1df02c86c27e2cc528ae51",
     PETERSON_LABELS "predictions/test_set_cifar_labels.npy", 80080},
    {"val_idx_seed_0.npy", "38982bebdedb69fbe2079ebf1939aee2bc54c158aba3ef5c94a56c80d9b6feed",
     PETERSON_FOLD "predictions/val_idx_seed_0.npy", 8080},
    {"base_predictions/densenet_BC_100_12_test.npz",
     "6f69bc53248677ac1cc35354827d7da26e3b3712abe9f56a79feba6e37533fa5",
     PETERSON_BASE_TEST "predictions/base_predictions/test/densenet_BC_100_12_test.npz", 880692},
    {"base_predictions/pyramidnet_basic_110_270_test.npz",
     "07a552db6bb4bfda85082fc6b9311906873a947910ae27880aab7ca3369983e0",
     PETERSON_BASE "predictions/base_predictions/pyramidnet_basic_110_270_test.npz", 880692},
    {"base_predictions/resnet_basic_110_test.npz",
     "05504e57ed52c9275278b58ea607555bef56b4968b746b631bbdff7e9ec1aeb9",
     PETERSON_BASE "predictions/base_predictions/resnet_basic_110_test.npz", 880692},
    {"base_predictions/resnet_preact_bottleneck_164_test.npz",
     "795b21725651d1a99b8d117f05c27a4f3f9c5f0886ce23231db67402bf745942",
     PETERSON_BASE "predictions/base_predictions/resnet_preact_bottleneck_164_test.npz", 880692},
    {"base_predictions/resnext_29_8x64d_test.npz",
     "e7c62904145a1d7bbb9b6f47bdaffd9acb2372823ebe226c508b7b29a1352e1d",
     PETERSON_BASE_TEST "predictions/base_predictions/test/resnext_29_8x64d_test.npz", 880692},
    {"base_predictions/shake_shake_26_2x64d_SSI_cutout16_test.npz",
     "19a95609d5a483da9fe7a71ef6e93deeb595ff0279fcbad5c4dec9fbb11314c0",
     PETERSON_BASE_TEST
     "predictions/base_predictions/test/shake_shake_26_2x64d_SSI_cutout16_test.npz",
     880692},
    {"base_predictions/vgg_15_BN_64_test.npz",
     "d42cc34597868af1fdd1870615682dae4060fd901fc8154531ed60a023749dd7",
     PETERSON_BASE_TEST "predictions/base_predictions/test/vgg_15_BN_64_test.npz", 880692},
    {"base_predictions/wrn_28_10_test.npz",
     "5872293e9690d5e034efe623a2a181a493831b48e421687fd1eaf96b53fcac88",
     PETERSON_BASE_TEST "predictions/base_predictions/test/wrn_28_10_test.npz", 880692},
    {"preds_scores_9k/densenet_BC_100_12_False_master_scores.csv",
     "a4af31ce9af9ad9e8261df5a513e794dc3420a216027e7939e80306fab45e528",
     PETERSON "predictions/preds_scores_9k/densenet_BC_100_12_False_master_scores.csv", 3173},
    {"preds_scores_9k/densenet_BC_100_12_True_master_scores.csv",
     "b0a06a09f60de9f095204298747bec285af789c2e08f8c88c47aa6289d0507cb",
     PETERSON "predictions/preds_scores_9k/densenet_BC_100_12_True_master_scores.csv", 3208},
    {"preds_scores_9k/pyramidnet_basic_110_270_False_master_scores.csv",
     "d0a563894d66d3b151be4b369a00a4ce6dae9993ce7b5523a353c6bc75898216",
     PETERSON "predictions/preds_scores_9k/pyramidnet_basic_110_270_False_master_scores.csv", 3193},
    {"preds_scores_9k/pyramidnet_basic_110_270_True_master_scores.csv",
     "a2c015784ef8f82255c2657099878f85b9fbe57a3ea2664bb37c6fa671b2d7a5",
     PETERSON "predictions/preds_scores_9k/pyramidnet_basic_110_270_True_master_scores.csv", 3115},
    {"preds_scores_9k/resnet_basic_110_False_master_scores.csv",
     "25026b0cd4cb04c072a44d546cc3d1537407b310916eb6144281c41fb4123a7c",
     PETERSON "predictions/preds_scores_9k/resnet_basic_110_False_master_scores.csv", 3181},
    {"preds_scores_9k/resnet_basic_110_False.npz",
     "5c170f22e26341509fe9a679d2ab48b5ec80cab7836a99896c13400e7241ce68",
     PETERSON "predictions/preds_scores_9k/resnet_basic_110_False.npz", 1200692},
    {"preds_scores_9k/resnet_basic_110_True_master_scores.csv",
     "b34be1263cf85dfb24cc8b6d97d598f098f7ee14003f023b34a1ef230e320211",
     PETERSON "predictions/preds_scores_9k/resnet_basic_110_True_master_scores.csv", 3196},
    {"preds_scores_9k/resnet_basic_110_True.npz",
     "479f7161099870e2a67bd14148c58779dd3b73e78c56a62d98ccc5181cdd78d6",
     PETERSON "predictions/preds_scores_9k/resnet_basic_110_True.npz", 1200692},
    {"preds_scores_9k/resnet_preact_bottleneck_164_False_master_scores.csv",
     "9a86443c1c2fa6b104572135ca26626e44d2047da228b9b94d558919e871bf19",
     PETERSON "predictions/preds_scores_9k/resnet_preact_bottleneck_164_False_master_scores.csv",
     3187},
    {"preds_scores_9k/resnet_preact_bottleneck_164_True_master_scores.csv",
     "7742cd1ea2aa6d4f7f403af5065f05b7a8b277d000d38910c9760a9e1310d521",
     PETERSON "predictions/preds_scores_9k/resnet_preact_bottleneck_164_True_master_scores.csv",
     3167},
    {"preds_scores_9k/resnext_29_8x64d_False_master_scores.csv",
     "8c52b8d665549ae5b570a1710cca5df63bc933d62cb217c5a45ae40e2291c381",
     PETERSON "predictions/preds_scores_9k/resnext_29_8x64d_False_master_scores.csv", 3140},
    {"preds_scores_9k/resnext_29_8x64d_True_master_scores.csv",
     "8f702cfc26f7bd3d7e845f72dcc1b37740d462b66194e6e89df39aad37229d67",
     PETERSON "predictions/preds_scores_9k/resnext_29_8x64d_True_master_scores.csv", 3135},
    {"preds_scores_9k/shake_shake_26_2x64d_SSI_cutout16_False_master_scores.csv",
     "697473e2a8b4cc9af027c764ce0c7d01532938ee2e10d3b2ce8d13acb2ab7260",
     PETERSON
     "predictions/preds_scores_9k/shake_shake_26_2x64d_SSI_cutout16_False_master_scores.csv",
     3223},
    {"preds_scores_9k/shake_shake_26_2x64d_SSI_cutout16_True_master_scores.csv",
     "ec94a1b41cf33fab331c73dc483fffe78a883924cb93d2bd994e9542ab02474d",
     PETERSON
     "predictions/preds_scores_9k/shake_shake_26_2x64d_SSI_cutout16_True_master_scores.csv",
     3224},
    {"preds_scores_9k/vgg_15_BN_64_False_master_scores.csv",
     "e5e29b3e07eccaf4844b8c4795ca3f05de5175f5eb9cb50824179b97fbfd111e",
     PETERSON "predictions/preds_scores_9k/vgg_15_BN_64_False_master_scores.csv", 3213},
    {"preds_scores_9k/vgg_15_BN_64_False.npz",
     "bb6bda4ec3040894254a48c83ca3900ebbc005cd27b90bb527ce094bdaa67dce",
     PETERSON "predictions/preds_scores_9k/vgg_15_BN_64_False.npz", 1200692},
    {"preds_scores_9k/vgg_15_BN_64_True_master_scores.csv",
     "6716a5f081f377e7f1837cfffbbd8362426b74d4bed1b9327baf17f324303d82",
     PETERSON "predictions/preds_scores_9k/vgg_15_BN_64_True_master_scores.csv", 3189},
    {"preds_scores_9k/vgg_15_BN_64_True.npz",
     "8638b29d264b26dae4b9f984b9b42bdc6089c08ff230efe6dbbfcabc65d19d72",
     PETERSON "predictions/preds_scores_9k/vgg_15_BN_64_True.npz", 1200692},
    {"preds_scores_9k/wrn_28_10_False_master_scores.csv",
     "aabad716503511cb05df7acd8c0ffc2239bc8bd766fcc5230488a59a95ef7484",
     PETERSON "predictions/preds_scores_9k/wrn_28_10_False_master_scores.csv", 3205},
    {"preds_scores_9k/wrn_28_10_False.npz",
     "c9303f57ab49327d8959f7a097058d48bc7a1769742b4843ff769bcaf512867a",
     PETERSON "predictions/preds_scores_9k/wrn_28_10_False.npz", 1200692},
    {"preds_scores_9k/wrn_28_10_True_master_scores.csv",
     "665f46798661b80e16b15d7b7c5aca856d27326c4d9e3a84899c427c82345a08",
     PETERSON "predictions/preds_scores_9k/wrn_28_10_True_master_scores.csv", 3223},
    {"preds_scores_9k/wrn_28_10_True.npz",
     "932e275486faa7d218c83a97f8d8157a4781dce3c0ed9acc9226e2ff00e31d4a",
     PETERSON "predictions/preds_scores_9k/wrn_28_10_True.npz", 1200692},
    {0},
};

/* True: trained on hard labels; False: on people's labels. */
#define HELD_OUT(network)                                                                          \
    {network "_False.npz", NULL, PETERSON "predictions/preds_scores_9k/" network "_False.npz", 0}, \
    {                                                                                              \
        network "_True.npz", NULL, PETERSON "predictions/preds_scores_9k/" network "_True.npz", 0  \
    }

const struct sl_fetch_file sl_fetch_peterson2019_predictions[] = {
    HELD_OUT("densenet_BC_100_12"),
    HELD_OUT("pyramidnet_basic_110_270"),
    HELD_OUT("resnet_preact_bottleneck_164"),
    HELD_OUT("resnext_29_8x64d"),
    HELD_OUT("shake_shake_26_2x64d_SSI_cutout16"),
    {0},
};
