/*
 * Upstream for measurements: answers on 127.0.0.1 as fast as a static answer can be. One thread, epoll.
 *   mock <texts>    prints "port N" and serves until it is killed
 * What it says depends on the request: the path (…/messages: Anthropic, …/responses: OpenAI's Responses,
 * …GenerateContent: Gemini, else OpenAI chat), "stream": true or …:streamGenerateContent, and a word in it: bench-idle (first events, then nothing), bench-paced (an event every 5 ms), bench-burst (200 MB), and
 * for whole answers bench-unreported (without usage).
 * canned-responses.ts writes the file with what to say; mock.ts does the same in Node.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#define EVENTS 200
#define TICK_NS 5000000
#define BURST_BYTES (200L * 1024 * 1024)
#define FDS_MAX 65536

typedef struct { char *data; size_t length; } Text;
typedef struct { Text head, whole, unreported, stream, idle, block, pieces[EVENTS + 16]; int count; } Dialect;
typedef struct {
  char *input; size_t used, size;
  const char *out; size_t left;
  Dialect *paced; int next;
  Text *burst; long burst_left;
} Connection;

static Dialect openai, anthropic, responses, gemini;
static Connection *connections[FDS_MAX];
static int poller;

static Text text_of(const char *source) { return (Text){strdup(source), strlen(source)}; }
static void append(Text *to, const char *source, size_t length) {
  to->data = realloc(to->data, to->length + length + 1);
  memcpy(to->data + to->length, source, length);
  to->length += length;
  to->data[to->length] = 0;
}

static void load_dialect(Dialect *dialect, FILE *file) {
  /* Records of `kind length\n` and that many bytes, already framed for HTTP. */
  char word[16]; long length;
  while (fscanf(file, "%15s %ld", word, &length) == 2) {
    char *data = malloc(length + 1);
    fgetc(file);
    if (fread(data, 1, length, file) != (size_t)length) exit(2);
    data[length] = 0;
    Text text = {data, length};
    if (!strcmp(word, "whole")) dialect->whole = text;
    else if (!strcmp(word, "unreported")) dialect->unreported = text;
    else if (!strcmp(word, "head")) dialect->head = text;
    else if (!strcmp(word, "piece")) dialect->pieces[dialect->count++] = text;
    else if (!strcmp(word, "end")) break;
  }
  dialect->stream = text_of("");
  append(&dialect->stream, dialect->head.data, dialect->head.length);
  for (int i = 0; i < dialect->count; i++) append(&dialect->stream, dialect->pieces[i].data, dialect->pieces[i].length);
  append(&dialect->idle, dialect->head.data, dialect->head.length);
  for (int i = 0; i < 4; i++) append(&dialect->idle, dialect->pieces[i].data, dialect->pieces[i].length);
  while (dialect->block.length < 65536) append(&dialect->block, dialect->pieces[3].data, dialect->pieces[3].length);
}

static void watch(int fd, unsigned events, int operation) {
  struct epoll_event event = {.events = events, .data.fd = fd};
  epoll_ctl(poller, operation, fd, &event);
}

static void drop(int fd) {
  Connection *c = connections[fd];
  if (!c) return;
  connections[fd] = NULL;
  close(fd);
  free(c->input);
  free(c);
}

/* Sends what is pending; keeps the rest for when the socket takes it. */
static void flush(int fd, Connection *c) {
  for (;;) {
    while (c->left > 0) {
      ssize_t sent = send(fd, c->out, c->left, MSG_NOSIGNAL);
      if (sent < 0 && errno == EAGAIN) { watch(fd, EPOLLIN | EPOLLOUT, EPOLL_CTL_MOD); return; }
      if (sent < 0) { drop(fd); return; }
      c->out += sent; c->left -= sent;
    }
    if (!c->burst) break;
    if (c->burst_left <= 0) { c->burst = NULL; c->out = "0\r\n\r\n"; c->left = 5; continue; }
    c->burst_left -= c->burst->length;
    c->out = c->burst->data; c->left = c->burst->length;
  }
  watch(fd, EPOLLIN, EPOLL_CTL_MOD);
}

static void say(int fd, Connection *c, Text *text) { c->out = text->data; c->left = text->length; flush(fd, c); }

static int has(const char *text, size_t length, const char *word) { return memmem(text, length, word, strlen(word)) != NULL; }

static Dialect *dialect_of(const char *path, size_t length) {
  if (has(path, length, "/messages")) return &anthropic;
  if (has(path, length, "/responses")) return &responses;
  return has(path, length, "GenerateContent") ? &gemini : &openai;
}

static void answer(int fd, Connection *c, const char *path_end, size_t length) {
  const char *request = c->input;
  Dialect *d = dialect_of(request, path_end - request);
  int stream = has(request, length, "\"stream\":true") || has(request, length, "\"stream\": true")
    || has(request, length, ":streamGenerateContent");
  if (!stream) say(fd, c, has(request, length, "bench-unreported") ? &d->unreported : &d->whole);
  else if (has(request, length, "bench-idle")) say(fd, c, &d->idle);
  else if (has(request, length, "bench-paced")) {
    c->paced = d; c->next = 0;
    say(fd, c, &d->head);
  } else if (has(request, length, "bench-burst")) {
    c->burst = &d->block; c->burst_left = BURST_BYTES;
    say(fd, c, &d->head);
  } else say(fd, c, &d->stream);
}

static void receive(int fd, Connection *c) {
  for (;;) {
    if (c->used + 4096 > c->size) c->input = realloc(c->input, c->size = c->size ? c->size * 2 : 8192);
    ssize_t got = recv(fd, c->input + c->used, c->size - c->used - 1, 0);
    if (got == 0 || (got < 0 && errno != EAGAIN)) { drop(fd); return; }
    if (got < 0) break;
    c->used += got;
  }
  c->input[c->used] = 0;
  char *end = strstr(c->input, "\r\n\r\n");
  if (!end) return;
  char *field = strcasestr(c->input, "content-length:");
  size_t length = field && field < end ? strtoul(field + 15, NULL, 10) : 0;
  size_t total = end + 4 - c->input + length;
  if (c->used < total) return;
  c->used = 0;
  answer(fd, c, strchr(c->input, '\r'), total);
}

static void tick(void) {
  for (int fd = 0; fd < FDS_MAX; fd++) {
    Connection *c = connections[fd];
    if (!c || !c->paced || c->left > 0) continue;
    Dialect *d = c->paced;
    int last = c->next == d->count - 1;
    Text *piece = &d->pieces[c->next++];
    if (last) c->paced = NULL;
    say(fd, c, piece);
  }
}

int main(int count, char **arguments) {
  FILE *texts = count > 1 ? fopen(arguments[1], "r") : NULL;
  if (!texts) return 2;
  load_dialect(&openai, texts);
  load_dialect(&anthropic, texts);
  load_dialect(&responses, texts);
  load_dialect(&gemini, texts);
  signal(SIGPIPE, SIG_IGN);
  struct rlimit limit;
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);

  int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), one = 1;
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof address;
  if (bind(listener, (void *)&address, size) || listen(listener, 16384)) return 2;
  getsockname(listener, (void *)&address, &size);
  printf("port %d\n", ntohs(address.sin_port));
  fflush(stdout);

  poller = epoll_create1(0);
  watch(listener, EPOLLIN, EPOLL_CTL_ADD);
  int timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
  timerfd_settime(timer, 0, &(struct itimerspec){{0, TICK_NS}, {0, TICK_NS}}, NULL);
  watch(timer, EPOLLIN, EPOLL_CTL_ADD);
  struct epoll_event events[512];
  for (;;) {
    int ready = epoll_wait(poller, events, 512, -1);
    for (int i = 0; i < ready; i++) {
      int fd = events[i].data.fd;
      if (fd == listener) {
        int accepted;
        while ((accepted = accept4(listener, NULL, NULL, SOCK_NONBLOCK)) >= 0) {
          if (accepted >= FDS_MAX) { close(accepted); continue; }
          setsockopt(accepted, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
          connections[accepted] = calloc(1, sizeof(Connection));
          watch(accepted, EPOLLIN, EPOLL_CTL_ADD);
        }
      } else if (fd == timer) {
        unsigned long long expired;
        if (read(timer, &expired, sizeof expired) > 0) tick();
      } else {
        Connection *c = connections[fd];
        if (c && (events[i].events & EPOLLOUT)) flush(fd, c);
        c = connections[fd];
        if (c && (events[i].events & (EPOLLIN | EPOLLHUP | EPOLLERR))) receive(fd, c);
      }
    }
  }
}
