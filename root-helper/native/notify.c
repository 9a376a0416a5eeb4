/* What a daemon tells the service manager that started it. */
#include "addon.h"
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* sdNotify(text): false where no service manager listens (sd_notify(3)). A path that starts with "@" is an abstract name. */
napi_value sd_notify(napi_env env, napi_callback_info info)
{
	napi_value v, result;
	char text[1024];
	size_t length;
	if (!arguments(env, info, 1, &v)) return NULL;
	if (napi_get_value_string_utf8(env, v, text, sizeof text, &length) != napi_ok) return napi_throw_type_error(env, NULL, "not a string"), NULL;
	const char *path = getenv("NOTIFY_SOCKET");
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	size_t size = path ? strlen(path) : 0;
	if (!size) return napi_get_boolean(env, false, &result), result;
	if ((path[0] != '/' && path[0] != '@') || size >= sizeof to.sun_path) return fail(env, EINVAL, "NOTIFY_SOCKET");
	memcpy(to.sun_path, path, size);
	if (path[0] == '@') to.sun_path[0] = '\0';
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0) return fail(env, errno, "sd_notify");
	ssize_t sent = sendto(fd, text, length, MSG_NOSIGNAL, (struct sockaddr *)&to, offsetof(struct sockaddr_un, sun_path) + size);
	int error = errno;
	close(fd);
	if (sent < 0) return fail(env, error, "sd_notify");
	return napi_get_boolean(env, true, &result), result;
}
