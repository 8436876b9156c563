/* Vocabularies in models: as text in the weights' metadata, and as word vectors. */
#include <stdlib.h>
#include <string.h>

#include "feed/vocabulary.h"
#include "softlab/base/buffer.h"
#include "softlab/base/fields.h"
#include "softlab/base/json.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"
#include "softlab/base/wordvectors.h"

enum { VERSION = 1, LONGEST = 1 << 20 };

static const char words_tensor[] = "words.weight";
static const char words_option[] = "words";

/* ---- Text ---- */

static char *alphabet_text(const struct sl_vocabulary *vocabulary)
{
    char *text = sl_alloc(4 * vocabulary->n_letters + 1, 1), *end = text;
    for (size_t i = 0; i < vocabulary->n_letters; i++)
        end += sl_utf8_encode(vocabulary->alphabet[i], end);
    return text;
}

char *sl_vocabulary_to_text(const struct sl_vocabulary *vocabulary)
{
    char *alphabet = alphabet_text(vocabulary);
    json_t *words = json_array();
    for (uint32_t i = 0; i < sl_name_table_count(vocabulary->words); i++)
        json_array_append_new(words, json_string(sl_name_table_get(vocabulary->words, i, NULL)));
    json_t *json = json_pack("{s:s, s:i, s:I, s:I, s:s, s:o}", "softlab", "vocabulary", "version",
                             VERSION, "tokens", (json_int_t)vocabulary->tokens, "letters",
                             (json_int_t)vocabulary->letters, "alphabet", alphabet, "words", words);
    char *text = json_dumps(json, JSON_COMPACT);
    json_decref(json);
    free(alphabet);
    return text;
}

static enum sl_status read_alphabet(const struct sl_json_cursor *root,
                                    struct sl_vocabulary *vocabulary, struct sl_error *err)
{
    struct sl_json_cursor member;
    const char *text = NULL;
    SL_TRY(sl_json_member(root, "alphabet", &member, err));
    SL_TRY(sl_json_string(&member, &text, err));
    const size_t length = strlen(text);
    vocabulary->alphabet = sl_data_alloc(length, sizeof *vocabulary->alphabet, err);
    if (!vocabulary->alphabet) return SL_ERR_NOMEM;
    for (size_t at = 0; at < length; vocabulary->n_letters++) {
        uint32_t *letter = &vocabulary->alphabet[vocabulary->n_letters];
        at += sl_utf8_decode(text + at, length - at, letter);
        if (vocabulary->n_letters > 0 && letter[0] <= letter[-1])
            return sl_json_fail(&member, err, "letters must ascend; letter %zu does not",
                                vocabulary->n_letters + 1);
    }
    return SL_OK;
}

static enum sl_status read_words(const struct sl_json_cursor *root,
                                 struct sl_vocabulary *vocabulary, struct sl_error *err)
{
    struct sl_json_cursor array;
    size_t count = 0;
    SL_TRY(sl_json_member(root, "words", &array, err));
    SL_TRY(sl_json_array_size(&array, &count, err));
    for (size_t i = 0; i < count; i++) {
        const struct sl_json_cursor element = sl_json_element(&array, i);
        const char *word = NULL;
        uint32_t index = 0;
        SL_TRY(sl_json_string(&element, &word, err));
        SL_TRY(sl_name_table_add(vocabulary->words, word, strlen(word), &index, err));
        if (index != i) return sl_json_fail(&element, err, "the word is repeated");
    }
    return SL_OK;
}

static enum sl_status read_size(const struct sl_json_cursor *root, const char *key, size_t *out,
                                struct sl_error *err)
{
    struct sl_json_cursor member;
    int64_t size = 0;
    SL_TRY(sl_json_member(root, key, &member, err));
    SL_TRY(sl_json_integer(&member, 1, LONGEST, &size, err));
    *out = (size_t)size;
    return SL_OK;
}

static enum sl_status read_all(const struct sl_json *json, struct sl_vocabulary *vocabulary,
                               struct sl_error *err)
{
    static const char *const keys[] = {"softlab",  "version", "tokens", "letters",
                                       "alphabet", "words",   NULL};
    const struct sl_json_cursor root = sl_json_root(json);
    struct sl_json_cursor version;
    int64_t number = 0;
    SL_TRY(sl_json_only(&root, keys, err));
    SL_TRY(sl_json_member(&root, "version", &version, err));
    SL_TRY(sl_json_integer(&version, VERSION, VERSION, &number, err));
    SL_TRY(read_size(&root, "tokens", &vocabulary->tokens, err));
    SL_TRY(read_size(&root, "letters", &vocabulary->letters, err));
    SL_TRY(read_alphabet(&root, vocabulary, err));
    return read_words(&root, vocabulary, err);
}

enum sl_status sl_vocabulary_from_text(const char *text, struct sl_vocabulary **out,
                                       struct sl_error *err)
{
    struct sl_vocabulary *vocabulary = sl_alloc(1, sizeof *vocabulary);
    struct sl_json json = {0};
    enum sl_status status = SL_OK;
    vocabulary->words = sl_name_table_create();
    SL_TRY_OUT(sl_json_parse(text, strlen(text), "vocabulary", 1, &json, err));
    SL_TRY_OUT(read_all(&json, vocabulary, err));
    *out = vocabulary;
    vocabulary = NULL;
out:
    sl_json_release(&json);
    sl_vocabulary_destroy(vocabulary);
    return status;
}

/* ---- Models ---- */

static bool same_shape(const struct sl_vocabulary *vocabulary, const struct sl_model *model)
{
    const struct sl_input_shape have = sl_vocabulary_shape(vocabulary),
                                want = sl_model_input(model);
    return have.tokens == want.tokens && have.letters == want.letters &&
           have.vocabulary == want.vocabulary && have.alphabet == want.alphabet;
}

static enum sl_status fail_shape(const struct sl_vocabulary *vocabulary,
                                 const struct sl_model *model, struct sl_error *err)
{
    const struct sl_input_shape have = sl_vocabulary_shape(vocabulary),
                                want = sl_model_input(model);
    return sl_fail(err, SL_ERR_INPUT,
                   "the vocabulary has %zu word%s and %zu letter%s, but the network reads %zu and "
                   "%zu; it belongs to another network",
                   have.vocabulary, sl_text_plural(have.vocabulary, "", "s"), have.alphabet,
                   sl_text_plural(have.alphabet, "", "s"), want.vocabulary, want.alphabet);
}

enum sl_status sl_vocabulary_of_model(const struct sl_model *model, struct sl_vocabulary **out,
                                      struct sl_error *err)
{
    const char *text = sl_model_vocabulary(model);
    if (sl_model_input(model).tokens == 0)
        return sl_fail(err, SL_ERR_INPUT, "the network does not read texts");
    if (!text)
        return sl_fail(err, SL_ERR_INPUT,
                       "the weights have no vocabulary, so their words are unknown");
    struct sl_vocabulary *vocabulary = NULL;
    SL_TRY(sl_vocabulary_from_text(text, &vocabulary, err));
    const struct sl_tensor_info *table = sl_model_tensor_find(model, words_tensor);
    if (same_shape(vocabulary, model) && table) {
        vocabulary->dimensions = table->dims[1];
        *out = vocabulary;
        return SL_OK;
    }
    fail_shape(vocabulary, model, err);
    sl_vocabulary_destroy(vocabulary);
    return SL_ERR_INPUT;
}

enum sl_status sl_vocabulary_give(const struct sl_vocabulary *vocabulary, struct sl_model *model,
                                  struct sl_error *err)
{
    const struct sl_tensor_info *table = sl_model_tensor_find(model, words_tensor);
    if (!same_shape(vocabulary, model) || !table) return fail_shape(vocabulary, model, err);
    if (vocabulary->vectors) {
        if (table->dims[1] != vocabulary->dimensions)
            return sl_fail(
                err, SL_ERR_INPUT,
                "the vectors have %zu number%s, but the network reads %zu: give it %s=%zu",
                vocabulary->dimensions, sl_text_plural(vocabulary->dimensions, "", "s"),
                table->dims[1], words_option, vocabulary->dimensions);
        memcpy(sl_model_state(model) + table->offset, vocabulary->vectors,
               table->count * sizeof *vocabulary->vectors);
        sl_model_touch(model);
    }
    char *text = sl_vocabulary_to_text(vocabulary);
    sl_model_set_vocabulary(model, text);
    free(text);
    return SL_OK;
}

static const struct sl_network_family *family_of(const char *spec)
{
    const size_t length = strcspn(spec, ":");
    for (const struct sl_network_family *family = sl_network_families; family->name; family++)
        if (strlen(family->name) == length && strncmp(family->name, spec, length) == 0)
            return family;
    return NULL;
}

char *sl_vocabulary_network(const struct sl_vocabulary *vocabulary, const char *network)
{
    const char *spec = network;
    for (const struct sl_network *row = sl_networks; row->name; row++)
        if (strcmp(row->name, network) == 0) spec = row->spec;
    const struct sl_network_family *family = family_of(spec);
    const bool has_option = family && sl_fields_find(family->options, words_option);
    if (!has_option || strstr(spec, ":words=") || strstr(spec, ",words="))
        return sl_string_copy(network);
    return sl_string_printf("%s%c%s=%zu", spec, strchr(spec, ':') ? ',' : ':', words_option,
                            vocabulary->dimensions);
}

/* ---- More words ---- */

/* The extension of a model: new words, and their vectors in the order of the vocabulary. */
struct extension {
    struct sl_vocabulary *vocabulary; /* the model's, extended */
    struct sl_name_table *words;
    struct sl_word_vectors file;
    size_t n_known; /* words that the model has */
    size_t *from;   /* (n_more) rows of the file */
    size_t n_more;
};

static enum sl_status check_known(const struct extension *extension, struct sl_model *model,
                                  const char *path, struct sl_error *err)
{
    const struct sl_tensor_info *table = sl_model_tensor_find(model, words_tensor);
    const size_t width = extension->file.dimensions;
    if (!table || table->dims[1] != width)
        return sl_fail(err, SL_ERR_INPUT,
                       "%s: the vectors have %zu number%s, but the network reads %zu", path, width,
                       sl_text_plural(width, "", "s"), table ? table->dims[1] : 0);
    const float *rows = sl_model_state(model) + table->offset;
    for (uint32_t i = 0; i < extension->n_known; i++) {
        size_t length = 0;
        const char *word = sl_name_table_get(extension->vocabulary->words, i, &length);
        const uint32_t found = sl_name_table_find(extension->words, word, length);
        if (found != SL_NO_NAME &&
            memcmp(rows + (i + 1) * width, extension->file.values + found * width,
                   width * sizeof *rows) != 0)
            return sl_fail(err, SL_ERR_INPUT,
                           "%s: \"%s\" has a different vector than in training; give the file that "
                           "the network was trained with",
                           path, word);
    }
    return SL_OK;
}

static enum sl_status add_words(struct extension *extension, const char *text, struct sl_error *err)
{
    struct sl_vocabulary *vocabulary = extension->vocabulary;
    struct sl_span span;
    for (size_t at = 0; sl_vocabulary_next(text, &at, &span);) {
        const char *word = text + span.begin;
        const size_t length = span.end - span.begin;
        uint32_t index = 0;
        if (sl_vocabulary_word(vocabulary, word, length) > 0) continue;
        const uint32_t found = sl_vocabulary_find(extension->words, word, length);
        if (found == SL_NO_NAME) continue;
        size_t size = 0;
        const char *name = sl_name_table_get(extension->words, found, &size);
        SL_TRY(sl_name_table_add(vocabulary->words, name, size, &index, err));
        extension->from =
            sl_resize(extension->from, extension->n_more + 1, sizeof *extension->from);
        extension->from[extension->n_more++] = found;
    }
    return SL_OK;
}

static void copy_tensors(const struct extension *extension, struct sl_model *model,
                         struct sl_model *wider)
{
    size_t count = 0;
    const struct sl_tensor_info *tensors = sl_model_tensors(model, &count);
    memcpy(sl_model_values(wider), sl_model_values(model),
           sl_model_n_values(model) * sizeof(float));
    for (size_t i = 0; i < count; i++) {
        if (tensors[i].kind != SL_TENSOR_STATE) continue;
        const struct sl_tensor_info *to = sl_model_tensor_find(wider, tensors[i].name);
        memcpy(sl_model_state(wider) + to->offset, sl_model_state(model) + tensors[i].offset,
               tensors[i].count * sizeof(float));
    }
    const size_t width = extension->file.dimensions;
    float *rows = sl_model_state(wider) + sl_model_tensor_find(wider, words_tensor)->offset;
    for (size_t i = 0; i < extension->n_more; i++)
        memcpy(rows + (1 + extension->n_known + i) * width,
               extension->file.values + extension->from[i] * width, width * sizeof *rows);
    sl_model_touch(wider);
}

static enum sl_status widen(const struct extension *extension, struct sl_model *model,
                            struct sl_model **out, struct sl_error *err)
{
    struct sl_model_options options = sl_model_options_default();
    options.network = sl_model_spec(model);
    options.classes = sl_model_classes(model);
    options.input = sl_vocabulary_shape(extension->vocabulary);
    struct sl_model *wider = NULL;
    SL_TRY(sl_model_create(&options, &wider, err));
    copy_tensors(extension, model, wider);
    enum sl_status status = sl_vocabulary_give(extension->vocabulary, wider, err);
    if (status == SL_OK && sl_model_class_names(model))
        status = sl_model_set_class_names(wider, sl_model_class_names(model), err);
    if (status == SL_OK)
        *out = wider;
    else
        sl_model_destroy(wider);
    return status;
}

enum sl_status sl_vocabulary_extend(struct sl_model *model, const char *vectors,
                                    const struct sl_dataset *texts, struct sl_model **out,
                                    struct sl_error *err)
{
    if (sl_dataset_kind_of(texts) != SL_DATASET_TEXTS)
        return sl_fail(err, SL_ERR_INPUT, "%s has no texts", texts->name);
    struct extension extension = {0};
    enum sl_status status = SL_OK;
    SL_TRY_OUT(sl_vocabulary_of_model(model, &extension.vocabulary, err));
    extension.n_known = sl_name_table_count(extension.vocabulary->words);
    SL_TRY_OUT(sl_word_vectors_read_all(vectors, &extension.words, &extension.file, err));
    SL_TRY_OUT(check_known(&extension, model, vectors, err));
    for (size_t i = 0; i < texts->count; i++)
        SL_TRY_OUT(add_words(&extension, texts->texts[i], err));
    SL_TRY_OUT(widen(&extension, model, out, err));
out:
    free(extension.from);
    sl_word_vectors_release(&extension.file);
    sl_name_table_destroy(extension.words);
    sl_vocabulary_destroy(extension.vocabulary);
    return status;
}
