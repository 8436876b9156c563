/* The only user of the network: downloads, by libcurl.
 *
 * A download is one GET that begins where the file on disk ends. The server's status decides: 206
 * continues, 200 starts over (the server has no ranges), 416 says that nothing is missing. Only the
 * caller can tell whether the bytes are right. */
#include <curl/curl.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "dataset/fetch/internal.h"
#include "softlab/base/system.h"
#include "softlab/base/text.h"

enum { SLOW_BYTES_PER_SECOND = 1000, REDIRECTS = 8, RECEIVE_BUFFER = 256 * 1024 };

struct transfer {
    const struct sl_download *download;
    CURL *curl;
    int descriptor;
    uint64_t length; /* of the part file now */
    uint64_t asked;  /* where the request began */
    uint64_t limit;  /* maximum length */
    bool started;    /* the body was accepted */
    bool useless;    /* the part file cannot be completed and is deleted */
    bool has_range;  /* Content-Range of this response */
    uint64_t range_begin, range_total;
    struct sl_error error; /* why a callback stopped the transfer; SL_OK if none did */
};

/* "bytes 100-199/200" and "bytes <star>/200"; false for anything else. */
static bool parse_content_range(const char *text, size_t length, uint64_t *begin, uint64_t *total)
{
    const char *end = text + length;
    while (text < end && *text == ' ')
        text++;
    while (end > text && (end[-1] == '\r' || end[-1] == '\n' || end[-1] == ' '))
        end--;
    if (end - text < 6 || strncasecmp(text, "bytes ", 6) != 0) return false;
    text += 6;
    const char *slash = memchr(text, '/', (size_t)(end - text));
    int64_t first = 0, whole = 0;
    if (!slash || !sl_text_to_integer(slash + 1, (size_t)(end - slash - 1), &whole)) return false;
    const char *dash = memchr(text, '-', (size_t)(slash - text));
    if (dash && !sl_text_to_integer(text, (size_t)(dash - text), &first)) return false;
    if (first < 0 || whole < 0) return false;
    *begin = (uint64_t)first;
    *total = (uint64_t)whole;
    return true;
}

static size_t on_header(char *line, size_t size, size_t count, void *context)
{
    static const char name[] = "Content-Range:";
    struct transfer *transfer = context;
    size_t length = size * count;
    if (length >= 5 && memcmp(line, "HTTP/", 5) == 0)
        transfer->has_range = false; /* headers of a redirect do not count */
    else if (length > sizeof name - 1 && strncasecmp(line, name, sizeof name - 1) == 0)
        transfer->has_range =
            parse_content_range(line + sizeof name - 1, length - (sizeof name - 1),
                                &transfer->range_begin, &transfer->range_total);
    return length;
}

/* Prepare for the body, once its status is known. */
static enum sl_status begin_body(struct transfer *transfer, long http_status)
{
    const struct sl_download *download = transfer->download;
    struct sl_error *err = &transfer->error;
    if (http_status == 206 && !(transfer->has_range && transfer->range_begin == transfer->asked))
        return sl_fail(err, SL_ERR_BACKEND,
                       "%s: asked for the bytes from %llu on, the server sent %s", download->url,
                       (unsigned long long)transfer->asked,
                       transfer->has_range ? "other bytes" : "a range without a position");
    if (http_status == 200 && transfer->length > 0) {
        sl_log(download->log, SL_LOG_INFO, "%s: the server cannot resume a download, starting over",
               download->label);
        if (ftruncate(transfer->descriptor, 0) != 0)
            return sl_fail_errno(err, "%s", download->part);
        transfer->length = 0;
    }
    curl_off_t rest = -1;
    curl_easy_getinfo(transfer->curl, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &rest);
    uint64_t total = download->bytes;
    if (total == 0 && rest > 0) total = transfer->length + (uint64_t)rest;
    sl_progress_start(download->progress, download->label, total, "B");
    sl_progress_set(download->progress, transfer->length);
    transfer->started = true;
    return SL_OK;
}

static enum sl_status append(struct transfer *transfer, const char *bytes, size_t length)
{
    const struct sl_download *download = transfer->download;
    if (length > transfer->limit - transfer->length) {
        transfer->useless = true;
        return sl_fail(&transfer->error, SL_ERR_INPUT,
                       "%s: the file is longer than the %s %llu bytes", download->url,
                       download->bytes ? "expected" : "allowed",
                       (unsigned long long)transfer->limit);
    }
    for (size_t done = 0; done < length;) {
        ssize_t written = pwrite(transfer->descriptor, bytes + done, length - done,
                                 (off_t)(transfer->length + done));
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return sl_fail_errno(&transfer->error, "%s", download->part);
        done += (size_t)written;
    }
    transfer->length += length;
    sl_progress_set(download->progress, transfer->length);
    return SL_OK;
}

/* Returning less than the given size makes libcurl stop. */
static size_t on_body(char *bytes, size_t size, size_t count, void *context)
{
    struct transfer *transfer = context;
    size_t length = size * count;
    long http_status = 0;
    curl_easy_getinfo(transfer->curl, CURLINFO_RESPONSE_CODE, &http_status);
    if (http_status != 200 && http_status != 206) return length; /* an error page */
    if (!transfer->started && begin_body(transfer, http_status) != SL_OK) return 0;
    return append(transfer, bytes, length) == SL_OK ? length : 0;
}

static CURLcode set_options(struct transfer *transfer, const char *agent, const char *range,
                            char *message)
{
    const struct sl_download *download = transfer->download;
    CURL *curl = transfer->curl;
    CURLcode code = CURLE_OK;
#define SET(option, value)                                                                         \
    if (code == CURLE_OK) code = curl_easy_setopt(curl, option, value)
    SET(CURLOPT_ERRORBUFFER, message);
    SET(CURLOPT_URL, download->url);
    SET(CURLOPT_USERAGENT, agent);
    SET(CURLOPT_PROTOCOLS_STR, download->protocols);
    SET(CURLOPT_REDIR_PROTOCOLS_STR, download->redirect_protocols);
    SET(CURLOPT_FOLLOWLOCATION, 1L);
    SET(CURLOPT_MAXREDIRS, (long)REDIRECTS);
    SET(CURLOPT_CONNECTTIMEOUT, download->limits.connect_seconds);
    SET(CURLOPT_LOW_SPEED_LIMIT, (long)SLOW_BYTES_PER_SECOND);
    SET(CURLOPT_LOW_SPEED_TIME, download->limits.stall_seconds);
    SET(CURLOPT_NOSIGNAL, 1L); /* keep libcurl from installing signal handlers */
    SET(CURLOPT_BUFFERSIZE, (long)RECEIVE_BUFFER);
    SET(CURLOPT_HEADERFUNCTION, on_header);
    SET(CURLOPT_HEADERDATA, transfer);
    SET(CURLOPT_WRITEFUNCTION, on_body);
    SET(CURLOPT_WRITEDATA, transfer);
    /* CURLOPT_RESUME_FROM would make libcurl refuse the 200 of servers without ranges. */
    if (transfer->asked > 0) SET(CURLOPT_RANGE, range);
#undef SET
    return code;
}

/* Judge the result once the connection is closed. */
static enum sl_status judge(struct transfer *transfer, CURLcode code, const char *message,
                            struct sl_error *err)
{
    const struct sl_download *download = transfer->download;
    if (transfer->error.code != SL_OK)
        return sl_fail(err, transfer->error.code, "%s", transfer->error.message);
    if (code != CURLE_OK)
        return sl_fail(err, SL_ERR_BACKEND, "%s: %s%s", download->url,
                       *message ? message : curl_easy_strerror(code),
                       transfer->length ? "; run it again to resume the download" : "");
    long http_status = 0;
    curl_easy_getinfo(transfer->curl, CURLINFO_RESPONSE_CODE, &http_status);
    bool complete = http_status == 416 && transfer->has_range && transfer->asked > 0 &&
                    transfer->range_total == transfer->asked;
    if (complete) return SL_OK;
    if (http_status == 416) transfer->useless = true;
    if (http_status != 200 && http_status != 206)
        return sl_fail(err,
                       http_status == 404 || http_status == 410 ? SL_ERR_NOT_FOUND : SL_ERR_BACKEND,
                       "%s: HTTP status %ld", download->url, http_status);
    if (!transfer->started && begin_body(transfer, http_status) != SL_OK)
        return sl_fail(err, transfer->error.code, "%s", transfer->error.message);
    if (transfer->length < download->bytes)
        return sl_fail(err, SL_ERR_BACKEND,
                       "%s: the download ended at byte %llu of %llu; run it again to resume",
                       download->url, (unsigned long long)transfer->length,
                       (unsigned long long)download->bytes);
    return SL_OK;
}

/* A TLS connection that breaks while libcurl writes raises SIGPIPE, which would end the process.
 * Block it in this thread and discard it if it came. */
static CURLcode perform_without_sigpipe(CURL *curl)
{
    sigset_t broken, before, pending;
    sigemptyset(&broken);
    sigaddset(&broken, SIGPIPE);
    sigpending(&pending);
    bool came_earlier = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &broken, &before);
    CURLcode code = curl_easy_perform(curl);
    sigpending(&pending);
    const struct timespec none = {0};
    if (!came_earlier && sigismember(&pending, SIGPIPE) == 1)
        (void)sigtimedwait(&broken, NULL, &none);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return code;
}

static enum sl_status perform(struct transfer *transfer, struct sl_error *err)
{
    char agent[64], range[32], message[CURL_ERROR_SIZE] = "";
    snprintf(agent, sizeof agent, "softlab/%s", sl_version());
    snprintf(range, sizeof range, "%llu-", (unsigned long long)transfer->asked);
    if (transfer->asked > 0)
        sl_log(transfer->download->log, SL_LOG_INFO, "%s: resuming at byte %llu",
               transfer->download->label, (unsigned long long)transfer->asked);
    CURLcode code = set_options(transfer, agent, range, message);
    if (code == CURLE_OK) code = perform_without_sigpipe(transfer->curl);
    enum sl_status status = judge(transfer, code, message, err);
    if (transfer->started) sl_progress_finish(transfer->download->progress);
    return status;
}

/* Open the part file and find its length. A part longer than the whole file is useless. */
static enum sl_status open_part(struct transfer *transfer, struct sl_error *err)
{
    const struct sl_download *download = transfer->download;
    int descriptor = open(download->part, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor < 0) return sl_fail_errno(err, "%s", download->part);
    struct stat info;
    if (fstat(descriptor, &info) != 0 ||
        ((uint64_t)info.st_size > transfer->limit && ftruncate(descriptor, 0) != 0)) {
        sl_fail_errno(err, "%s", download->part);
        close(descriptor);
        return SL_ERR_IO;
    }
    transfer->descriptor = descriptor;
    transfer->length = (uint64_t)info.st_size > transfer->limit ? 0 : (uint64_t)info.st_size;
    transfer->asked = transfer->length;
    return SL_OK;
}

enum sl_status sl_download_run(const struct sl_download *download, struct sl_error *err)
{
    struct transfer transfer = {.download = download, .descriptor = -1};
    transfer.limit = download->bytes ? download->bytes : download->limits.maximum_bytes;
    SL_TRY(open_part(&transfer, err));
    enum sl_status status = SL_OK;
    bool missing = download->bytes == 0 || transfer.length < download->bytes;
    if (missing) {
        /* Reference-counted and, since 7.84, thread-safe; released at the end of this call. */
        if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
            close(transfer.descriptor);
            return sl_fail(err, SL_ERR_BACKEND, "libcurl cannot be initialised");
        }
        transfer.curl = curl_easy_init();
        status = transfer.curl ? perform(&transfer, err)
                               : sl_fail(err, SL_ERR_BACKEND, "libcurl cannot be initialised");
        curl_easy_cleanup(transfer.curl);
        curl_global_cleanup();
    }
    if (status == SL_OK && fsync(transfer.descriptor) != 0)
        status = sl_fail_errno(err, "%s", download->part);
    close(transfer.descriptor);
    /* An empty part file is not worth keeping. */
    if (status != SL_OK && (transfer.useless || transfer.length == 0)) unlink(download->part);
    return status;
}
