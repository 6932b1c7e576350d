/* Starts programs. A negative result is -errno; a function that fails leaves no descriptor and no process behind. */
#if defined(__SCALANATIVE_NEEDLETAIL_GATEWAY_HOST) && defined(__linux__)

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * Of io: calls the function, which may wait in the kernel. Meanwhile the garbage collector does not wait for this thread,
 * so the function must not touch Scala's heap.
 */
long needletail_io_waiting(long (*function)(void *), void *argument);

/* A pipe whose ends are not standard descriptors, so that they can be moved there one by one. */
static int make_pipe(int ends[2]) {
    if (pipe2(ends, O_CLOEXEC) != 0) return -errno;
    for (int i = 0; i < 2; i++)
        if (ends[i] < 3) {
            int moved = fcntl(ends[i], F_DUPFD_CLOEXEC, 3);
            if (moved < 0) {
                int e = errno;
                close(ends[0]);
                close(ends[1]);
                return -e;
            }
            close(ends[i]);
            ends[i] = moved;
        }
    return 0;
}

/*
 * An array with NULL at its end of `count` texts, each followed by a NUL. It is in memory of its own, since the
 * garbage collector may run while a program is being started.
 */
static char **texts(const char *flat, int count) {
    size_t length = 0, pointers = ((size_t)count + 1) * sizeof(char *);
    for (int i = 0; i < count; i++) length += strlen(flat + length) + 1;
    char **all = malloc(pointers + length);
    if (all == NULL) return NULL;
    char *own = (char *)all + pointers;
    memcpy(own, flat, length);
    for (int i = 0; i < count; i++) {
        all[i] = own;
        own += strlen(own) + 1;
    }
    all[count] = NULL;
    return all;
}

static void close_from(int first) {
#ifdef SYS_close_range
    if (syscall(SYS_close_range, (unsigned)first, ~0U, 0U) == 0) return;
#endif
    struct rlimit most;
    int until = getrlimit(RLIMIT_NOFILE, &most) == 0 && most.rlim_cur < 65536 ? (int)most.rlim_cur : 65536;
    for (int fd = first; fd < until; fd++) close(fd);
}

/*
 * In the child, which shares the parent's memory until it executes the program (vfork): this writes only to its own
 * stack, to `*failure` and to its own table of signals. No signal is unblocked before the dispositions are the default
 * ones, so that no handler of the parent runs here.
 */
static __attribute__((noreturn, noinline)) void become(
    char **arguments, char **environment, const char *directory, const int *ends,
    volatile int *failure) {
    struct sigaction standard;
    sigset_t none;
    memset(&standard, 0, sizeof standard);
    standard.sa_handler = SIG_DFL;
    for (int s = 1; s < NSIG; s++)
        if (s != SIGKILL && s != SIGSTOP) sigaction(s, &standard, NULL);
    sigemptyset(&none);
    if (setpgid(0, 0) != 0 || (directory[0] != 0 && chdir(directory) != 0)) goto failed;
    for (int i = 0; i < 3; i++)
        if (dup2(ends[i], i) < 0) goto failed;
    close_from(3);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execve(arguments[0], arguments, environment);
failed:
    *failure = errno;
    _exit(127);
}

typedef struct {
    char **arguments, **environment;
    const char *directory;
    const int *ends;
} program;

/* Returns the process id, or -errno; waits until the program is executed or that has failed. */
static long start_waiting(void *argument) {
    const program *p = argument;
    volatile int failure = 0;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t pid = vfork();
    if (pid == 0) become(p->arguments, p->environment, p->directory, p->ends, &failure);
    int e = errno;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (pid > 0 && failure != 0) {
        while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) {}
        pid = -1;
        e = failure;
    }
    return pid < 0 ? -e : pid;
}

/*
 * Starts the program named by the first argument in a process group of its own, with no descriptors open except 0, 1
 * and 2, and no signal ignored or blocked. `listening`: a socket for its descriptor 0, or -1 for a pipe.
 * started[0]: the process id; [1], [2], [3]: this process's ends of its standard input (or -1), output and error,
 * non-blocking; [4]: a descriptor that is readable once the process has ended, or -1 if the kernel does not support
 * that.
 */
int needletail_host_start(const char *flat_arguments, int argument_count, const char *flat_environment,
                          int environment_count, const char *flat_directory, int listening, int32_t *started) {
    int in[2] = {-1, -1}, out[2] = {-1, -1}, err[2] = {-1, -1}, own = -1;
    char **arguments = texts(flat_arguments, argument_count);
    char **environment = texts(flat_environment, environment_count);
    char **directory = texts(flat_directory, 1);
    int result = arguments == NULL || environment == NULL || directory == NULL ? -ENOMEM : 0;
    if (result == 0) {
        if (listening < 0) result = make_pipe(in);
        else if ((own = in[0] = fcntl(listening, F_DUPFD_CLOEXEC, 3)) < 0) result = -errno;
    }
    if (result == 0) result = make_pipe(out);
    if (result == 0) result = make_pipe(err);
    if (result == 0) {
        /* Of this process's ends only: the program's are separate open file descriptions. */
        if (in[1] >= 0) fcntl(in[1], F_SETFL, O_NONBLOCK);
        fcntl(out[0], F_SETFL, O_NONBLOCK);
        fcntl(err[0], F_SETFL, O_NONBLOCK);
        if (own >= 0) fcntl(own, F_SETFL, fcntl(own, F_GETFL) & ~O_NONBLOCK); /* programs accept and wait */
        const int ends[3] = {in[0], out[1], err[1]};
        program started_as = {arguments, environment, directory[0], ends};
        int pid = (int)needletail_io_waiting(start_waiting, &started_as);
        if (pid < 0) result = pid;
        else {
            started[0] = pid;
            started[1] = in[1];
            started[2] = out[0];
            started[3] = err[0];
#ifdef SYS_pidfd_open
            started[4] = (int32_t)syscall(SYS_pidfd_open, pid, 0U); /* closes on exec by itself */
            if (started[4] < 0) started[4] = -1;
#else
            started[4] = -1;
#endif
        }
    }
    if (in[0] >= 0) close(in[0]);
    if (out[1] >= 0) close(out[1]);
    if (err[1] >= 0) close(err[1]);
    if (result < 0) {
        if (in[1] >= 0) close(in[1]);
        if (out[0] >= 0) close(out[0]);
        if (err[0] >= 0) close(err[0]);
    }
    free(arguments);
    free(environment);
    free(directory);
    return result;
}

/* Whether the process has ended. It is not reaped, so that its id is not reused. */
int needletail_host_has_ended(int pid) {
    siginfo_t info;
    info.si_pid = 0;
    return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid != 0;
}

/* The exit status of a process that has ended, 128 plus the signal's number if a signal ended it; -1 if it runs. */
int needletail_host_reap(int pid) {
    int status;
    pid_t r;
    do r = waitpid(pid, &status, WNOHANG);
    while (r < 0 && errno == EINTR);
    if (r == 0) return -1;
    if (r < 0) return 255; /* somebody else has reaped it */
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* Sends a signal to the whole process group. */
void needletail_host_signal(int group, int kill_it) { kill(-group, kill_it ? SIGKILL : SIGTERM); }

/* Saves the current handling of SIGTERM and SIGINT; or restores it, if it was anything but the default. */
void needletail_host_signals(int restore) {
    static struct sigaction kept[2];
    static const int signals[2] = {SIGTERM, SIGINT};
    for (int i = 0; i < 2; i++)
        if (!restore) sigaction(signals[i], NULL, &kept[i]);
        else if (kept[i].sa_handler != SIG_DFL) sigaction(signals[i], &kept[i], NULL);
}

void needletail_host_close(int fd) { close(fd); }

/*
 * 0: anything else, 1: the file does not exist, 2: it is not executable, 3: it is not a program, 4: out of resources,
 * 5: a process is writing to it.
 */
int needletail_host_kind(int e) {
    switch (e) {
    case ENOENT: case ENOTDIR: return 1;
    case EACCES: case EPERM: return 2;
    case ENOEXEC: case EISDIR: return 3;
    case EAGAIN: case ENOMEM: case EMFILE: case ENFILE: return 4;
    case ETXTBSY: return 5;
    default: return 0;
    }
}

const char *needletail_host_message(int e) { return strerror(e); }

/* A Unix socket that listens at `path`, for programs that take it as descriptor 0. */
int needletail_host_listen(const char *path) {
    struct sockaddr_un a;
    if (strlen(path) >= sizeof a.sun_path) return -ENAMETOOLONG;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return -errno;
    memset(&a, 0, sizeof a);
    a.sun_family = AF_UNIX;
    strcpy(a.sun_path, path);
    if (bind(fd, (struct sockaddr *)&a, sizeof a) != 0 || listen(fd, 1024) != 0) {
        int e = errno;
        close(fd);
        return -e;
    }
    return fd;
}

#endif
