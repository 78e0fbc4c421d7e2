/*
 * Load generator: a fixed number of keep-alive connections to 127.0.0.1, each with one request on its way.
 *   load <port> <connections> <milliseconds> <file with the request's bytes> <first number>
 * Each @@@@@@@@ in the request's bytes becomes the request's number, in eight digits.
 * When the time is over nothing more is asked, and what was asked is read to its end: a client that leaves is another
 * case, which costs something else and makes the product refuse the next requests.
 * Prints one line of JSON: requests, errors, seconds, p50 and p99 in microseconds. load.ts does the same in Node.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define DRAIN_US 10000000L
#define BUCKETS 4000000
#define HEAD_MAX 16384
#define MARKER "@@@@@@@@"
#define MARKERS_MAX 8
enum Phase { HEAD, BODY, CHUNK_SIZE, CHUNK_DATA, CHUNK_END, TRAILER };

typedef struct {
  int fd; enum Phase phase;
  char head[HEAD_MAX]; size_t used;
  long left; int line, status; size_t sent;
  long started;
} Connection;

static char *request; static size_t request_length;
static char *markers[MARKERS_MAX]; static int marker_count; static long number;
static unsigned *histogram;
static long requests, errors, started, limit;
static int poller, waiting;

static long now_us(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec * 1000000L + t.tv_nsec / 1000; }

static void find_markers(void) {
  char *found = request, *end = request + request_length;
  while (marker_count < MARKERS_MAX && (found = memmem(found, end - found, MARKER, 8))) { markers[marker_count++] = found; found += 8; }
}

static void write_number(void) {
  char digits[9];
  snprintf(digits, sizeof digits, "%08ld", number++ % 100000000);
  for (int i = 0; i < marker_count; i++) memcpy(markers[i], digits, 8);
}

static void begin(Connection *c) {
  if (marker_count) write_number();
  c->phase = HEAD; c->used = 0; c->line = 0; c->started = now_us();
  ssize_t sent = send(c->fd, request, request_length, MSG_NOSIGNAL);
  if (sent != (ssize_t)request_length) { fprintf(stderr, "a request did not fit into the socket\n"); exit(1); }
}

static void finish(Connection *c) {
  long us = now_us() - c->started;
  histogram[us < BUCKETS ? us : BUCKETS - 1]++;
  requests++;
  if (c->status != 200 && errors++ == 0) fprintf(stderr, "%.600s\n", c->head);
  if (now_us() - started < limit) begin(c); else waiting--;
}

static int hex(char c) { return c >= '0' && c <= '9' ? c - '0' : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : -1; }

/* Reads one answer's bytes through the phases; returns when the bytes are used up. */
static void consume(Connection *c, const char *p, const char *end) {
  while (p < end) switch (c->phase) {
    case HEAD: {
      if (c->used >= HEAD_MAX - 1) { fprintf(stderr, "the head is too long\n"); exit(1); }
      c->head[c->used++] = *p++;
      if (c->used < 4 || memcmp(c->head + c->used - 4, "\r\n\r\n", 4)) break;
      c->head[c->used] = 0;
      c->status = atoi(c->head + 9);
      char *length = strcasestr(c->head, "\ncontent-length:");
      if (length) { c->left = atol(length + 16); c->phase = BODY; if (c->left == 0) finish(c); }
      else if (strcasestr(c->head, "\ntransfer-encoding: chunked")) { c->left = 0; c->phase = CHUNK_SIZE; }
      else { fprintf(stderr, "an answer without a length\n"); exit(1); }
      break;
    }
    case BODY: case CHUNK_DATA: {
      long take = end - p < c->left ? end - p : c->left;
      p += take; c->left -= take;
      if (c->left > 0) break;
      if (c->phase == BODY) finish(c); else { c->phase = CHUNK_END; c->line = 0; }
      break;
    }
    case CHUNK_SIZE: {
      char x = *p++;
      if (x == '\n') { c->phase = c->left ? CHUNK_DATA : TRAILER; c->line = 0; }
      else if (hex(x) >= 0) c->left = c->left * 16 + hex(x);
      break;
    }
    case CHUNK_END: if (*p++ == '\n') { c->phase = CHUNK_SIZE; c->left = 0; } break;
    case TRAILER: {
      char x = *p++;
      if (x == '\n') { if (c->line == 0) finish(c); else c->line = 0; } else if (x != '\r') c->line++;
      break;
    }
  }
}

static long percentile(double share) {
  long target = (long)(requests * share), seen = 0;
  for (long us = 0; us < BUCKETS; us++) { seen += histogram[us]; if (seen > target) return us; }
  return BUCKETS;
}

int main(int count, char **arguments) {
  if (count < 6) return 2;
  int port = atoi(arguments[1]), wanted = atoi(arguments[2]), one = 1;
  limit = atol(arguments[3]) * 1000;
  FILE *file = fopen(arguments[4], "r");
  if (!file || wanted < 1 || wanted > 20000) return 2;
  request = malloc(1 << 20);
  request_length = fread(request, 1, 1 << 20, file);
  number = atol(arguments[5]);
  find_markers();
  histogram = calloc(BUCKETS, sizeof *histogram);
  poller = epoll_create1(0);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  Connection *all = calloc(wanted, sizeof *all);
  for (int i = 0; i < wanted; i++) {
    all[i].fd = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(all[i].fd, (void *)&address, sizeof address)) { perror("connect"); return 1; }
    setsockopt(all[i].fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = &all[i]};
    epoll_ctl(poller, EPOLL_CTL_ADD, all[i].fd, &event);
  }
  started = now_us();
  waiting = wanted;
  for (int i = 0; i < wanted; i++) begin(&all[i]);
  static char buffer[262144];
  struct epoll_event events[256];
  while (waiting > 0) {
    if (now_us() - started > limit + DRAIN_US) { fprintf(stderr, "%d requests were not answered\n", waiting); return 1; }
    int ready = epoll_wait(poller, events, 256, 100);
    for (int i = 0; i < ready; i++) {
      Connection *c = events[i].data.ptr;
      ssize_t got = recv(c->fd, buffer, sizeof buffer, MSG_DONTWAIT);
      if (got > 0) consume(c, buffer, buffer + got);
      else if (got == 0 || errno != EAGAIN) { fprintf(stderr, "a connection was closed\n"); return 1; }
    }
  }
  double seconds = (now_us() - started) / 1e6;
  printf("{\"requests\":%ld,\"errors\":%ld,\"seconds\":%.4f,\"p50\":%ld,\"p99\":%ld}\n", requests, errors, seconds, percentile(0.5), percentile(0.99));
  return 0;
}
