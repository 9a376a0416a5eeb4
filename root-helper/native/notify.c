/* What a daemon tells the service manager that started it. */
#include "addon.h"
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* A path that starts with "@" is an abstract name. */
napi_value notify(napi_env env, const char *what, char *text, size_t length, const int *passed)
{
	napi_value result;
	const char *path = getenv("NOTIFY_SOCKET");
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	size_t size = path ? strlen(path) : 0;
	if (!size) return napi_get_boolean(env, false, &result), result;
	if ((path[0] != '/' && path[0] != '@') || size >= sizeof to.sun_path) return fail(env, EINVAL, "NOTIFY_SOCKET");
	memcpy(to.sun_path, path, size);
	if (path[0] == '@') to.sun_path[0] = '\0';
	struct iovec part = { text, length };
	struct msghdr m = { .msg_name = &to, .msg_namelen = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + size), .msg_iov = &part, .msg_iovlen = 1 };
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} control = { 0 };
	if (passed) {
		control.head = (struct cmsghdr){ .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof(int)) };
		memcpy(CMSG_DATA(&control.head), passed, sizeof(int));
		m.msg_control = &control;
		m.msg_controllen = sizeof control;
	}
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0) return fail(env, errno, what);
	ssize_t sent = sendmsg(fd, &m, MSG_NOSIGNAL);
	int error = errno;
	close(fd);
	if (sent < 0) return fail(env, error, what);
	return napi_get_boolean(env, true, &result), result;
}

/* sdNotify(text): false where no service manager listens (sd_notify(3)). */
napi_value sd_notify(napi_env env, napi_callback_info info)
{
	napi_value v;
	char text[1024];
	size_t length;
	if (!arguments(env, info, 1, &v)) return NULL;
	if (napi_get_value_string_utf8(env, v, text, sizeof text, &length) != napi_ok) return napi_throw_type_error(env, NULL, "not a string"), NULL;
	return notify(env, "sd_notify", text, length, NULL);
}
