#include "softlab/pipeline/options.h"

#include "softlab/nn.h"

const char *sl_dataset_names(size_t index)
{
    return sl_named_datasets[index].name;
}

const char *sl_network_names(size_t index)
{
    return sl_networks[index].name;
}

const char *sl_channel_names(size_t index)
{
    static const char *const names[] = {"1", "3", NULL};
    return names[index];
}
