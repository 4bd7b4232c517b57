/* How soon the screen paints and answers keys while it reads: runs a command on a terminal of its
 * own, goes forth and back between two views, and times from each key to the word that only the
 * other view shows: what else is drawn meanwhile is no answer. usage: screen COMMAND [ARGUMENT...]
 * prints first paint, and the median, the 95th percentile and the longest of the key times, in ms,
 * and how many keys there were */
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

enum { KEYS = 60, PATIENCE_MS = 5000, UNANSWERED_MS = 2000, PAUSE_MS = 13 };

static const struct {
    char key;
    const char *word;
} steps[] = {{'?', "everywhere"}, {'e', "searches"}};

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

/* Takes what is written for a while. */
static void take_output(int fd, int ms) {
    char bytes[65536];
    double end = now_ms() + ms;
    while (now_ms() < end)
        if (wait_output(fd, 1) && read(fd, bytes, sizeof bytes) <= 0) return;
}

/* Reads until the word was written; false when it is not in time. */
static bool wait_word(int fd, const char *word) {
    static char bytes[1 << 20];
    size_t n = 0;
    double end = now_ms() + UNANSWERED_MS;
    while (now_ms() < end && n < sizeof bytes - 1) {
        if (!wait_output(fd, 5)) continue;
        ssize_t got = read(fd, bytes + n, sizeof bytes - 1 - n);
        if (got <= 0) return false;
        n += (size_t)got;
        if (memmem(bytes, n, word, strlen(word))) return true;
    }
    return false;
}

static int compare_times(const void *a, const void *b) {
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

int main(int argc, char **argv) {
    struct winsize size = {.ws_row = 24, .ws_col = 80};
    double times[KEYS], start = now_ms(), paint;
    int fd, n = 0;
    if (argc < 2) return 2;
    pid_t child = forkpty(&fd, NULL, NULL, &size);
    if (child < 0) return 1;
    if (child == 0) {
        setenv("TERM", "xterm-256color", 1);
        execv(argv[1], argv + 1);
        _exit(127);
    }
    if (!wait_output(fd, PATIENCE_MS)) return 1;
    paint = now_ms() - start;
    take_output(fd, PAUSE_MS);
    for (; n < KEYS; n++) {
        double typed = now_ms();
        if (write(fd, &steps[n % 2].key, 1) != 1) break;
        wait_word(fd, steps[n % 2].word); /* one that is not answered counts with its time */
        times[n] = now_ms() - typed;
        take_output(fd, PAUSE_MS);
    }
    kill(child, SIGTERM);
    take_output(fd, PAUSE_MS);
    close(fd);
    waitpid(child, NULL, 0);
    if (!n) return 1;
    qsort(times, (size_t)n, sizeof *times, compare_times);
    printf("%.1f %.1f %.1f %.1f %d\n", paint, times[n / 2], times[n * 95 / 100], times[n - 1], n);
    return 0;
}
