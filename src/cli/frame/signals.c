#include <signal.h>

#include "cli.h"

static const int signals[] = {SIGINT, SIGTERM, SIGHUP};

/* A signal handler has no other way to say which signal came; 0: none. */
static volatile sig_atomic_t caught;

static void on_signal(int number)
{
    caught = number;
}

enum sl_status cli_catch_signals(struct sl_error *err)
{
    const struct sigaction action = {.sa_handler = on_signal};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        struct sigaction before;
        if (sigaction(signals[i], NULL, &before) != 0) return sl_fail_errno(err, "sigaction");
        if (before.sa_handler == SIG_IGN) continue; /* as under nohup */
        if (sigaction(signals[i], &action, NULL) != 0) return sl_fail_errno(err, "sigaction");
    }
    return SL_OK;
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
