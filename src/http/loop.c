#include "http_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "softlab/base/memory.h"

static void *take_memory(size_t size)
{
    void *block = malloc(size ? size : 1);
    if (!block) sl_memory_exhausted(size);
    return block;
}

static void *resize_memory(void *block, size_t size)
{
    return sl_resize(block, size, 1);
}

void sl_http_use_memory(void)
{
    event_set_mem_functions(take_memory, resize_memory, free);
}

static const double grace_seconds = 1;

struct timeval sl_http_timeval(double seconds)
{
    double whole = floor(seconds);
    return (struct timeval){
        .tv_sec = (time_t)whole,
        .tv_usec = (suseconds_t)((seconds - whole) * 1e6),
    };
}

/* ---- Waking ---- */

void sl_http_loop_wake(struct sl_http_loop *loop)
{
    /* A full pipe wakes the loop as well. */
    int kept = errno;
    ssize_t written = write(loop->wake[1], "", 1);
    (void)written;
    errno = kept;
}

void sl_http_loop_stop(struct sl_http_loop *loop)
{
    atomic_store(&loop->ending, true);
    atomic_store(&loop->stop, true);
    sl_http_loop_wake(loop);
}

bool sl_http_loop_stopping(const struct sl_http_loop *loop)
{
    return atomic_load(&loop->ending);
}

void sl_http_loop_settled(struct sl_http_loop *loop)
{
    if (loop->stopping && !loop->exchanges) event_base_loopexit(loop->base, NULL);
}

static void begin_stop(struct sl_http_loop *loop)
{
    struct timeval grace = sl_http_timeval(grace_seconds);
    loop->stopping = true;
    for (struct sl_http_listener *at = loop->listeners; at; at = at->next)
        evconnlistener_disable(at->accepting);
    sl_http_connections_stop(loop);
    for (size_t i = 0; i < SL_HTTP_LANES; i++) {
        sl_http_worker_skip(&loop->workers[i]);
        sl_http_worker_collect(&loop->workers[i]);
    }
    event_add(loop->grace, &grace);
    sl_http_loop_settled(loop);
}

static void end_grace(evutil_socket_t socket, short what, void *context)
{
    (void)socket;
    (void)what;
    struct sl_http_loop *loop = context;
    event_base_loopbreak(loop->base);
}

static void on_wake(evutil_socket_t socket, short what, void *context)
{
    (void)what;
    struct sl_http_loop *loop = context;
    char bytes[256];
    while (read(socket, bytes, sizeof bytes) == (ssize_t)sizeof bytes) {
    }
    for (size_t i = 0; i < SL_HTTP_LANES; i++)
        sl_http_worker_collect(&loop->workers[i]);
    if (atomic_exchange(&loop->stop, false) && !loop->stopping) begin_stop(loop);
}

/* ---- Calls ---- */

static void run_calls(struct sl_http_loop *loop)
{
    struct sl_http_call *calls = loop->calls;
    size_t count = loop->n_calls;
    loop->calls = NULL;
    loop->n_calls = loop->calls_capacity = 0;
    loop->running_calls = true;
    for (size_t i = 0; i < count; i++)
        calls[i].run(calls[i].context);
    loop->running_calls = false;
    free(calls);
}

static void on_deferred(evutil_socket_t socket, short what, void *context)
{
    (void)socket;
    (void)what;
    static const struct timeval now = {0};
    struct sl_http_loop *loop = context;
    run_calls(loop);
    /* Calls made by calls wait for a timer, behind the events of the sockets; made active here they
     * would run next and could keep the loop from its sockets for ever. */
    if (loop->n_calls > 0) event_add(loop->deferred, &now);
}

void sl_http_defer(struct sl_http_loop *loop, void (*run)(void *context), void *context)
{
    for (size_t i = 0; i < loop->n_calls; i++)
        if (loop->calls[i].run == run && loop->calls[i].context == context) return;
    if (loop->n_calls == loop->calls_capacity) {
        loop->calls_capacity = loop->calls_capacity ? 2 * loop->calls_capacity : 8;
        loop->calls = sl_resize(loop->calls, loop->calls_capacity, sizeof *loop->calls);
    }
    loop->calls[loop->n_calls++] = (struct sl_http_call){.run = run, .context = context};
    /* Runs behind the events that are already active. */
    if (!loop->running_calls) event_active(loop->deferred, 0, 0);
}

static void on_timer(evutil_socket_t socket, short what, void *context)
{
    (void)socket;
    (void)what;
    const struct sl_http_timer *timer = context;
    timer->call.run(timer->call.context);
}

static struct sl_http_timer *make_timer(struct sl_http_loop *loop, short flags,
                                        struct sl_http_call call)
{
    struct sl_http_timer *timer = sl_alloc(1, sizeof *timer);
    timer->call = call;
    timer->event = event_new(loop->base, -1, flags, on_timer, timer);
    timer->next = loop->timers;
    loop->timers = timer;
    return timer;
}

struct sl_http_timer *sl_http_timer_create(struct sl_http_loop *loop, void (*run)(void *context),
                                           void *context)
{
    return make_timer(loop, 0, (struct sl_http_call){.run = run, .context = context});
}

void sl_http_timer_start(struct sl_http_timer *timer, double seconds)
{
    struct timeval time = sl_http_timeval(seconds);
    event_add(timer->event, &time);
}

void sl_http_every(struct sl_http_loop *loop, double seconds, void (*run)(void *context),
                   void *context)
{
    struct sl_http_call call = {.run = run, .context = context};
    sl_http_timer_start(make_timer(loop, EV_PERSIST, call), seconds);
}

/* ---- Life ---- */

static void be_silent(int severity, const char *message)
{
    (void)severity;
    (void)message;
}

static struct event_base *base_create(void)
{
    /* Otherwise libevent prints its warnings; the callback is global to libevent. */
    event_set_log_callback(be_silent);
    struct event_config *config = event_config_new();
    if (!config) return NULL;
    event_config_set_flag(config, EVENT_BASE_FLAG_IGNORE_ENV | EVENT_BASE_FLAG_NOLOCK);
    struct event_base *base = event_base_new_with_config(config);
    event_config_free(config);
    return base;
}

static enum sl_status open_pipe(int ends[2], struct sl_error *err)
{
    int made[2];
    if (pipe(made) != 0) return sl_fail_errno(err, "cannot open a pipe");
    for (int i = 0; i < 2; i++) {
        fcntl(made[i], F_SETFL, O_NONBLOCK);
        fcntl(made[i], F_SETFD, FD_CLOEXEC);
        ends[i] = made[i];
    }
    return SL_OK;
}

enum sl_status sl_http_loop_create(const struct sl_log *log, struct sl_http_loop **out,
                                   struct sl_error *err)
{
    int wake[2] = {-1, -1};
    SL_TRY(open_pipe(wake, err));
    struct event_base *base = base_create();
    if (!base) {
        close(wake[0]);
        close(wake[1]);
        return sl_fail(err, SL_ERR_BACKEND, "libevent cannot create an event loop");
    }
    struct sl_http_loop *loop = sl_alloc(1, sizeof *loop);
    loop->log = log;
    loop->base = base;
    loop->wake[0] = wake[0];
    loop->wake[1] = wake[1];
    atomic_init(&loop->stop, false);
    atomic_init(&loop->ending, false);
    for (size_t i = 0; i < SL_HTTP_LANES; i++)
        sl_http_worker_init(&loop->workers[i], loop);
    loop->woken = event_new(base, wake[0], EV_READ | EV_PERSIST, on_wake, loop);
    loop->deferred = event_new(base, -1, 0, on_deferred, loop);
    loop->grace = event_new(base, -1, 0, end_grace, loop);
    event_add(loop->woken, NULL);
    *out = loop;
    return SL_OK;
}

/* A client that disconnects must not end the program: SIGPIPE is blocked while the loop runs, and a
 * pending one is consumed before it is unblocked. */
static void hold_pipe_signal(sigset_t *before)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &set, before);
}

static void release_pipe_signal(const sigset_t *before)
{
    static const struct timespec now = {0};
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGPIPE);
    if (sigismember(before, SIGPIPE) == 0) sigtimedwait(&set, NULL, &now);
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

enum sl_status sl_http_loop_run(struct sl_http_loop *loop, struct sl_error *err)
{
    sigset_t before;
    hold_pipe_signal(&before);
    loop->stopping = false;
    if (!atomic_load(&loop->stop)) atomic_store(&loop->ending, false);
    for (struct sl_http_listener *at = loop->listeners; at; at = at->next)
        evconnlistener_enable(at->accepting);
    int result = event_base_dispatch(loop->base);
    event_del(loop->grace);
    if (loop->n_calls > 0) run_calls(loop);
    release_pipe_signal(&before);
    if (result < 0) return sl_fail(err, SL_ERR_BACKEND, "libevent's event loop failed");
    return SL_OK;
}

static void timers_destroy(struct sl_http_timer *timer)
{
    while (timer) {
        struct sl_http_timer *next = timer->next;
        event_free(timer->event);
        free(timer);
        timer = next;
    }
}

void sl_http_loop_destroy(struct sl_http_loop *loop)
{
    if (!loop) return;
    /* Jobs and calls may hold exchanges and reply to them, so they go first. */
    atomic_store(&loop->ending, true);
    for (size_t i = 0; i < SL_HTTP_LANES; i++) {
        sl_http_worker_finish(&loop->workers[i]);
        sl_http_worker_collect(&loop->workers[i]);
    }
    if (loop->n_calls > 0) run_calls(loop);
    loop->stopping = true; /* accept nothing any more */
    sl_http_connections_close(loop);
    while (loop->exchanges)
        sl_http_exchange_destroy(loop->exchanges);
    sl_http_listeners_destroy(loop);
    for (size_t i = 0; i < SL_HTTP_LANES; i++)
        sl_http_worker_release(&loop->workers[i]);
    timers_destroy(loop->timers);
    event_free(loop->woken);
    event_free(loop->deferred);
    event_free(loop->grace);
    event_base_free(loop->base);
    close(loop->wake[0]);
    close(loop->wake[1]);
    free(loop->calls);
    free(loop);
}
