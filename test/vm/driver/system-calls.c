/* System calls as such: what node has no function for, an intruder's own code can do all the same. */
#include "addon.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST 7

/* call(number, ...): the arguments are integers, or buffers in the place of pointers. Returns what the kernel does, or throws its error. */
static napi_value call(napi_env env, napi_callback_info info)
{
	napi_value given[MOST];
	int64_t values[MOST] = {0};
	size_t count = MOST;
	napi_get_cb_info(env, info, &count, given, NULL, NULL);
	for (size_t at = 0; at < count && at < MOST; at++) {
		void *bytes;
		if (napi_get_buffer_info(env, given[at], &bytes, NULL) == napi_ok) values[at] = (intptr_t)bytes;
		else if (napi_get_value_int64(env, given[at], &values[at]) != napi_ok) return fail(env, EINVAL, "argument");
	}
	int64_t answer = syscall(values[0], values[1], values[2], values[3], values[4], values[5], values[6]);
	napi_value result;
	return answer < 0 ? fail(env, errno, "system call") : napi_create_int64(env, answer, &result) == napi_ok ? result : NULL;
}

/* child(flags, fd): makes a child with the flags of clone(2), which executes the open file, or nothing if `fd` is below 0. */
static napi_value child(napi_env env, napi_callback_info info)
{
	napi_value given[2];
	int flags, fd, status;
	if (!arguments(env, info, 2, given) || !integer(env, given[0], &flags) || !integer(env, given[1], &fd)) return NULL;
	char *argv[] = {"program", NULL}, *environment[] = {NULL};
	long pid = syscall(SYS_clone, (unsigned)flags | SIGCHLD, 0, 0, 0, 0);
	if (pid < 0) return fail(env, errno, "clone");
	if (pid == 0) {
		if (fd >= 0) syscall(SYS_execveat, fd, "", argv, environment, AT_EMPTY_PATH);
		_exit(fd >= 0 ? errno : 0);
	}
	if (waitpid(pid, &status, 0) < 0) return fail(env, errno, "waitpid");
	return status == 0 ? NULL : fail(env, WEXITSTATUS(status), "execveat");
}

#define NUMBER(name) { #name, SYS_##name }
static const struct { const char *name; int number; } NUMBERS[] = {
	NUMBER(add_key), NUMBER(bind), NUMBER(bpf), NUMBER(chroot), NUMBER(clock_settime), NUMBER(connect), NUMBER(finit_module),
	NUMBER(io_uring_setup), NUMBER(listen), NUMBER(memfd_create), NUMBER(mknodat), NUMBER(mount), NUMBER(perf_event_open),
	NUMBER(pidfd_getfd), NUMBER(pidfd_open), NUMBER(process_vm_readv), NUMBER(process_vm_writev), NUMBER(ptrace), NUMBER(reboot),
	NUMBER(sethostname), NUMBER(setresuid), NUMBER(socket), NUMBER(umount2),
};

NAPI_MODULE_INIT()
{
	const napi_property_descriptor functions[] = {
		{ "call", NULL, call, NULL, NULL, NULL, napi_enumerable, NULL },
		{ "child", NULL, child, NULL, NULL, NULL, napi_enumerable, NULL },
	};
	napi_define_properties(env, exports, sizeof functions / sizeof *functions, functions);
	for (size_t at = 0; at < sizeof NUMBERS / sizeof *NUMBERS; at++) {
		napi_value number;
		napi_create_int32(env, NUMBERS[at].number, &number);
		napi_set_named_property(env, exports, NUMBERS[at].name, number);
	}
	return exports;
}
