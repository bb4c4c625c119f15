/* The plain reader: a terminal and a loop of reads. Prints the bytes read and the nanoseconds that it took. */
#include <errno.h>
#include <pty.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int main(int count, char **values) {
  static char buffer[65536];
  struct winsize size = {40, 120, 0, 0};
  struct timespec from, to;
  long long bytes = 0;
  int master;
  if (count < 2) return 2;
  clock_gettime(CLOCK_MONOTONIC, &from);
  pid_t child = forkpty(&master, NULL, NULL, &size);
  if (child < 0) return 1;
  if (child == 0) {
    execlp("cat", "cat", values[1], (char *)NULL);
    _exit(127);
  }
  for (;;) {
    ssize_t got = read(master, buffer, sizeof buffer);
    if (got > 0) bytes += got;
    else if (got == 0 || errno != EINTR) break;
  }
  clock_gettime(CLOCK_MONOTONIC, &to);
  waitpid(child, NULL, 0);
  printf("%lld %lld\n", bytes, (to.tv_sec - from.tv_sec) * 1000000000LL + (to.tv_nsec - from.tv_nsec));
  return 0;
}
