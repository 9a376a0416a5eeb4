/* A netlink socket that outlives its process: the service manager holds it, and hands it to the next one (sd_pid_notify_with_fds(3)). */
#include "channel.h"
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/netlink.h>

/* inherit(fd, protocol): null where it is no netlink socket of that protocol; then it is left alone. */
napi_value inherit(napi_env env, napi_callback_info info)
{
	napi_value v[2], none;
	int fd, protocol, domain, found, flags;
	socklen_t length = sizeof domain;
	if (!arguments(env, info, 2, v) || !integer(env, v[0], &fd) || !integer(env, v[1], &protocol)) return NULL;
	napi_get_null(env, &none);
	if (getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &length) < 0 || domain != AF_NETLINK) return none;
	if (getsockopt(fd, SOL_SOCKET, SO_PROTOCOL, &found, &length) < 0 || found != protocol) return none;
	if ((flags = fcntl(fd, F_GETFL)) < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0 || fcntl(fd, F_SETFD, FD_CLOEXEC) < 0) return fail(env, errno, "inherit");
	return channel_of(env, fd);
}

/* keep(channel, text): hands it over with its description; false if no service manager listens. */
napi_value keep(napi_env env, napi_callback_info info)
{
	napi_value v[2];
	char text[256];
	size_t length;
	channel *c;
	if (!arguments(env, info, 2, v) || !(c = opened(env, v[0]))) return NULL;
	if (napi_get_value_string_utf8(env, v[1], text, sizeof text, &length) != napi_ok) return napi_throw_type_error(env, NULL, "not a string"), NULL;
	return notify(env, "keep", text, length, &c->fd);
}

/* filter(channel, instructions): struct sock_filter after struct sock_filter; what they refuse never reaches the socket. */
napi_value attach_filter(napi_env env, napi_callback_info info)
{
	napi_value v[2];
	void *bytes;
	size_t length;
	channel *c;
	if (!arguments(env, info, 2, v) || !(c = opened(env, v[0]))) return NULL;
	if (napi_get_buffer_info(env, v[1], &bytes, &length) != napi_ok) return napi_throw_type_error(env, NULL, "not a buffer"), NULL;
	struct sock_fprog program = { .len = (unsigned short)(length / sizeof(struct sock_filter)), .filter = bytes };
	if (setsockopt(c->fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program) < 0) return fail(env, errno, "filter");
	return NULL;
}
