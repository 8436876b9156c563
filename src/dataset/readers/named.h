/* Openers of named sets that are not in named.c. Private to dataset/readers/. */
#ifndef SOFTLAB_DATASET_READERS_NAMED_H
#define SOFTLAB_DATASET_READERS_NAMED_H

#include "softlab/dataset.h"

enum sl_status sl_open_cifar10_1_v4(const char *options, const struct sl_data_roots *roots,
                                    struct sl_dataset **out, struct sl_error *err) SL_MUST_USE;
enum sl_status sl_open_cifar10_1_v6(const char *options, const struct sl_data_roots *roots,
                                    struct sl_dataset **out, struct sl_error *err) SL_MUST_USE;
enum sl_status sl_open_cifar10_c(const char *options, const struct sl_data_roots *roots,
                                 struct sl_dataset **out, struct sl_error *err) SL_MUST_USE;
enum sl_status sl_open_cinic10(const char *options, const struct sl_data_roots *roots,
                               struct sl_dataset **out, struct sl_error *err) SL_MUST_USE;
enum sl_status sl_open_cinic10_sample(const char *options, const struct sl_data_roots *roots,
                                      struct sl_dataset **out, struct sl_error *err) SL_MUST_USE;
enum sl_status sl_open_labelme(const char *split, const struct sl_data_roots *roots,
                               struct sl_dataset **out, struct sl_error *err) SL_MUST_USE;
enum sl_status sl_open_pos(const char *split, const struct sl_data_roots *roots,
                           struct sl_dataset **out, struct sl_error *err) SL_MUST_USE;

#endif
