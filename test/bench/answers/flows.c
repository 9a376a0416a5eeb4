// Many flows of UDP at once from one machine, more than it has sockets for, and their far end, which answers each with the
// address that it sees. Says how many were answered with the address that they have as one line of JSON.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/ip.h>
#include <netinet/udp.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { FIRST_PORT = 5000, LAST_PORT = 60000, PORTS = LAST_PORT - FIRST_PORT, BUFFER = 64 << 20, ABREAST = 512, QUIET_MS = 500, TRIES = 20 };

static int must(int result, const char *what) {
  if (result >= 0) return result;
  perror(what);
  exit(1);
}

static int opened(int type, int protocol) {
  int fd = must(socket(AF_INET, type, protocol), "socket"), bytes = BUFFER;
  must(setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof bytes), "SO_RCVBUFFORCE");
  must(setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &bytes, sizeof bytes), "SO_SNDBUFFORCE");
  return fd;
}

static struct sockaddr_in place(const char *address, int port) {
  struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(port)};
  must(inet_pton(AF_INET, address, &at.sin_addr) == 1 ? 0 : -1, address);
  return at;
}

static void serve(const char *address, int port) {
  int fd = opened(SOCK_DGRAM, 0);
  struct sockaddr_in at = place(address, port), from;
  must(bind(fd, (struct sockaddr *)&at, sizeof at), "bind");
  puts("serving");
  fflush(stdout);
  for (;;) {
    uint32_t data;
    socklen_t length = sizeof from;
    if (recvfrom(fd, &data, sizeof data, 0, (struct sockaddr *)&from, &length) < 0) continue;
    sendto(fd, &from.sin_addr.s_addr, sizeof data, 0, (struct sockaddr *)&from, length);
  }
}

/** The checksum of UDP is left out, which IPv4 allows. */
static void send_one(int fd, struct in_addr from, int source, struct sockaddr_in to) {
  struct {
    struct iphdr ip;
    struct udphdr udp;
    uint32_t data;
  } packet = {
    .ip = {.version = 4, .ihl = 5, .ttl = 64, .protocol = IPPROTO_UDP, .saddr = from.s_addr, .daddr = to.sin_addr.s_addr},
    .udp = {.source = htons(source), .dest = to.sin_port, .len = htons(sizeof(struct udphdr) + sizeof(uint32_t))},
  };
  while (sendto(fd, &packet, sizeof packet, 0, (struct sockaddr *)&to, sizeof to) < 0)
    if (errno != ENOBUFS && errno != EAGAIN) must(-1, "sendto");
}

/** Returns which flow the answer is of, or -1. */
static long answered_by(const uint8_t *bytes, ssize_t length, struct in_addr first, struct sockaddr_in to) {
  const struct iphdr *ip = (const void *)bytes;
  const struct udphdr *udp = (const void *)(bytes + ip->ihl * 4);
  uint32_t seen;
  if (length < ip->ihl * 4 + (ssize_t)(sizeof *udp + sizeof seen) || ip->saddr != to.sin_addr.s_addr || udp->source != to.sin_port) return -1;
  memcpy(&seen, udp + 1, sizeof seen);
  long port = ntohs(udp->dest) - FIRST_PORT;
  return seen == ip->daddr && port >= 0 && port < PORTS ? (long)(ntohl(ip->daddr) - ntohl(first.s_addr)) * PORTS + port : -1;
}

/** Reads what has come, and waits for the first of it so long. Returns how many flows were answered for the first time. */
static long take(int fd, uint8_t *had, long count, struct in_addr first, struct sockaddr_in to, int wait_ms) {
  uint8_t bytes[2048];
  long fresh = 0;
  struct pollfd one = {.fd = fd, .events = POLLIN};
  for (int wait = wait_ms; poll(&one, 1, wait) > 0; wait = 0) {
    ssize_t length = recv(fd, bytes, sizeof bytes, 0);
    long flow = length < 0 ? -1 : answered_by(bytes, length, first, to);
    if (flow >= 0 && flow < count && !had[flow]) fresh += had[flow] = 1;
  }
  return fresh;
}

int main(int count, char **words) {
  if (count == 4 && strcmp(words[1], "serve") == 0) serve(words[2], atoi(words[3]));
  if (count != 5) return fputs("flows serve ADDRESS PORT | flows FIRST-ADDRESS ADDRESS PORT COUNT\n", stderr), 2;
  struct in_addr first = place(words[1], 0).sin_addr;
  struct sockaddr_in to = place(words[2], atoi(words[3]));
  long flows = atol(words[4]), done = 0;
  uint8_t *had = calloc(flows, 1);
  int out = opened(SOCK_RAW, IPPROTO_RAW), in = opened(SOCK_RAW, IPPROTO_UDP);
  for (int tries = 0; tries < TRIES && done < flows; tries++) {
    for (long flow = 0, sent = 0; flow < flows; flow++) {
      if (had[flow]) continue;
      send_one(out, (struct in_addr){htonl(ntohl(first.s_addr) + flow / PORTS)}, FIRST_PORT + flow % PORTS, to);
      if (++sent % ABREAST == 0) done += take(in, had, flows, first, to, 5);
    }
    for (long fresh = 1; fresh > 0; done += fresh) fresh = take(in, had, flows, first, to, QUIET_MS);
  }
  return printf("{\"flows\":%ld,\"answered\":%ld}\n", flows, done), 0;
}
