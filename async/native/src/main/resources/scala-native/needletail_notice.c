/*
 * Says once, on standard error, that a program was compiled without sbt-needletail (docs/decisions/0027-sbt-plugin.md).
 * A library cannot give the runtime's own C sources what they need, and nobody would look for the reason of a crash in
 * the build. native_registers.h, which the plugin has included in front of each C source, defines the macro.
 *
 * It is called before main, with one thread there. Standard error may have no reader: a full pipe is skipped, and
 * one without a reader ends no program.
 */
void needletail_notice(void);

#ifdef NEEDLETAIL_REGISTERS

void needletail_notice(void) {}

#else

#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include "needletail_version.h"

static const char notice[] =
    "needletail: this program was linked without sbt-needletail"
#ifdef __x86_64__
    ", so that objects may be lost while they are in use"
#endif
    ". Add to project/plugins.sbt: addSbtPlugin(\"dev.needletail\" % \"sbt-needletail\" % \"" NEEDLETAIL_VERSION "\")\n";

void needletail_notice(void) {
    struct pollfd error = {STDERR_FILENO, POLLOUT, 0};
    if (poll(&error, 1, 0) != 1 || !(error.revents & POLLOUT)) return;
    struct sigaction ignored = {.sa_handler = SIG_IGN}, before;
    if (sigaction(SIGPIPE, &ignored, &before) != 0) return;
    while (write(STDERR_FILENO, notice, sizeof notice - 1) < 0 && errno == EINTR) {}
    sigaction(SIGPIPE, &before, NULL);
}

#endif
