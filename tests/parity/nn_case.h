/* The case.json of parity_nn: what to run, as a network's name or as a list of nodes. */
#ifndef NN_CASE_H
#define NN_CASE_H

#include <stdbool.h>
#include <stddef.h>

#include "nn/graph/model.h"
#include "softlab/base/json.h"

/* A member that may be absent: *value stays as it is then. */
enum sl_status case_size(const struct sl_json_cursor *object, const char *key, size_t *value,
                         struct sl_error *err) SL_MUST_USE;
enum sl_status case_real(const struct sl_json_cursor *object, const char *key, float *value,
                         struct sl_error *err) SL_MUST_USE;
enum sl_status case_flag(const struct sl_json_cursor *object, const char *key, bool *value,
                         struct sl_error *err) SL_MUST_USE;

/* A model of {"network": ..., "classes": ..., "input": [C, H, W], "mean": ..., "deviation": ...}.
 */
enum sl_status case_create_network(const struct sl_json_cursor *root, struct sl_model **out,
                                   struct sl_error *err) SL_MUST_USE;
/* A model of {"input": [C, H, W], "nodes": [...]}. */
enum sl_status case_create_layer(const struct sl_json_cursor *root, struct sl_model **out,
                                 struct sl_error *err) SL_MUST_USE;

#endif
