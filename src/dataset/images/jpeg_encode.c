/* JPEG in memory with the settings Pillow saves with: the quality alone, so baseline, the tables
 * of libjpeg and, for colours, 4:2:0. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <jpeglib.h>

#include "dataset/images/codec.h"

struct encode_job {
    struct jpeg_compress_struct jpeg;
    struct jpeg_error_mgr errors;
    jmp_buf jump;
    struct sl_error *err; /* borrowed */
    enum sl_status status;
    unsigned char *bytes; /* owned; libjpeg's malloc */
    unsigned long length;
};

static void on_error(j_common_ptr common)
{
    struct encode_job *job = common->client_data;
    char message[JMSG_LENGTH_MAX];
    common->err->format_message(common, message);
    job->status = sl_fail(job->err, SL_ERR_BACKEND, "cannot write JPEG: %s", message);
    longjmp(job->jump, 1);
}

static void print_nothing(j_common_ptr common)
{
    (void)common;
}

static void run(struct encode_job *job, const struct sl_image *image, int quality)
{
    struct jpeg_compress_struct *jpeg = &job->jpeg;
    if (setjmp(job->jump) != 0) return;
    jpeg_create_compress(jpeg);
    jpeg_mem_dest(jpeg, &job->bytes, &job->length);
    jpeg->image_height = (JDIMENSION)image->height;
    jpeg->image_width = (JDIMENSION)image->width;
    jpeg->input_components = (int)image->channels;
    jpeg->in_color_space = image->channels == 3 ? JCS_RGB : JCS_GRAYSCALE;
    jpeg_set_defaults(jpeg);
    jpeg_set_quality(jpeg, quality, TRUE);
    jpeg_start_compress(jpeg, TRUE);
    while (jpeg->next_scanline < jpeg->image_height) {
        JSAMPROW row = image->pixels + jpeg->next_scanline * image->width * image->channels;
        jpeg_write_scanlines(jpeg, &row, 1);
    }
    jpeg_finish_compress(jpeg);
}

enum sl_status sl_jpeg_encode(const struct sl_image *image, int quality, unsigned char **bytes,
                              size_t *length, struct sl_error *err)
{
    struct encode_job job = {.err = err};
    job.jpeg.err = jpeg_std_error(&job.errors);
    job.errors.error_exit = on_error;
    job.errors.output_message = print_nothing;
    job.jpeg.client_data = &job;
    run(&job, image, quality);
    jpeg_destroy_compress(&job.jpeg);
    if (job.status != SL_OK) {
        free(job.bytes);
        return job.status;
    }
    *bytes = job.bytes;
    *length = job.length;
    return SL_OK;
}
