/* read_loop - reads files with read() into one buffer and counts line feeds: what no reader of
 * lines can beat by much.  One file after the other. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv) {
    static char buffer[1 << 20];
    unsigned long lines = 0;
    for (int i = 1; i < argc; i++) {
        ssize_t n;
        int fd = open(argv[i], O_RDONLY);
        if (fd < 0) {
            perror(argv[i]);
            return 1;
        }
        while ((n = read(fd, buffer, sizeof buffer)) > 0)
            for (const char *p = buffer, *end = buffer + n;
                 (p = memchr(p, '\n', (size_t)(end - p))); p++)
                lines++;
        close(fd);
    }
    printf("%lu\n", lines);
    return 0;
}
