/* File operations in a forked process, for a file system that may never answer: a thread in such a call can neither be ended nor left behind. */
#include "addon.h"
#include "apart.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* The numbers of files-apart.ts. */
enum { NAMES = 1, FACTS, MAKE_DIRECTORY, WRITE_NEW, RENAME, REMOVE, SYNC };

struct request { uint32_t operation, path_length, data_length; };
struct answer { uint32_t error, length; };
struct facts { uint64_t device, size; };
struct entry { uint64_t inode, offset; unsigned short length; unsigned char type; char name[]; };

/* Names of the panel's own files have 60 bytes; there is room for some 17,000. */
enum { ROOM = 1024 * 1024 };
static char answered[ROOM];

static bool receive(int fd, void *to, size_t length)
{
	for (char *at = to; length > 0;) {
		ssize_t some = read(fd, at, length);
		if (some <= 0) return false;
		at += some;
		length -= (size_t)some;
	}
	return true;
}

static bool send_whole(int fd, const void *from, size_t length)
{
	for (const char *at = from; length > 0;) {
		ssize_t some = write(fd, at, length);
		if (some < 0) return false;
		at += some;
		length -= (size_t)some;
	}
	return true;
}

/* Closes fd; -1 with the errno of what failed first. */
static int closed(int fd, bool is_done)
{
	int error = errno;
	if (close(fd) < 0 && is_done) return -1;
	errno = error;
	return is_done ? 0 : -1;
}

/* Names in the directory that begin with `start`, each with its NUL. */
static int names(const char *path, const char *start, uint32_t *length)
{
	static char entries[32768] __attribute__((aligned(8)));
	int directory = open(path, O_RDONLY | O_DIRECTORY);
	if (directory < 0) return -1;
	long some;
	while ((some = syscall(SYS_getdents64, directory, entries, sizeof entries)) > 0)
		for (long at = 0; at < some;) {
			const struct entry *one = (const struct entry *)(entries + at);
			size_t size = strlen(one->name) + 1;
			at += one->length;
			if (strncmp(one->name, start, strlen(start)) != 0) continue;
			if (*length + size > sizeof answered) return errno = EOVERFLOW, closed(directory, false);
			memcpy(answered + *length, one->name, size);
			*length += (uint32_t)size;
		}
	return closed(directory, some == 0);
}

static int facts_of(const char *path, uint32_t *length)
{
	struct stat found;
	if (stat(path, &found) < 0) return -1;
	const struct facts facts = { .device = found.st_dev, .size = (uint64_t)found.st_size };
	memcpy(answered, &facts, sizeof facts);
	*length = sizeof facts;
	return 0;
}

static int write_new(const char *path, const char *data, size_t length)
{
	int file = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
	return file < 0 ? -1 : closed(file, send_whole(file, data, length) && fsync(file) == 0);
}

static int sync_directory(const char *path)
{
	int directory = open(path, O_RDONLY | O_DIRECTORY);
	return directory < 0 ? -1 : closed(directory, fsync(directory) == 0);
}

static int carry_out(const struct request *request, const char *path, const char *data, uint32_t *length)
{
	switch (request->operation) {
	case NAMES: return names(path, data, length);
	case FACTS: return facts_of(path, length);
	case MAKE_DIRECTORY: return mkdir(path, 0700);
	case WRITE_NEW: return write_new(path, data, request->data_length);
	case RENAME: return rename(path, data);
	case REMOVE: return unlink(path);
	case SYNC: return sync_directory(path);
	default: return errno = ENOSYS, -1;
	}
}

/* One request after the other until the other end is closed. Of the C library only what is safe after a fork of a process with threads: no malloc. */
_Noreturn static void serve(int fd)
{
	struct request request;
	while (receive(fd, &request, sizeof request)) {
		size_t size = (size_t)request.path_length + request.data_length + 2;
		char *path = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (path == MAP_FAILED) _exit(1);
		/* Each ends with the NUL of fresh memory. */
		char *data = path + request.path_length + 1;
		if (!receive(fd, path, request.path_length) || !receive(fd, data, request.data_length)) _exit(1);
		uint32_t length = 0;
		bool is_done = carry_out(&request, path, data, &length) == 0;
		const struct answer answer = { .error = is_done ? 0 : (uint32_t)errno, .length = is_done ? length : 0 };
		if (!send_whole(fd, &answer, sizeof answer) || !send_whole(fd, answered, answer.length)) _exit(1);
		munmap(path, size);
	}
	_exit(0);
}

/* The process holds nothing of the daemon's but its end of the pair, or a port would stay taken as long as a call hangs. */
_Noreturn static void become_apart(int end, pid_t parent)
{
	prctl(PR_SET_NAME, "panel-files");
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent || dup2(end, 0) < 0) _exit(1);
	if (syscall(SYS_close_range, 1U, ~0U, 0U) < 0)
		for (int fd = (int)sysconf(_SC_OPEN_MAX); fd > 0; fd -= 1) close(fd);
	serve(0);
}

/* forkFiles(): [pid, fd] of a process that does file operations. Every signal stays blocked there, since node's handlers would write into what it opens. */
napi_value fork_files(napi_env env, napi_callback_info info)
{
	(void)info;
	int ends[2];
	sigset_t all, before;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0) return fail(env, errno, "socketpair");
	const pid_t parent = getpid();
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	const pid_t pid = fork();
	if (pid == 0) become_apart(ends[1], parent);
	const int error = errno;
	sigprocmask(SIG_SETMASK, &before, NULL);
	close(ends[1]);
	if (pid < 0) return close(ends[0]), fail(env, error, "fork");
	napi_value both, number;
	napi_create_array_with_length(env, 2, &both);
	napi_create_int32(env, pid, &number);
	napi_set_element(env, both, 0, number);
	napi_create_int32(env, ends[0], &number);
	napi_set_element(env, both, 1, number);
	return both;
}

/* reap(pid): whether that process is over. */
napi_value reap(napi_env env, napi_callback_info info)
{
	napi_value v[1], is_over;
	int pid;
	if (!arguments(env, info, 1, v) || !integer(env, v[0], &pid)) return NULL;
	napi_get_boolean(env, pid <= 0 || waitpid(pid, NULL, WNOHANG) != 0, &is_over);
	return is_over;
}
