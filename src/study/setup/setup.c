/* Creating a study's folder: under a temporary name first, so that it is complete or absent. */
#include "study/setup/setup.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "softlab/base/memory.h"
#include "softlab/base/rows.h"
#include "softlab/base/text.h"
#include "study/config/identity.h"
#include "study/private_folder.h"
#include "study/secret.h"
#include "study/session/images.h"
#include "study/session/stimuli.h"
#include "study/simulate/simulate.h"

enum { TEXT_BYTES = 64 << 20, CODE_LETTERS = 8, CHECK_EVERY = 10, MAX_CONTACT = 1000 };

struct sl_study_setup sl_study_setup_default(void)
{
    return (struct sl_study_setup){.screens = "collins+",
                                   .recruiter = "open",
                                   .high = .25,
                                   .low = .1,
                                   .low_per_batch = 3,
                                   .batch_size = 25,
                                   .annotators = 6,
                                   .assignment = "fixed",
                                   .seed = 1};
}

/* ---- The configuration ---- */

static void set_screens(struct sl_study *study, const char *list)
{
    char **names = NULL;
    size_t count = 0;
    for (const char *at = list; at; at = strchr(at, ',')) {
        if (*at == ',') at++;
        names = sl_resize(names, count + 2, sizeof *names);
        names[count++] = sl_string_copy_n(at, strcspn(at, ","));
        names[count] = NULL;
    }
    sl_study_set_texts(&study->screens, &study->n_screens, (const char *const *)names, count);
    sl_names_destroy(names);
}

static void set_code(char **field)
{
    char code[CODE_LETTERS + 1];
    sl_secret_word(code, CODE_LETTERS);
    sl_study_set_text(field, code);
}

static void set_recruiter(struct sl_study *study, const char *kind)
{
    static const char *const prolific[] = {"STUDY_ID", "SESSION_ID"};
    sl_study_set_text(&study->recruiter, kind);
    set_code(&study->code_done);
    set_code(&study->code_refused);
    set_code(&study->code_failed);
    set_code(&study->code_full);
    if (strcmp(kind, "prolific") == 0) {
        sl_study_set_text(&study->person, "PROLIFIC_PID");
        sl_study_set_texts(&study->keep, &study->n_keep, prolific, 2);
        sl_study_set_text(&study->complete,
                          "https://app.prolific.com/submissions/complete?cc={code}");
    } else if (strcmp(kind, "generic") == 0) {
        sl_study_set_text(&study->person, "participant");
    }
}

static enum sl_status configure(struct sl_setup_plan *plan, struct sl_error *err)
{
    const struct sl_study_setup *setup = plan->setup;
    struct sl_study *study = plan->study;
    const char *key = NULL;
    char *name = sl_string_copy(setup->folder);
    for (size_t length = strlen(name); length > 1 && name[length - 1] == '/'; length--)
        name[length - 1] = '\0';
    sl_study_set_text(&study->name, sl_path_name(name));
    sl_study_set_text(&study->title, sl_path_name(name));
    free(name);
    set_screens(study, setup->screens);
    set_recruiter(study, setup->recruiter);
    study->batch_size = setup->batch_size;
    study->annotators = setup->annotators;
    study->assignment =
        strcmp(setup->assignment, "adaptive") == 0 ? SL_ASSIGN_ADAPTIVE : SL_ASSIGN_FIXED;
    if (study->repeats > study->batch_size) study->repeats = study->batch_size;
    if (setup->checks) study->check_every = CHECK_EVERY;
    study->shuffle_options = true;
    sl_setup_questions(study);
    enum sl_status status = sl_study_check(study, &key, err);
    return status == SL_OK ? SL_OK : sl_fail_within(err, status, "%s", key);
}

/* Parses study.json before it is written: the same checks as for a file written by hand, but no
 * error names a file that does not exist. */
static enum sl_status check_config(const struct sl_study *study, struct sl_error *err)
{
    json_t *json = sl_study_json(study);
    char *text = json_dumps(json, JSON_INDENT(2));
    struct sl_study *again = NULL;
    enum sl_status status = text ? sl_study_parse(text, strlen(text), "study.json", &again, err)
                                 : sl_fail(err, SL_ERR_NOMEM, "not enough memory for study.json");
    sl_study_destroy(again);
    json_decref(json);
    free(text);
    return status;
}

static enum sl_status write_config(const struct sl_study *study, const char *folder,
                                   struct sl_error *err)
{
    json_t *json = sl_study_json(study);
    char *path = sl_path_join(folder, "study.json");
    enum sl_status status = sl_json_write(json, path, err);
    json_decref(json);
    free(path);
    return status;
}

/* ---- The items ---- */

/* Unlike sl_file_write this does not sync, which would be slow for thousands of images: the folder
 * gets its name only when all are written. */
static enum sl_status write_new(const char *path, const struct sl_buffer *bytes,
                                struct sl_error *err)
{
    FILE *file = fopen(path, "wbx");
    if (!file && errno == EEXIST)
        return sl_fail(err, SL_ERR_INPUT, "%s: two items would have this file; rename one", path);
    if (!file) return sl_fail_errno(err, "%s", path);
    bool written = fwrite(bytes->data, 1, bytes->length, file) == bytes->length;
    if (fclose(file) != 0 || !written) return sl_fail_errno(err, "%s", path);
    return SL_OK;
}

static enum sl_status image_bytes(const struct sl_setup_plan *plan,
                                  const struct sl_setup_item *item, struct sl_buffer *bytes,
                                  struct sl_error *err)
{
    struct sl_image image = {0};
    if (!item->source) {
        SL_TRY(sl_dataset_image(plan->set, item->index, &image, err));
        enum sl_status status = sl_image_encode_png(&image, bytes, err);
        sl_image_release(&image);
        return status;
    }
    SL_TRY(sl_file_read(item->source, bytes, err));
    /* A picture that cannot be decoded should fail here, not on an annotator's page. */
    struct sl_error problem = {0};
    const enum sl_status status =
        sl_image_decode(bytes->data, bytes->length, item->source, &image, &problem);
    sl_image_release(&image);
    if (status == SL_OK) return SL_OK;
    return sl_fail(err, status, "%s%s", problem.message,
                   plan->setup->images ? "; --skip-broken leaves it out" : "");
}

static enum sl_status copy_image(const struct sl_setup_plan *plan, const struct sl_setup_item *item,
                                 const char *folder, struct sl_error *err)
{
    char *path = sl_path_join(folder, item->target);
    struct sl_buffer bytes;
    sl_buffer_init(&bytes, SL_IMAGES_MAX_BYTES);
    enum sl_status status;
    char *slash = strrchr(path, '/');
    *slash = '\0';
    SL_TRY_OUT(sl_folder_create(path, err));
    *slash = '/';
    SL_TRY_OUT(image_bytes(plan, item, &bytes, err));
    SL_TRY_OUT(write_new(path, &bytes, err));
out:
    sl_buffer_release(&bytes);
    free(path);
    return status;
}

static enum sl_status copy_texts(const struct sl_setup_plan *plan, const char *folder,
                                 struct sl_error *err)
{
    struct sl_buffer bytes;
    char *path = sl_path_join(folder, plan->study->items_file);
    sl_buffer_init(&bytes, TEXT_BYTES);
    enum sl_status status = sl_file_read(plan->setup->texts, &bytes, err);
    if (status == SL_OK) status = sl_file_write(path, bytes.data, bytes.length, err);
    sl_buffer_release(&bytes);
    free(path);
    return status;
}

static bool *find_used(const struct sl_setup_plan *plan)
{
    bool *used = sl_alloc(plan->n_items, sizeof *used);
    for (size_t i = 0; i < plan->n_items; i++)
        used[i] = plan->items[i].check;
    for (size_t b = 0; b < plan->n_batches; b++)
        for (size_t i = 0; i < plan->batches[b].count; i++)
            used[plan->batches[b].items[i]] = true;
    return used;
}

static enum sl_status store_item(struct sl_store *store, const struct sl_setup_item *item,
                                 struct sl_error *err)
{
    char *content = json_dumps(item->content, JSON_COMPACT);
    const struct sl_store_item row = {.id = item->id,
                                      .content = content,
                                      .truth = item->truth,
                                      .entropy = item->entropy,
                                      .check = item->check};
    enum sl_status status = sl_store_add_item(store, &row, err);
    free(content);
    return status;
}

static enum sl_status store_batch(struct sl_store *store, const struct sl_setup_plan *plan,
                                  size_t number, struct sl_error *err)
{
    const struct sl_setup_batch *batch = &plan->batches[number];
    const char **names = sl_alloc(batch->count, sizeof *names);
    for (size_t i = 0; i < batch->count; i++)
        names[i] = plan->items[batch->items[i]].id;
    enum sl_status status =
        sl_store_add_batch(store, number, plan->study->annotators, names, batch->count, err);
    free(names);
    return status;
}

static enum sl_status fill_store(struct sl_store *store, const struct sl_setup_plan *plan,
                                 const bool *used, struct sl_error *err)
{
    SL_TRY(sl_store_begin(store, err));
    for (size_t i = 0; i < plan->n_items; i++)
        if (used[i]) SL_TRY(store_item(store, &plan->items[i], err));
    for (size_t b = 0; b < plan->n_batches; b++)
        SL_TRY(store_batch(store, plan, b, err));
    return sl_store_commit(store, err);
}

/* Binds the database and study.json to each other. */
static enum sl_status bind_store(struct sl_store *store, const struct sl_setup_plan *plan,
                                 const char *folder, struct sl_error *err)
{
    char id[SL_STUDY_ID_TEXT];
    SL_TRY(sl_identity_id(store, id, err));
    sl_study_set_text(&plan->study->id, id);
    sl_study_set_text(&plan->study->folder, folder);
    SL_TRY(sl_identity_bind(plan->study, store, err));
    return sl_identity_pictures(plan->study, store, true, err);
}

static enum sl_status write_items(const struct sl_setup_plan *plan, const char *folder,
                                  struct sl_error *err)
{
    struct sl_store *store = NULL;
    struct sl_store_options options = sl_store_options_default();
    char *database = sl_path_join(folder, SL_STUDY_DATABASE);
    char *items = sl_path_join(folder, plan->study->items_folder);
    bool *used = find_used(plan);
    uint8_t made[SL_STUDY_KEY];
    enum sl_status status = SL_OK;
    for (size_t i = 0; i < plan->n_items; i++)
        if (used[i] && plan->items[i].target)
            SL_TRY_OUT(copy_image(plan, &plan->items[i], items, err));
    if (*plan->study->items_file) SL_TRY_OUT(copy_texts(plan, folder, err));
    options.create = true;
    SL_TRY_OUT(sl_store_open(database, &options, &store, err));
    SL_TRY_OUT(fill_store(store, plan, used, err));
    SL_TRY_OUT(sl_secret_key(store, SL_STIMULI_KEY, made, err));
    SL_TRY_OUT(bind_store(store, plan, folder, err));
out:
    sl_store_close(store);
    free(database);
    free(items);
    free(used);
    return status;
}

/* Generated images come with their true distribution: simulated annotators believe it. */
static enum sl_status write_truth(const struct sl_setup_plan *plan, const char *folder,
                                  struct sl_error *err)
{
    const struct sl_dataset *set = plan->set;
    struct sl_rows *rows = NULL;
    if (!set || !set->truth || plan->study->n_classes != set->n_classes) return SL_OK;
    for (size_t k = 0; k < set->n_classes; k++)
        if (strcmp(set->classes[k], plan->study->classes[k]) != 0) return SL_OK;
    SL_TRY(sl_dataset_truth_rows(set, &rows, err));
    char *path = sl_path_join(folder, SL_STUDY_TRUTH_FILE);
    enum sl_status status = sl_rows_write(rows, "labels", path, err);
    free(path);
    sl_rows_destroy(rows);
    return status;
}

/* ---- The folder ---- */

static void remove_tree(const char *path)
{
    char **names = NULL;
    if (sl_folder_list(path, &names, NULL, NULL) == SL_OK) {
        for (char **name = names; *name; name++) {
            char *inner = sl_path_join(path, *name);
            /* A link is never followed: unlink removes the link itself. */
            if (unlink(inner) != 0) remove_tree(inner);
            free(inner);
        }
        sl_names_destroy(names);
    }
    (void)rmdir(path);
}

static enum sl_status write_folder(const struct sl_setup_plan *plan, const char *folder,
                                   struct sl_error *err)
{
    size_t tightened = 0;
    SL_TRY(sl_folder_create(folder, err));
    SL_TRY(sl_private_tighten(folder, &tightened, err));
    SL_TRY(write_items(plan, folder, err));
    SL_TRY(write_config(plan->study, folder, err));
    SL_TRY(sl_setup_write_texts(plan->study, plan->setup->contact, folder, err));
    SL_TRY(write_truth(plan, folder, err));
    return sl_private_tighten(folder, &tightened, err);
}

/* One line of text with a name and how to reach its owner. */
static enum sl_status check_contact(const char *contact, struct sl_error *err)
{
    if (!contact) return SL_OK;
    if (strspn(contact, " ") == strlen(contact))
        return sl_fail(err, SL_ERR_USAGE,
                       "--contact is empty: give a name and how to reach you, such as \"Ada "
                       "Lovelace, University of X, ada@x.org\"");
    if (strlen(contact) > MAX_CONTACT)
        return sl_fail(err, SL_ERR_USAGE, "--contact is longer than %d bytes", MAX_CONTACT);
    for (const char *c = contact; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            return sl_fail(err, SL_ERR_USAGE,
                           "--contact contains a control character; give one line, and write more "
                           "into consent.md");
    return SL_OK;
}

static enum sl_status check_setup(const struct sl_study_setup *setup, struct sl_error *err)
{
    static const char *const recruiters[] = {"open", "prolific", "generic"};
    size_t known = 0;
    while (known < 3 && strcmp(recruiters[known], setup->recruiter) != 0)
        known++;
    if (known == 3)
        return sl_fail(err, SL_ERR_USAGE,
                       "unknown recruiter \"%s\": expected open, prolific or generic",
                       setup->recruiter);
    if (setup->batch_size == 0 || setup->batch_size > 10000)
        return sl_fail(err, SL_ERR_USAGE, "a batch must have 1 to 10000 items");
    SL_TRY(check_contact(setup->contact, err));
    if (strcmp(setup->assignment, "fixed") != 0 && strcmp(setup->assignment, "adaptive") != 0)
        return sl_fail(err, SL_ERR_USAGE, "unknown assignment \"%s\": expected fixed or adaptive",
                       setup->assignment);
    if (setup->annotators == 0)
        return sl_fail(err, SL_ERR_USAGE, "a batch needs at least one annotator");
    if (sl_file_exists(setup->folder) || sl_folder_exists(setup->folder))
        return sl_fail(err, SL_ERR_INPUT, "%s exists already; give a new folder for the study",
                       setup->folder);
    return SL_OK;
}

/* Few items, or a batches file, may make batches smaller or larger than requested: study.json and
 * the texts give the actual size. */
static void fit_batches(struct sl_setup_plan *plan)
{
    struct sl_study *study = plan->study;
    size_t largest = 1;
    for (size_t b = 0; b < plan->n_batches; b++)
        if (plan->batches[b].count > largest) largest = plan->batches[b].count;
    study->batch_size = largest;
    if (study->repeats > largest) study->repeats = largest;
}

static void say_what_is_there(const struct sl_setup_plan *plan, const struct sl_log *log)
{
    bool *used = find_used(plan);
    size_t n_used = 0;
    for (size_t i = 0; i < plan->n_items; i++)
        n_used += used[i];
    sl_log(log, SL_LOG_INFO, "%s: %zu of %zu item%s in %zu batch%s", plan->setup->folder, n_used,
           plan->n_items, sl_text_plural(plan->n_items, "", "s"), plan->n_batches,
           sl_text_plural(plan->n_batches, "", "es"));
    free(used);
}

enum sl_status sl_study_init(const struct sl_study_setup *setup, const struct sl_log *log,
                             struct sl_error *err)
{
    SL_TRY(check_setup(setup, err));
    SL_TRY(sl_secret_init(err));
    struct sl_setup_plan plan = {.setup = setup, .log = log, .study = sl_study_create()};
    char *part = sl_string_printf("%s.part-%ld", setup->folder, (long)getpid());
    enum sl_status status;
    SL_TRY_OUT(sl_setup_gather(&plan, err));
    SL_TRY_OUT(configure(&plan, err));
    SL_TRY_OUT(sl_setup_allocate(&plan, err));
    fit_batches(&plan);
    SL_TRY_OUT(check_config(plan.study, err));
    status = write_folder(&plan, part, err);
    if (status == SL_OK && rename(part, setup->folder) != 0)
        status = sl_fail_errno(err, "%s", setup->folder);
    if (status != SL_OK)
        remove_tree(part);
    else
        say_what_is_there(&plan, log);
out:
    free(part);
    sl_setup_plan_release(&plan);
    return status;
}
