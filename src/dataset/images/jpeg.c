/* JPEG by libjpeg-turbo. As with libpng, errors arrive by longjmp, so the function that calls
 * setjmp keeps everything in a struct from its caller. Pixels are returned as stored; image.c turns
 * them upright. */
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include <jerror.h>
#include <jpeglib.h>

#include "dataset/images/codec.h"

/* A progressive file may repeat its scans without end, each as costly as the image. */
enum { MOST_SCANS = 200 };

struct jpeg_job {
    struct jpeg_decompress_struct jpeg;
    struct jpeg_error_mgr errors;
    struct jpeg_progress_mgr progress;
    jmp_buf jump;
    const char *name;      /* borrowed */
    struct sl_error *err;  /* borrowed */
    enum sl_status status; /* the first thing that went wrong */
    struct sl_image image; /* owned */
};

static void on_error(j_common_ptr common)
{
    struct jpeg_job *job = common->client_data;
    char message[JMSG_LENGTH_MAX];
    common->err->format_message(common, message);
    job->status = sl_fail(job->err, SL_ERR_INPUT, "%s: JPEG broken: %s", job->name, message);
    longjmp(job->jump, 1);
}

/* libjpeg fills missing data with grey and only warns. An incomplete picture must not pass for a
 * whole one, so that warning is an error; other warnings leave the pixels intact. */
static void on_message(j_common_ptr common, int level)
{
    int code = common->err->msg_code;
    if (level < 0 && (code == JWRN_JPEG_EOF || code == JWRN_HIT_MARKER)) on_error(common);
}

static void print_nothing(j_common_ptr common)
{
    (void)common;
}

static void on_progress(j_common_ptr common)
{
    struct jpeg_job *job = common->client_data;
    if (job->jpeg.input_scan_number <= MOST_SCANS) return;
    job->status =
        sl_fail(job->err, SL_ERR_INPUT, "%s: JPEG with more than %d scans", job->name, MOST_SCANS);
    longjmp(job->jump, 1);
}

static enum sl_status choose_colours(struct jpeg_job *job, size_t *channels)
{
    switch (job->jpeg.jpeg_color_space) {
    case JCS_GRAYSCALE:
        job->jpeg.out_color_space = JCS_GRAYSCALE;
        *channels = 1;
        return SL_OK;
    case JCS_YCbCr:
    case JCS_RGB:
        job->jpeg.out_color_space = JCS_RGB;
        *channels = 3;
        return SL_OK;
    case JCS_CMYK:
    case JCS_YCCK:
        return sl_fail(job->err, SL_ERR_INPUT, "%s: a CMYK JPEG; convert it to RGB", job->name);
    default:
        return sl_fail(job->err, SL_ERR_INPUT, "%s: a JPEG with %d components, expected 1 or 3",
                       job->name, job->jpeg.num_components);
    }
}

static enum sl_status decode(struct jpeg_job *job, const void *bytes, size_t length)
{
    struct jpeg_decompress_struct *jpeg = &job->jpeg;
    jpeg_mem_src(jpeg, bytes, (unsigned long)length);
    jpeg_read_header(jpeg, TRUE);
    size_t channels = 0;
    SL_TRY(choose_colours(job, &channels));
    SL_TRY(sl_image_check_size(jpeg->image_height, jpeg->image_width, job->name, job->err));
    jpeg_start_decompress(jpeg);
    SL_TRY(
        sl_image_create(jpeg->output_height, jpeg->output_width, channels, &job->image, job->err));
    size_t row_bytes = job->image.width * channels;
    while (jpeg->output_scanline < jpeg->output_height) {
        JSAMPROW row = job->image.pixels + jpeg->output_scanline * row_bytes;
        jpeg_read_scanlines(jpeg, &row, 1);
    }
    jpeg_finish_decompress(jpeg);
    return SL_OK;
}

static void run(struct jpeg_job *job, const void *bytes, size_t length)
{
    if (setjmp(job->jump) != 0) return;
    jpeg_create_decompress(&job->jpeg);
    job->jpeg.progress = &job->progress;
    job->status = decode(job, bytes, length);
}

enum sl_status sl_jpeg_decode(const void *bytes, size_t length, const char *name,
                              struct sl_image *out, struct sl_error *err)
{
    struct jpeg_job job = {.name = name, .err = err};
    job.jpeg.err = jpeg_std_error(&job.errors);
    job.errors.error_exit = on_error;
    job.errors.emit_message = on_message;
    job.errors.output_message = print_nothing;
    job.progress.progress_monitor = on_progress;
    job.jpeg.client_data = &job;
    run(&job, bytes, length);
    jpeg_destroy_decompress(&job.jpeg);
    if (job.status == SL_OK)
        *out = job.image;
    else
        sl_image_release(&job.image);
    return job.status;
}
