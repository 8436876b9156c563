/* Pictures and texts that people cannot judge, or would judge twice. */
#include <stdlib.h>
#include <string.h>

#include "softlab/base/file.h"
#include "softlab/base/hash.h"
#include "softlab/base/memory.h"
#include "softlab/base/names.h"
#include "softlab/base/text.h"
#include "softlab/dataset/image.h"
#include "study/check/check.h"
#include "study/session/images.h"

/* Pixels of a side, pixels in all, bytes sent: larger pictures make browsers and servers slow. */
enum { TINY = 16, HUGE_PIXELS = 24 << 20, SENT_BYTES = 2 << 20 };
enum { LONG_TEXT = 2000 };       /* characters: two minutes to read, more than a page */
static const double EXTREME = 4; /* the longer side by the shorter one */

/* ---- Pictures ---- */

struct pictures {
    struct sl_checking *checking;
    struct sl_name_table *hashes; /* numbered in order of appearance */
    const char **first;           /* borrowed; the first item with the hash */
    size_t n_turned;
    const char *turned; /* borrowed; the first rotated picture */
};

static char *picture_path(const struct sl_checking *checking, const char *image)
{
    char *folder = sl_path_join(checking->study->folder, checking->study->items_folder);
    char *path = sl_path_join(folder, image);
    free(folder);
    return path;
}

static bool is_one_colour(const struct sl_image *image)
{
    const size_t count = image->height * image->width * image->channels;
    for (size_t i = image->channels; i < count; i++)
        if (image->pixels[i] != image->pixels[i % image->channels]) return false;
    return true;
}

static void note_pixels(struct sl_checking *checking, const char *path,
                        const struct sl_image *image)
{
    const size_t longer = image->height > image->width ? image->height : image->width;
    const size_t shorter = image->height > image->width ? image->width : image->height;
    if (shorter < TINY)
        sl_check_note(checking, SL_FINDING_WARNING, sl_string_copy(path),
                      "use a larger picture, or leave it out",
                      "the picture is %zu x %zu pixels, which is too small to be recognised",
                      image->width, image->height);
    else if (image->height * image->width > HUGE_PIXELS)
        sl_check_note(checking, SL_FINDING_WARNING, sl_string_copy(path),
                      "make it smaller: the page shows it a few hundred pixels wide",
                      "the picture is %zu x %zu pixels, which takes the server long to prepare",
                      image->width, image->height);
    if ((double)longer > EXTREME * (double)shorter)
        sl_check_note(checking, SL_FINDING_WARNING, sl_string_copy(path), "crop it to what matters",
                      "the picture is %zu x %zu pixels: shown whole, its short side is %.0f pixels",
                      image->width, image->height,
                      (double)checking->study->size * (double)shorter / (double)longer);
    if (is_one_colour(image))
        sl_check_note(checking, SL_FINDING_WARNING, sl_string_copy(path),
                      "replace it or leave it out", "the picture has a single colour");
}

/* Two items with the same picture get two labels. */
static void note_twin(struct pictures *pictures, const char *id, const char *path,
                      const struct sl_buffer *bytes)
{
    char hash[SL_SHA256_TEXT];
    uint32_t number = 0;
    const size_t before = sl_name_table_count(pictures->hashes);
    sl_sha256(bytes->data, bytes->length, hash);
    if (sl_name_table_add(pictures->hashes, hash, strlen(hash), &number, NULL) != SL_OK) return;
    if (number == before)
        pictures->first[number] = id;
    else
        sl_check_note(pictures->checking, SL_FINDING_WARNING, sl_string_copy(path),
                      "leave one of them out", "the picture is the same as that of item \"%s\"",
                      pictures->first[number]);
}

static void look_at(struct pictures *pictures, const struct sl_check_item *item, const char *image)
{
    struct sl_checking *checking = pictures->checking;
    struct sl_image decoded = {0};
    struct sl_buffer bytes;
    struct sl_error err;
    char *path = picture_path(checking, image);
    sl_buffer_init_data(&bytes, SL_IMAGES_MAX_BYTES);
    enum sl_status status = sl_file_read(path, &bytes, &err);
    if (status == SL_OK) status = sl_image_decode(bytes.data, bytes.length, image, &decoded, &err);
    if (status != SL_OK) {
        sl_check_note(checking, SL_FINDING_ERROR, sl_string_copy(path),
                      "put a PNG or JPEG in its place", "the picture cannot be shown: %s",
                      err.message);
    } else {
        note_pixels(checking, path, &decoded);
        note_twin(pictures, item->id, path, &bytes);
        if (strcmp(checking->study->upsample, "none") == 0 && bytes.length > SENT_BYTES)
            sl_check_note(checking, SL_FINDING_WARNING, sl_string_copy(path),
                          "make the file smaller, or set items.upsample to \"lanczos\"",
                          "the file has %.1f MB and is sent unchanged, since items.upsample is "
                          "\"none\"",
                          (double)bytes.length / 1e6);
        if (sl_image_orientation(bytes.data, bytes.length) != 1 && pictures->n_turned++ == 0)
            pictures->turned = image;
    }
    sl_image_release(&decoded);
    sl_buffer_release(&bytes);
    free(path);
}

static void note_turned(const struct pictures *pictures)
{
    if (pictures->n_turned == 0) return;
    sl_check_note(pictures->checking, SL_FINDING_WARNING,
                  picture_path(pictures->checking, pictures->turned),
                  "look at it with the test link, and rotate the file itself if it is not upright",
                  "the EXIF data of the file say that the picture is rotated%s: people see it "
                  "rotated accordingly",
                  pictures->n_turned == 1 ? "" : ", as do others");
}

void sl_check_pictures(struct sl_checking *checking)
{
    if (!checking->how->pictures) return;
    struct pictures pictures = {
        .checking = checking,
        .hashes = sl_name_table_create(),
        .first = sl_alloc(checking->n_items + 1, sizeof(char *)),
    };
    for (size_t i = 0; i < checking->n_items; i++) {
        const struct sl_check_item *item = &checking->items[i];
        const char *image = json_string_value(json_object_get(item->content, "image"));
        if (image) look_at(&pictures, item, image);
    }
    note_turned(&pictures);
    sl_name_table_destroy(pictures.hashes);
    free(pictures.first);
}

/* ---- Texts ---- */

static size_t count_letters(const char *text)
{
    size_t count = 0;
    for (const char *c = text; *c; c++)
        count += ((unsigned char)*c & 0xc0) != 0x80;
    return count;
}

static char *item_place(const struct sl_check_item *item)
{
    return sl_string_printf("item \"%s\"", item->id);
}

/* The same text with a different part marked is a different question. */
static char *question_of(const struct sl_check_item *item, const char *text)
{
    char *span = json_dumps(json_object_get(item->content, "span"), JSON_ENCODE_ANY | JSON_COMPACT);
    char *question = sl_string_printf("%s %s", span ? span : "", text);
    free(span);
    return question;
}

static void look_at_text(struct sl_checking *checking, const struct sl_check_item *item,
                         const char *text, struct sl_name_table *seen, const char **first)
{
    uint32_t number = 0;
    const size_t before = sl_name_table_count(seen), letters = count_letters(text);
    if (sl_text_is_blank(text, strlen(text))) {
        sl_check_note(checking, SL_FINDING_ERROR, item_place(item),
                      "leave it out and re-create the study", "the text is empty");
        return;
    }
    if (letters > LONG_TEXT)
        sl_check_note(checking, SL_FINDING_WARNING, item_place(item),
                      "shorten it, or give people more time",
                      "the text has %zu characters, longer than a page", letters);
    char *question = question_of(item, text);
    if (sl_name_table_add(seen, question, strlen(question), &number, NULL) == SL_OK) {
        if (number == before)
            first[number] = item->id;
        else
            sl_check_note(checking, SL_FINDING_WARNING, item_place(item), "leave one of them out",
                          "the text is the same as that of item \"%s\"", first[number]);
    }
    free(question);
}

void sl_check_text_items(struct sl_checking *checking)
{
    struct sl_name_table *seen = sl_name_table_create();
    const char **first = sl_alloc(checking->n_items + 1, sizeof *first);
    for (size_t i = 0; i < checking->n_items; i++) {
        const struct sl_check_item *item = &checking->items[i];
        const char *text = json_string_value(json_object_get(item->content, "text"));
        if (text) look_at_text(checking, item, text, seen, first);
    }
    sl_name_table_destroy(seen);
    free(first);
}
