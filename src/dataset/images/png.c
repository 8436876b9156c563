/* PNG by libpng. libpng reports errors by longjmp, so a function that calls setjmp gets a struct
 * png_job that holds everything owned and has no changing local variable: after a jump everything
 * is consistent. */
#include <png.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "dataset/images/codec.h"
#include "softlab/base/file.h"
#include "softlab/base/memory.h"
#include "softlab/base/text.h"

/* No text or profile of a real image comes near these limits. */
enum { MOST_CHUNK_BYTES = 8 << 20, MOST_CHUNKS = 128 };

/* Deflate cannot make more than 1032 bytes out of one. */
enum { MOST_EXPANSION = 1032 };

enum { QUICK_COMPRESSION = 3 };

struct png_job {
    png_structp png;
    png_infop info;
    struct sl_stream *stream; /* borrowed; when reading */
    struct sl_writer *writer; /* borrowed; when writing to a file */
    struct sl_buffer *buffer; /* borrowed; when writing to memory */
    const char *name;         /* borrowed */
    struct sl_error *err;     /* borrowed */
    enum sl_status status;    /* the first thing that went wrong */
    struct sl_image image;    /* owned; what is being decoded */
    uint8_t *raw;             /* owned; pixels that still have alpha, or one row */
};

static void on_error(png_structp png, png_const_charp message)
{
    struct png_job *job = png_get_error_ptr(png);
    if (job->status == SL_OK && job->stream)
        job->status = sl_fail(job->err, SL_ERR_INPUT, "%s: PNG broken before byte %llu: %s",
                              job->name, (unsigned long long)job->stream->offset, message);
    else if (job->status == SL_OK)
        job->status = sl_fail(job->err, SL_ERR_BACKEND, "%s: libpng: %s", job->name, message);
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp message)
{
    (void)png;
    (void)message;
}

static void read_bytes(png_structp png, png_bytep out, size_t length)
{
    struct png_job *job = png_get_io_ptr(png);
    job->status = sl_stream_need(job->stream, out, length, job->err);
    if (job->status != SL_OK) png_error(png, "read");
}

static void write_bytes(png_structp png, png_bytep bytes, size_t length)
{
    struct png_job *job = png_get_io_ptr(png);
    if (job->writer)
        job->status = sl_writer_write(job->writer, bytes, length, job->err);
    else
        sl_buffer_append(job->buffer, bytes, length);
    if (job->status != SL_OK) png_error(png, "write");
}

static void flush_nothing(png_structp png)
{
    (void)png;
}

static enum sl_status begin_reading(struct png_job *job, struct sl_stream *stream,
                                    struct sl_error *err)
{
    *job = (struct png_job){.stream = stream, .name = stream->name, .err = err};
    job->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, job, on_error, on_warning);
    if (job->png) job->info = png_create_info_struct(job->png);
    if (!job->info) {
        png_destroy_read_struct(&job->png, NULL, NULL);
        return sl_fail(err, SL_ERR_NOMEM, "%s: libpng has no memory", job->name);
    }
    png_set_read_fn(job->png, job, read_bytes);
    png_set_user_limits(job->png, SL_IMAGE_MAX_PIXELS, SL_IMAGE_MAX_PIXELS);
    png_set_chunk_malloc_max(job->png, MOST_CHUNK_BYTES);
    png_set_chunk_cache_max(job->png, MOST_CHUNKS);
    /* Ignore all chunks except the picture itself: compressed texts and profiles would be unpacked
     * and kept. */
    png_set_keep_unknown_chunks(job->png, PNG_HANDLE_CHUNK_NEVER, NULL, -1);
    png_set_crc_action(job->png, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
    return SL_OK;
}

static void end_reading(struct png_job *job)
{
    png_destroy_read_struct(&job->png, &job->info, NULL);
    sl_image_release(&job->image);
    free(job->raw);
}

/* White behind `n_pixels` pixels of `channels` colours and one alpha. */
static void lay_over_white(const uint8_t *from, size_t n_pixels, size_t channels, uint8_t *to)
{
    for (size_t i = 0; i < n_pixels; i++, from += channels + 1, to += channels) {
        unsigned alpha = from[channels];
        for (size_t c = 0; c < channels; c++)
            to[c] = (uint8_t)((from[c] * alpha + 255 * (255 - alpha) + 127) / 255);
    }
}

/* Read the header and tell libpng which pixel format to produce. */
static enum sl_status read_header(struct png_job *job)
{
    png_read_info(job->png, job->info);
    SL_TRY(sl_image_check_size(png_get_image_height(job->png, job->info),
                               png_get_image_width(job->png, job->info), job->name, job->err));
    const uint64_t rows =
        (uint64_t)png_get_rowbytes(job->png, job->info) * png_get_image_height(job->png, job->info);
    if (rows / MOST_EXPANSION > job->stream->at_most)
        return sl_fail(job->err, SL_ERR_INPUT,
                       "%s: states %zu x %zu pixels, more than a file of %llu bytes can hold",
                       job->name, (size_t)png_get_image_width(job->png, job->info),
                       (size_t)png_get_image_height(job->png, job->info),
                       (unsigned long long)job->stream->at_most);
    png_set_expand(job->png);
    png_set_scale_16(job->png);
    return SL_OK;
}

static enum sl_status read_pixels(struct png_job *job)
{
    int n_passes = png_set_interlace_handling(job->png);
    png_read_update_info(job->png, job->info);
    size_t height = png_get_image_height(job->png, job->info);
    size_t width = png_get_image_width(job->png, job->info);
    size_t row_bytes = png_get_rowbytes(job->png, job->info);
    size_t stored = png_get_channels(job->png, job->info);
    size_t channels = stored < 3 ? 1 : 3;
    SL_TRY(sl_image_create(height, width, channels, &job->image, job->err));
    uint8_t *pixels = job->image.pixels;
    if (stored != channels) {
        pixels = job->raw = sl_data_alloc(height, row_bytes, job->err);
        if (!pixels) return SL_ERR_NOMEM;
    }
    for (int pass = 0; pass < n_passes; pass++)
        for (size_t row = 0; row < height; row++)
            png_read_row(job->png, pixels + row * row_bytes, NULL);
    png_read_end(job->png, NULL);
    if (job->raw) lay_over_white(job->raw, height * width, channels, job->image.pixels);
    return SL_OK;
}

static void decode(struct png_job *job)
{
    if (setjmp(png_jmpbuf(job->png)) != 0) return;
    job->status = read_header(job);
    if (job->status == SL_OK) job->status = read_pixels(job);
}

enum sl_status sl_png_decode(const void *bytes, size_t length, const char *name,
                             struct sl_image *out, struct sl_error *err)
{
    struct sl_memory_stream memory;
    sl_memory_stream_init(&memory, bytes, length, name);
    struct png_job job;
    SL_TRY(begin_reading(&job, &memory.stream, err));
    decode(&job);
    if (job.status == SL_OK) {
        *out = job.image;
        job.image = (struct sl_image){0};
    }
    end_reading(&job);
    return job.status;
}

static enum sl_status check_rows(struct png_job *job, size_t width, size_t height)
{
    size_t found_width = png_get_image_width(job->png, job->info);
    size_t found_height = png_get_image_height(job->png, job->info);
    if (found_width != width || found_height != height)
        return sl_fail(job->err, SL_ERR_INPUT, "%s: expected %zu x %zu pixels, found %zu x %zu",
                       job->name, width, height, found_width, found_height);
    if (png_get_color_type(job->png, job->info) != PNG_COLOR_TYPE_RGB ||
        png_get_bit_depth(job->png, job->info) != 8 ||
        png_get_interlace_type(job->png, job->info) != PNG_INTERLACE_NONE)
        return sl_fail(job->err, SL_ERR_INPUT, "%s: expected an 8-bit RGB PNG without interlacing",
                       job->name);
    return SL_OK;
}

static enum sl_status take_rows(struct png_job *job, size_t height, sl_row_taker *take,
                                void *context)
{
    job->raw = sl_data_alloc(png_get_rowbytes(job->png, job->info), 1, job->err);
    if (!job->raw) return SL_ERR_NOMEM;
    for (size_t row = 0; row < height; row++) {
        png_read_row(job->png, job->raw, NULL);
        SL_TRY(take(context, row, job->raw, job->err));
    }
    png_read_end(job->png, NULL);
    return SL_OK;
}

static void pass_rows(struct png_job *job, size_t width, size_t height, sl_row_taker *take,
                      void *context)
{
    if (setjmp(png_jmpbuf(job->png)) != 0) return;
    png_read_info(job->png, job->info);
    job->status = check_rows(job, width, height);
    if (job->status == SL_OK) job->status = take_rows(job, height, take, context);
}

enum sl_status sl_png_read_rows(struct sl_stream *stream, size_t width, size_t height,
                                sl_row_taker *take, void *context, struct sl_error *err)
{
    struct png_job job;
    SL_TRY(begin_reading(&job, stream, err));
    pass_rows(&job, width, height, take, context);
    end_reading(&job);
    return job.status;
}

/* tEXt holds Latin-1, iTXt UTF-8; for ASCII they agree and more programs show tEXt. */
static void set_note(struct png_job *job, const char *note)
{
    int compression = PNG_TEXT_COMPRESSION_NONE;
    for (const char *c = note; *c; c++)
        if ((unsigned char)*c >= 0x80) compression = PNG_ITXT_COMPRESSION_NONE;
    char key[] = "Description";
    char *copy = sl_string_copy(note);
    png_text text = {.compression = compression, .key = key, .text = copy};
    png_set_text(job->png, job->info, &text, 1);
    free(copy);
}

static void write_image(struct png_job *job, const struct sl_image *image, const char *note)
{
    if (setjmp(png_jmpbuf(job->png)) != 0) return;
    if (note) set_note(job, note);
    png_set_IHDR(job->png, job->info, (png_uint_32)image->width, (png_uint_32)image->height, 8,
                 image->channels == 3 ? PNG_COLOR_TYPE_RGB : PNG_COLOR_TYPE_GRAY,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(job->png, job->info);
    for (size_t row = 0; row < image->height; row++)
        png_write_row(job->png, image->pixels + row * image->width * image->channels);
    png_write_end(job->png, job->info);
}

/* `job` says where to. */
static enum sl_status encode(struct png_job *job, const struct sl_image *image, const char *note)
{
    job->png = png_create_write_struct(PNG_LIBPNG_VER_STRING, job, on_error, on_warning);
    if (job->png) job->info = png_create_info_struct(job->png);
    if (!job->info) {
        png_destroy_write_struct(&job->png, NULL);
        return sl_fail(job->err, SL_ERR_NOMEM, "%s: libpng has no memory", job->name);
    }
    png_set_write_fn(job->png, job, write_bytes, flush_nothing);
    if (job->buffer) png_set_compression_level(job->png, QUICK_COMPRESSION);
    write_image(job, image, note);
    png_destroy_write_struct(&job->png, &job->info);
    return job->status;
}

enum sl_status sl_image_encode_png(const struct sl_image *image, struct sl_buffer *out,
                                   struct sl_error *err)
{
    struct png_job job = {.buffer = out, .name = "PNG", .err = err};
    SL_TRY(encode(&job, image, NULL));
    return sl_buffer_check(out, "the PNG", err);
}

enum sl_status sl_image_encode_base64(const struct sl_image *image, struct sl_buffer *out,
                                      struct sl_error *err)
{
    struct sl_buffer png;
    sl_buffer_init_data(&png, (size_t)1 << 28);
    enum sl_status status = sl_image_encode_png(image, &png, err);
    if (status == SL_OK) {
        sl_base64_append(out, png.data, png.length);
        status = sl_buffer_check(out, "the PNG", err);
    }
    sl_buffer_release(&png);
    return status;
}

enum sl_status sl_image_write_png(const struct sl_image *image, const char *note, const char *path,
                                  struct sl_error *err)
{
    struct sl_writer writer;
    SL_TRY(sl_writer_open(&writer, path, err));
    struct png_job job = {.writer = &writer, .name = path, .err = err};
    enum sl_status status = encode(&job, image, note);
    if (status == SL_OK) status = sl_writer_commit(&writer, err);
    sl_writer_discard(&writer);
    return status;
}
