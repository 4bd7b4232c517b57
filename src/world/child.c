#include "world/child.h"

#include "base/clock.h"
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

enum {
    TICK_MS = 20,  /* how often ended children are looked for */
    DEATH_MS = 300 /* how long a killed child may take to die */
};

/* ---- in the child ----------------------------------------------------------------------- */

/* Readable numbers and words, and the places where CUDA, ROCm and system tools are found. */
static void prepare_environment(void) {
    static const char *const more[] = {"/usr/local/cuda/bin", "/opt/rocm/bin", "/usr/sbin",
                                       "/sbin"};
    const char *path = getenv("PATH"), *home = getenv("CUDA_HOME");
    struct buf all = {0};
    buf_str(&all, str_of(path ? path : "/usr/bin:/bin"));
    if (home) buf_printf(&all, ":%s/bin", home);
    for (size_t i = 0; i < COUNT_OF(more); i++) buf_printf(&all, ":%s", more[i]);
    buf_char(&all, '\0');
    setenv("PATH", all.p, 1);
    setenv("LC_ALL", "C", 1);
    buf_release(&all);
}

static _Noreturn void child_live(const struct child *child, int out) {
    struct rlimit none = {0, 0};
    int null = open("/dev/null", O_RDWR);
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    setpgid(0, 0);
    signal(SIGPIPE, SIG_DFL);
    signal(SIGINT, SIG_DFL);
    if (null >= 0) dup2(null, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    dup2(out, STDERR_FILENO);
    for (int fd = 3; fd < 64; fd++) close(fd);
    if (child->argv) { /* a function tells limits and environment as they are */
        setrlimit(RLIMIT_CORE, &none);
        prepare_environment();
        execvp(child->argv[0], (char *const *)child->argv);
        _exit(127);
    }
    struct buf text = {.limit = CHILD_OUTPUT};
    child->write(&text, child->ctx);
    fd_write(STDOUT_FILENO, text.p, text.n);
    _exit(0);
}

/* ---- in the parent ---------------------------------------------------------------------- */

static void child_start(struct child *child) {
    int ends[2];
    child->fd = -1;
    child->out.limit = CHILD_OUTPUT;
    child->exit = -1;
    child->started = clock_ms();
    if (pipe(ends) != 0) return;
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    child->pid = fork();
    if (child->pid == 0) child_live(child, ends[1]);
    close(ends[1]);
    if (child->pid < 0) {
        close(ends[0]);
        return;
    }
    setpgid(child->pid, child->pid); /* also here: whoever comes first */
    child->fd = ends[0];
    child->state = CHILD_RUNNING;
}

static void child_drain(struct child *child) {
    char room[65536];
    while (child->fd >= 0) {
        ssize_t n = read(child->fd, room, sizeof room);
        if (n > 0) {
            buf_add(&child->out, room, (size_t)n);
            if (!child->out.full) continue;
            child->overflowed = true;
        } else if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
            return;
        }
        close(child->fd);
        child->fd = -1;
    }
}

static void child_close(struct child *child, int state) {
    child->state = state;
    child->took_ms = (int)(clock_ms() - child->started);
    if (child->fd >= 0) close(child->fd);
    child->fd = -1;
}

/* Takes the child's end.  Its group is killed before the number of the group is free again, so that
 * what it left in the background goes with it. */
static bool child_reap(struct child *child) {
    siginfo_t info = {0};
    int status;
    if (waitid(P_PID, (id_t)child->pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0)
        return child_close(child, CHILD_ABANDONED), true; /* somebody else took it */
    if (info.si_pid == 0) return false;
    child_drain(child);
    kill(-child->pid, SIGKILL);
    if (waitpid(child->pid, &status, 0) == child->pid)
        child->exit = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    if (child->killed) child->exit = -1;
    child_close(child, child->killed && !child->overflowed ? CHILD_TIMEOUT : CHILD_ENDED);
    return true;
}

/* One look at a running child; true when it is done with. */
static bool child_tend(struct child *child, double last) {
    double now = clock_ms(), until = child->started + child->deadline_ms;
    child_drain(child);
    if (child_reap(child)) return true;
    if (child->killed) {
        if (now < child->kill_until) return false;
        child_close(child, CHILD_ABANDONED);
        return true;
    }
    if (now < (until < last ? until : last) && !child->overflowed) return false;
    kill(-child->pid, SIGKILL);
    kill(child->pid, SIGKILL); /* in case it had no time to make its group */
    child->killed = true;
    child->kill_until = now + DEATH_MS;
    return false;
}

static void wait_for_output(struct child *children, int n) {
    struct pollfd polled[64];
    nfds_t count = 0;
    for (int i = 0; i < n && count < COUNT_OF(polled); i++)
        if (children[i].state == CHILD_RUNNING && children[i].fd >= 0)
            polled[count++] = (struct pollfd){.fd = children[i].fd, .events = POLLIN};
    poll(polled, count, TICK_MS);
}

void children_run(struct child *children, int n, int total_ms, bool (*cancelled)(void *ctx),
                  void *ctx) {
    double last = clock_ms() + total_ms;
    int running = 0;
    for (int i = 0; i < n; i++) {
        child_start(&children[i]);
        running += children[i].state == CHILD_RUNNING;
    }
    while (running > 0) {
        wait_for_output(children, n);
        if (cancelled && cancelled(ctx)) last = 0;
        for (int i = 0; i < n; i++)
            if (children[i].state == CHILD_RUNNING && child_tend(&children[i], last)) running--;
    }
}
