/* How soon the screen paints and answers keys while it reads: runs a command on a terminal of its
 * own and times what it writes. usage: screen KEYS COMMAND [ARGUMENT...]   prints first paint, and
 * the median, the 95th percentile and the longest of the times from a key to the first byte of its
 * answer, in ms */
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { KEYS_MOST = 1000, PATIENCE_MS = 2000, UNANSWERED_MS = 500, QUIET_MS = 30 };

static double now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* Waits for output; false when none came in time. */
static bool wait_output(int fd, int ms) {
    struct pollfd row = {.fd = fd, .events = POLLIN};
    return poll(&row, 1, ms) > 0 && row.revents & POLLIN;
}

/* Takes what is there until the program is quiet. */
static void take_output(int fd) {
    char bytes[65536];
    while (wait_output(fd, QUIET_MS) && read(fd, bytes, sizeof bytes) > 0) {
    }
}

static int compare_times(const void *a, const void *b) {
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

int main(int argc, char **argv) {
    struct winsize size = {.ws_row = 24, .ws_col = 80};
    double times[KEYS_MOST], start = now_ms(), paint;
    int fd, n = 0;
    if (argc < 3) return 2;
    pid_t child = forkpty(&fd, NULL, NULL, &size);
    if (child < 0) return 1;
    if (child == 0) {
        setenv("TERM", "xterm-256color", 1);
        execv(argv[2], argv + 2);
        _exit(127);
    }
    if (!wait_output(fd, PATIENCE_MS)) return 1;
    paint = now_ms() - start;
    take_output(fd);
    for (const char *key = argv[1]; *key && n < KEYS_MOST; key++) {
        double typed = now_ms();
        if (write(fd, key, 1) != 1) break;
        if (!wait_output(fd, UNANSWERED_MS)) continue; /* it changed nothing to see */
        times[n++] = now_ms() - typed;
        take_output(fd);
    }
    kill(child, SIGTERM);
    take_output(fd);
    waitpid(child, NULL, 0);
    if (!n) return 1;
    qsort(times, (size_t)n, sizeof *times, compare_times);
    printf("%.1f %.1f %.1f %.1f %d\n", paint, times[n / 2], times[n * 95 / 100], times[n - 1], n);
    return 0;
}
