#include <signal.h>

#include "cli.h"

static const int signals[] = {SIGINT, SIGTERM, SIGHUP};

/* A signal handler has no other way to say which signal came; 0: none. */
static volatile sig_atomic_t caught;

static void on_signal(int number)
{
    caught = number;
}

/* A signal that is ignored, as under nohup, stays so. */
static enum sl_status handle(const struct sigaction *action, struct sl_error *err)
{
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        struct sigaction before;
        if (sigaction(signals[i], NULL, &before) != 0) return sl_fail_errno(err, "sigaction");
        if (before.sa_handler == SIG_IGN) continue;
        if (sigaction(signals[i], action, NULL) != 0) return sl_fail_errno(err, "sigaction");
    }
    return SL_OK;
}

enum sl_status cli_catch_signals(struct sl_error *err)
{
    const struct sigaction action = {.sa_handler = on_signal};
    return handle(&action, err);
}

/* The handler is gone and the signal not held back, so that it ends the process. */
static void end_at_once(int number)
{
    sl_temporaries_remove_all();
    (void)raise(number);
}

void cli_tidy_on_signals(void)
{
    const struct sigaction action = {.sa_handler = end_at_once,
                                     .sa_flags = (int)(SA_RESETHAND | SA_NODEFER)};
    (void)handle(&action, NULL);
}

bool cli_should_stop(void *context)
{
    (void)context;
    return caught != 0;
}

void cli_end_by_signal(void)
{
    const struct sigaction action = {.sa_handler = SIG_DFL};
    if (caught != 0 && sigaction(caught, &action, NULL) == 0) (void)raise(caught);
}
