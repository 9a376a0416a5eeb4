/* What the web daemon tells the service manager, and how it gives up for good what it never needs: starting a program. */
#include "addon.h"
#include "apart.h"
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

/* A system call of another architecture (the 32-bit one on amd64) has other numbers, so it is refused whole; x32 has a bit of its own. */
#define X32 0x40000000
static struct sock_filter NO_PROGRAM[] = {
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 0, 4),
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, X32, 2, 0),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_execve, 1, 0),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_execveat, 0, 1),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
};

/* forbidPrograms(): from now on execve(2) fails in every thread of this process and in what it forks, and nothing can undo that (seccomp(2)). */
static napi_value forbid_programs(napi_env env, napi_callback_info info)
{
	(void)info;
	struct sock_fprog filter = { .len = sizeof NO_PROGRAM / sizeof *NO_PROGRAM, .filter = NO_PROGRAM };
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0) return fail(env, errno, "no_new_privs");
	if (syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter) != 0) return fail(env, errno, "seccomp");
	return NULL;
}

NAPI_MODULE_INIT()
{
	const napi_property_descriptor functions[] = {
		{ "sdNotify", NULL, sd_notify, NULL, NULL, NULL, napi_enumerable, NULL },
		{ "forbidPrograms", NULL, forbid_programs, NULL, NULL, NULL, napi_enumerable, NULL },
		{ "forkFiles", NULL, fork_files, NULL, NULL, NULL, napi_enumerable, NULL },
		{ "reap", NULL, reap, NULL, NULL, NULL, napi_enumerable, NULL },
	};
	napi_define_properties(env, exports, sizeof functions / sizeof *functions, functions);
	return exports;
}
