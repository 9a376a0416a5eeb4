// Traffic for the bench, and its far end: connections, datagrams, one stream, or round trips, as quick as the kernel lets it. What a far end
// counts lies in a file that both map, so that a window of time is the same for both. Says what it saw as one line of JSON.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { BATCH = 64, DATAGRAM_BYTES = 64, STREAM_BYTES = 256 * 1024, ABREAST = 16, FEWEST = 100, EVENTS = 256, FD_MAX = 8192, SAMPLES_MAX = 1 << 20 };
/** Before anything is counted: neighbours are found, a relay in user space has forked, windows have grown. */
static const double WARM_UP_MS = 60;
/** The time after which a connection or a round trip without an answer has failed. */
static const double PATIENCE_MS = 3000;
/** A window in which less than FEWEST got done stays open longer, so many times at most. */
static const double LONGER = 5;

typedef struct {
  _Atomic uint64_t stream_bytes, datagrams;
} Counts;

/** `done` is what the far end has had, or answered, within `ms`; `sent`, `had` and `failed` are of the whole run, warming up included;
 * `opening`, of datagrams, is what the far end has had before: what asks it for an answer. */
typedef struct {
  uint64_t done, sent, had, failed, opening;
  double ms, used_ms;
} Seen;

static double *samples;
static size_t sample_count;

static void die(const char *what) {
  perror(what);
  exit(1);
}

static int must(int result, const char *what) {
  if (result < 0) die(what);
  return result;
}

/** Ahead of all that runs beside, each end on a processor of its own: what a packet costs is measured, not who has to wait for whom. */
static void run_at(int priority, int processor) {
  struct sched_param at = {.sched_priority = priority};
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(processor % sysconf(_SC_NPROCESSORS_ONLN), &one);
  must(sched_setscheduler(0, SCHED_RR, &at), "SCHED_RR");
  must(sched_setaffinity(0, sizeof one, &one), "sched_setaffinity");
}

static double now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

/**
 * Whether a process carries the traffic, like this one: nothing else on the machine is scheduled so. The kernel books
 * its forwarding to the process that runs.
 */
static int carries(int policy, const char *name) {
  return policy == SCHED_RR || strncmp(name, "ksoftirqd", 9) == 0;
}

/** Processor time that those who carry the traffic have used so far, both ends and a relay in user space. */
static double used_ms(void) {
  unsigned long long ticks = 0;
  DIR *processes = opendir("/proc");
  if (!processes) die("/proc");
  for (struct dirent *entry; (entry = readdir(processes));) {
    char path[300], text[1024] = "";
    if (entry->d_name[0] < '1' || entry->d_name[0] > '9') continue;
    snprintf(path, sizeof path, "/proc/%s/stat", entry->d_name);
    int file = open(path, O_RDONLY);
    // It has ended since.
    if (file < 0) continue;
    ssize_t bytes = read(file, text, sizeof text - 1);
    close(file);
    char *name = strchr(text, '('), *rest = strrchr(text, ')');
    unsigned long long user, system;
    int policy;
    // proc(5): utime and stime are the 14th and 15th word, the policy is the 41st.
    const char *words = ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu %*d %*d %*d %*d %*d %*d %*u %*u %*d %*u %*u %*u %*u %*u %*u %*u %*u %*u %*u %*u %*u %*u %*d %*d %*u %d";
    if (bytes > 0 && name && rest && sscanf(rest, words, &user, &system, &policy) == 3 && carries(policy, name + 1)) ticks += user + system;
  }
  closedir(processes);
  // USER_HZ is 100 on every machine.
  return ticks * 10.0;
}

static void sample(double ms) {
  if (sample_count < SAMPLES_MAX) samples[sample_count++] = ms;
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double percentile(double share) {
  return sample_count == 0 ? 0 : samples[(size_t)((sample_count - 1) * share)];
}

static Counts *mapped(const char *path) {
  int file = must(open(path, O_RDWR | O_CREAT, 0600), path);
  must(ftruncate(file, sizeof(Counts)), "ftruncate");
  Counts *counts = mmap(NULL, sizeof(Counts), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (counts == MAP_FAILED) die("mmap");
  return counts;
}

static struct sockaddr_in place(const char *address, int port) {
  struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(port)};
  if (inet_pton(AF_INET, address, &at.sin_addr) != 1) die(address);
  return at;
}

static int connected(int type, struct sockaddr_in to) {
  int fd = must(socket(AF_INET, type, 0), "socket");
  struct timeval patience = {.tv_sec = PATIENCE_MS / 1000};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  must(connect(fd, (struct sockaddr *)&to, sizeof to), "connect");
  return fd;
}

/* The far end */

static void take_datagrams(Counts *counts, int port) {
  int fd = must(socket(AF_INET, SOCK_DGRAM, 0), "socket"), bytes = 64 << 20;
  must(setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof bytes), "SO_RCVBUFFORCE");
  struct sockaddr_in at = place("0.0.0.0", port);
  must(bind(fd, (struct sockaddr *)&at, sizeof at), "bind");
  static char data[BATCH][DATAGRAM_BYTES];
  struct iovec parts[BATCH];
  static struct sockaddr_in from[BATCH];
  struct mmsghdr messages[BATCH] = {0};
  for (int i = 0; i < BATCH; i++) {
    parts[i] = (struct iovec){data[i], DATAGRAM_BYTES};
    messages[i].msg_hdr.msg_name = &from[i];
    messages[i].msg_hdr.msg_namelen = sizeof from[i];
    messages[i].msg_hdr.msg_iov = &parts[i];
    messages[i].msg_hdr.msg_iovlen = 1;
  }
  for (;;) {
    int many = recvmmsg(fd, messages, BATCH, MSG_DONTWAIT, NULL);
    // Nobody who waits has to be woken for each datagram: that would cost the sender more than the way here.
    if (many > 0) counts->datagrams += many;
    // The first of a flow is answered, so that the flow is established wherever it is tracked.
    if (many > 0 && data[0][0] == 'r') sendto(fd, data[0], 1, MSG_DONTWAIT, (struct sockaddr *)&from[0], sizeof from[0]);
    else usleep(100);
  }
}

/** The first byte of a connection says what it is: `c` is answered and over, `s` is a stream to count, `e` is sent back, as all that follow it. */
static void serve_one(Counts *counts, int fd, char *kinds) {
  static char data[STREAM_BYTES];
  ssize_t bytes = recv(fd, data, sizeof data, MSG_DONTWAIT);
  if (bytes < 0 && errno == EAGAIN) return;
  if (bytes > 0 && !kinds[fd]) kinds[fd] = data[0];
  if (bytes > 0 && kinds[fd] == 's') counts->stream_bytes += bytes;
  if (bytes > 0 && kinds[fd] != 's') send(fd, data, bytes, MSG_NOSIGNAL);
  if (bytes > 0 && kinds[fd] != 'c') return;
  close(fd);
}

static void serve_connections(Counts *counts, int port) {
  int listener = must(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), "socket"), yes = 1;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  struct sockaddr_in at = place("0.0.0.0", port);
  must(bind(listener, (struct sockaddr *)&at, sizeof at), "bind");
  must(listen(listener, 4096), "listen");
  int poll = must(epoll_create1(0), "epoll");
  struct epoll_event ready[EVENTS], event = {.events = EPOLLIN, .data.fd = listener};
  must(epoll_ctl(poll, EPOLL_CTL_ADD, listener, &event), "epoll_ctl");
  static char kinds[FD_MAX];
  printf("serving\n");
  fflush(stdout);
  for (;;) {
    int many = epoll_wait(poll, ready, EVENTS, -1);
    for (int i = 0; i < many; i++) {
      if (ready[i].data.fd != listener) {
        serve_one(counts, ready[i].data.fd, kinds);
        continue;
      }
      for (int fd; (fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) >= 0;) {
        if (fd >= FD_MAX) {
          close(fd);
          continue;
        }
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        kinds[fd] = 0;
        event = (struct epoll_event){.events = EPOLLIN, .data.fd = fd};
        must(epoll_ctl(poll, EPOLL_CTL_ADD, fd, &event), "epoll_ctl");
      }
    }
  }
}

/* This end. Each returns when its window is over, and has seen `seen`. */

/** Opens the window once the warming up is over, and says when it is to close. */
static int is_over(Seen *seen, double began, double ms, uint64_t done) {
  double now = now_ms();
  static uint64_t before;
  static double opened, used = -1;
  if (now - began < WARM_UP_MS) return 0;
  if (used < 0) {
    // Takes a moment, so the window opens at the next look.
    used = used_ms();
    return 0;
  }
  if (!opened) {
    opened = now;
    before = done;
    sample_count = 0;
    return 0;
  }
  if (now - opened < ms || (done - before < FEWEST && now - opened < LONGER * ms)) return 0;
  seen->done = done - before;
  seen->ms = now - opened;
  seen->used_ms = used_ms() - used;
  return 1;
}

typedef struct {
  double began;
  int is_asked;
} Call;

static void begin_call(int poll, struct sockaddr_in to, Call *calls) {
  struct linger none = {.l_onoff = 1, .l_linger = 0};
  int fd = must(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), "socket");
  // Ends in a reset, so that no port of this end is kept waiting.
  setsockopt(fd, SOL_SOCKET, SO_LINGER, &none, sizeof none);
  calls[fd] = (Call){.began = now_ms()};
  struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLET, .data.fd = fd};
  must(epoll_ctl(poll, EPOLL_CTL_ADD, fd, &event), "epoll_ctl");
  if (connect(fd, (struct sockaddr *)&to, sizeof to) < 0 && errno != EINPROGRESS) die("connect");
}

/** A byte there and a byte back: a relay in user space has to have reached the far end. 1 answered, -1 failed, 0 under way. */
static int go_on(int fd, Call *call) {
  char byte = 'c';
  if (!call->is_asked) {
    if (send(fd, &byte, 1, MSG_NOSIGNAL) < 0) return errno == EAGAIN || errno == ENOTCONN ? 0 : -1;
    call->is_asked = 1;
    return 0;
  }
  ssize_t bytes = recv(fd, &byte, 1, 0);
  return bytes == 1 ? 1 : bytes < 0 && errno == EAGAIN ? 0 : -1;
}

/** What a rate allows to be begun now; without one as many as are done, ABREAST at first. */
static int due(int rate, double began, uint64_t done, uint64_t begun) {
  double due = rate == 0 ? (double)done + ABREAST : (now_ms() - began) * rate / 1000;
  return due > begun ? (int)(due - begun) : 0;
}

/** New connections, ABREAST of them or so many a second. */
static void connections(struct sockaddr_in to, double ms, int rate, Seen *seen) {
  static Call calls[FD_MAX];
  int poll = must(epoll_create1(0), "epoll");
  double began = now_ms();
  while (!is_over(seen, began, ms, seen->had)) {
    for (int more = due(rate, began, seen->had + seen->failed, seen->sent); more > 0; more--, seen->sent++) begin_call(poll, to, calls);
    struct epoll_event ready[EVENTS];
    int many = epoll_wait(poll, ready, EVENTS, rate == 0 ? 20 : 1);
    for (int i = 0; i < many; i++) {
      int fd = ready[i].data.fd, how = go_on(fd, &calls[fd]);
      if (how == 0) continue;
      if (how > 0) sample(now_ms() - calls[fd].began);
      seen->had += how > 0;
      seen->failed += how < 0;
      calls[fd].began = 0;
      close(fd);
    }
    for (int fd = 0; many == 0 && fd < FD_MAX; fd++) {
      if (!calls[fd].began || now_ms() - calls[fd].began < PATIENCE_MS) continue;
      seen->failed++;
      calls[fd].began = 0;
      close(fd);
    }
  }
}

/** One flow. With a rate of so many a second, the far end is let have them all before it is read. */
static void datagrams(Counts *counts, struct sockaddr_in to, double ms, int rate, Seen *seen) {
  int fd = connected(SOCK_DGRAM, to), bytes = 4 << 20;
  setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &bytes, sizeof bytes);
  static char data[DATAGRAM_BYTES];
  struct iovec part = {data, sizeof data};
  struct mmsghdr messages[BATCH] = {0};
  for (int i = 0; i < BATCH; i++) {
    messages[i].msg_hdr.msg_iov = &part;
    messages[i].msg_hdr.msg_iovlen = 1;
  }
  uint64_t start = counts->datagrams;
  // Until one is answered: a relay that is being set up may refuse the first.
  for (int tries = 0, answered = 0; tries < 20 && !answered; tries++) {
    struct timeval soon = {.tv_usec = 100000};
    char answer;
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &soon, sizeof soon);
    data[0] = 'r';
    send(fd, data, sizeof data, MSG_NOSIGNAL);
    answered = recv(fd, &answer, 1, 0) == 1;
  }
  data[0] = 0;
  uint64_t before = counts->datagrams;
  seen->opening = before - start;
  double began = now_ms();
  while (!is_over(seen, began, ms, counts->datagrams)) {
    double due = rate == 0 ? BATCH : (now_ms() - began) * rate / 1000 - seen->sent;
    int many = due < 1 ? 0 : sendmmsg(fd, messages, due < BATCH ? (int)due : BATCH, 0);
    if (many > 0) seen->sent += many;
    // A relay that is being set up may refuse the first.
    if (many < 0 && errno != ECONNREFUSED && errno != ENOBUFS) die("sendmmsg");
    if (many == 0) usleep(200);
  }
  // As long as any still come.
  for (uint64_t last = 0; last != counts->datagrams; usleep(rate == 0 ? 2000 : 200000)) last = counts->datagrams;
  seen->had = counts->datagrams - before;
}

static void stream(Counts *counts, struct sockaddr_in to, double ms, Seen *seen) {
  static char data[STREAM_BYTES];
  int fd = connected(SOCK_STREAM, to);
  data[0] = 's';
  for (double began = now_ms(); !is_over(seen, began, ms, counts->stream_bytes);) must(send(fd, data, sizeof data, MSG_NOSIGNAL) > 0 ? 0 : -1, "send");
}

static void round_trips(struct sockaddr_in to, double ms, Seen *seen) {
  int fd = connected(SOCK_STREAM, to), yes = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  uint64_t done = 0;
  char byte = 'e';
  for (double began = now_ms(); !is_over(seen, began, ms, done); done++) {
    double left = now_ms();
    must(send(fd, &byte, 1, MSG_NOSIGNAL) == 1 ? 0 : -1, "send");
    must(recv(fd, &byte, 1, 0) == 1 ? 0 : -1, "recv");
    sample(now_ms() - left);
  }
}

static int usage(void) {
  return fprintf(stderr, "load server COUNTS PORT | load connections|datagrams|stream|round_trips COUNTS PORT ADDRESS MS A_SECOND\n"), 2;
}

int main(int count, char **words) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (count != 4 && count != 7) return usage();
  int is_server = strcmp(words[1], "server") == 0;
  run_at(1, is_server);
  Counts *counts = mapped(words[2]);
  int port = atoi(words[3]);
  if (is_server) {
    if (must(fork(), "fork") == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      // It sleeps between its looks, and must not be late for the next.
      run_at(2, 1);
      take_datagrams(counts, port);
    }
    serve_connections(counts, port);
  }
  if (count != 7) return usage();
  samples = malloc(SAMPLES_MAX * sizeof *samples);
  struct sockaddr_in to = place(words[4], port);
  double ms = atof(words[5]);
  int rate = atoi(words[6]);
  Seen seen = {0};
  if (strcmp(words[1], "connections") == 0) connections(to, ms, rate, &seen);
  else if (strcmp(words[1], "datagrams") == 0) datagrams(counts, to, ms, rate, &seen);
  else if (strcmp(words[1], "stream") == 0) stream(counts, to, ms, &seen);
  else if (strcmp(words[1], "round_trips") == 0) round_trips(to, ms, &seen);
  else return usage();
  qsort(samples, sample_count, sizeof *samples, ascending);
  printf("{\"done\":%llu,\"sent\":%llu,\"had\":%llu,\"failed\":%llu,\"opening\":%llu,\"ms\":%.2f,\"used_ms\":%.0f,\"p50_ms\":%.4f,\"p99_ms\":%.4f,\"slowest_ms\":%.3f}\n", (unsigned long long)seen.done, (unsigned long long)seen.sent, (unsigned long long)seen.had,
         (unsigned long long)seen.failed, (unsigned long long)seen.opening, seen.ms, seen.used_ms, percentile(0.5), percentile(0.99), percentile(1));
}
