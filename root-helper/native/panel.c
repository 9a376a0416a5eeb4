/* A transport between JavaScript and the kernel: netlink sockets and peer credentials. It moves bytes and never reads them. */
#include "channel.h"
#include <linux/netlink.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

/* The type tag keeps another addon's external from being read as ours. */
static const napi_type_tag CHANNEL_TAG = { 0x70616e656c2e6e6fULL, 0x64652d6368616e31ULL };
channel *opened(napi_env env, napi_value value)
{
	bool ours = false;
	void *c = NULL;
	if (napi_check_object_type_tag(env, value, &CHANNEL_TAG, &ours) != napi_ok || !ours || napi_get_value_external(env, value, &c) != napi_ok) {
		napi_throw_type_error(env, NULL, "not a channel");
		return NULL;
	}
	if (((channel *)c)->fd < 0) return fail(env, EBADF, "channel"), NULL;
	return c;
}

static void free_handle(uv_handle_t *handle) { free(handle); }

static void unwatch(void *data)
{
	channel *c = data;
	if (!c->poll) return;
	uv_close((uv_handle_t *)c->poll, free_handle);
	c->poll = NULL;
	napi_remove_env_cleanup_hook(c->env, unwatch, c);
	napi_delete_reference(c->env, c->on_ready);
}

static void shut(channel *c)
{
	unwatch(c);
	if (c->fd >= 0) close(c->fd);
	c->fd = -1;
}

static void finalize(napi_env env, void *data, void *hint)
{
	(void)env, (void)hint;
	shut(data);
	free(data);
}

static napi_value as_external(napi_env env, channel *c)
{
	napi_value external;
	if (napi_create_external(env, c, finalize, NULL, &external) != napi_ok) return finalize(env, c, NULL), NULL;
	napi_type_tag_object(env, external, &CHANNEL_TAG);
	return external;
}

napi_value channel_of(napi_env env, int fd)
{
	channel *c = calloc(1, sizeof *c);
	if (!c) return close(fd), fail(env, ENOMEM, "open");
	c->env = env;
	c->fd = fd;
	return as_external(env, c);
}

napi_value new_channel(napi_env env, int domain, int protocol)
{
	channel *c = calloc(1, sizeof *c);
	if (!c) return fail(env, ENOMEM, "open");
	c->env = env;
	c->fd = socket(domain, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, protocol);
	struct sockaddr_nl self = { .nl_family = AF_NETLINK };
	if (c->fd < 0 || (domain == AF_NETLINK && bind(c->fd, (struct sockaddr *)&self, sizeof self) < 0)) {
		int error = errno;
		finalize(env, c, NULL);
		return fail(env, error, "open socket");
	}
	return as_external(env, c);
}

/* open(protocol): a bound, non-blocking netlink socket. */
static napi_value open_channel(napi_env env, napi_callback_info info)
{
	napi_value value;
	int protocol;
	if (!arguments(env, info, 1, &value) || !integer(env, value, &protocol)) return NULL;
	return new_channel(env, AF_NETLINK, protocol);
}

/* option(channel, level, name, value) */
static napi_value set_option(napi_env env, napi_callback_info info)
{
	napi_value v[4];
	int level, name, value;
	channel *c;
	if (!arguments(env, info, 4, v) || !(c = opened(env, v[0]))) return NULL;
	if (!integer(env, v[1], &level) || !integer(env, v[2], &name) || !integer(env, v[3], &value)) return NULL;
	if (setsockopt(c->fd, level, name, &value, sizeof value) < 0) return fail(env, errno, "setsockopt");
	return NULL;
}

/* receiveBuffer(channel, bytes): past the system's limit where we may (CAP_NET_ADMIN), else up to it. */
static napi_value set_receive_buffer(napi_env env, napi_callback_info info)
{
	napi_value v[2];
	int bytes;
	channel *c;
	if (!arguments(env, info, 2, v) || !(c = opened(env, v[0])) || !integer(env, v[1], &bytes)) return NULL;
	if (setsockopt(c->fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof bytes) < 0 &&
	    setsockopt(c->fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes) < 0)
		return fail(env, errno, "receive buffer");
	return NULL;
}

/* send(channel, bytes): to the kernel, whole or not at all. */
static napi_value send_bytes(napi_env env, napi_callback_info info)
{
	napi_value v[2];
	void *bytes;
	size_t length;
	channel *c;
	if (!arguments(env, info, 2, v) || !(c = opened(env, v[0]))) return NULL;
	if (napi_get_buffer_info(env, v[1], &bytes, &length) != napi_ok) return napi_throw_type_error(env, NULL, "not a buffer"), NULL;
	struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };
	if (sendto(c->fd, bytes, length, 0, (struct sockaddr *)&kernel, sizeof kernel) < 0) return fail(env, errno, "send");
	return NULL;
}

/* One datagram as { bytes, sender }, or null where none waits. */
static napi_value take(napi_env env, napi_callback_info info, int flags)
{
	napi_value v, result, bytes, sender;
	struct sockaddr_nl from = { 0 };
	channel *c;
	if (!arguments(env, info, 1, &v) || !(c = opened(env, v))) return NULL;
	struct iovec part = { c->datagram, sizeof c->datagram };
	struct msghdr m = { .msg_name = &from, .msg_namelen = sizeof from, .msg_iov = &part, .msg_iovlen = 1 };
	ssize_t length = recvmsg(c->fd, &m, flags);
	if (length < 0 && (errno == EAGAIN || errno == EINTR)) return napi_get_null(env, &result), result;
	if (length < 0) return fail(env, errno, "receive");
	if (m.msg_flags & MSG_TRUNC) return fail(env, EMSGSIZE, "receive");
	if (napi_create_object(env, &result) != napi_ok || napi_create_uint32(env, from.nl_pid, &sender) != napi_ok ||
	    napi_create_buffer_copy(env, length, c->datagram, NULL, &bytes) != napi_ok) return fail(env, ENOMEM, "receive");
	napi_set_named_property(env, result, "bytes", bytes);
	napi_set_named_property(env, result, "sender", sender);
	return result;
}

/* receive(channel) */
static napi_value receive(napi_env env, napi_callback_info info) { return take(env, info, 0); }

/* peek(channel): the same, and it goes on waiting. */
static napi_value peek(napi_env env, napi_callback_info info) { return take(env, info, MSG_PEEK); }

static void ready(uv_poll_t *poll, int status, int events)
{
	(void)events;
	channel *c = poll->data;
	napi_env env = c->env;
	napi_handle_scope scope;
	napi_value callback, self, code;
	if (napi_open_handle_scope(env, &scope) != napi_ok) return;
	if (napi_get_reference_value(env, c->on_ready, &callback) == napi_ok && napi_get_global(env, &self) == napi_ok &&
	    napi_create_int32(env, status, &code) == napi_ok &&
	    napi_make_callback(env, NULL, self, callback, 1, &code, NULL) == napi_pending_exception) {
		napi_value thrown;
		if (napi_get_and_clear_last_exception(env, &thrown) == napi_ok) napi_fatal_exception(env, thrown);
	}
	napi_close_handle_scope(env, scope);
}

/* watch(channel, callback(status)): called while datagrams wait; does not keep the process alive. After a status below 0
 * (the socket reported an error, ENOBUFS for one) libuv has stopped watching: call watch again to go on. */
static napi_value watch(napi_env env, napi_callback_info info)
{
	napi_value v[2];
	channel *c;
	uv_loop_t *loop;
	int error;
	if (!arguments(env, info, 2, v) || !(c = opened(env, v[0]))) return NULL;
	if (!c->poll) {
		if (!(c->poll = calloc(1, sizeof *c->poll))) return fail(env, ENOMEM, "watch");
		napi_get_uv_event_loop(env, &loop);
		if ((error = uv_poll_init(loop, c->poll, c->fd)) < 0) {
			free(c->poll);
			c->poll = NULL;
			return fail(env, -error, "watch");
		}
		c->poll->data = c;
		uv_unref((uv_handle_t *)c->poll);
		napi_add_env_cleanup_hook(env, unwatch, c);
	} else {
		napi_delete_reference(env, c->on_ready);
	}
	napi_create_reference(env, v[1], 1, &c->on_ready);
	if ((error = uv_poll_start(c->poll, UV_READABLE, ready)) < 0) return fail(env, -error, "watch");
	return NULL;
}

/* pause(channel): the callback is not called until watch is. */
static napi_value pause_watching(napi_env env, napi_callback_info info)
{
	napi_value v;
	channel *c;
	if (arguments(env, info, 1, &v) && (c = opened(env, v)) && c->poll) uv_poll_stop(c->poll);
	return NULL;
}

/* close(channel): closing twice is nothing. */
static napi_value close_channel(napi_env env, napi_callback_info info)
{
	napi_value v;
	void *c;
	bool ours = false;
	if (!arguments(env, info, 1, &v)) return NULL;
	if (napi_check_object_type_tag(env, v, &CHANNEL_TAG, &ours) == napi_ok && ours && napi_get_value_external(env, v, &c) == napi_ok) shut(c);
	return NULL;
}

/* peerCredentials(fd): who connected to a Unix socket, by the kernel's word. */
static napi_value peer_credentials(napi_env env, napi_callback_info info)
{
	napi_value v, result, number;
	int fd;
	struct ucred peer;
	socklen_t length = sizeof peer;
	if (!arguments(env, info, 1, &v) || !integer(env, v, &fd)) return NULL;
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) < 0) return fail(env, errno, "peer credentials");
	const char *names[] = { "pid", "uid", "gid" };
	uint32_t values[] = { (uint32_t)peer.pid, peer.uid, peer.gid };
	if (napi_create_object(env, &result) != napi_ok) return NULL;
	for (int i = 0; i < 3; i++) {
		napi_create_uint32(env, values[i], &number);
		napi_set_named_property(env, result, names[i], number);
	}
	return result;
}

NAPI_MODULE_INIT()
{
	const napi_property_descriptor functions[] = {
		{ "open", NULL, open_channel, NULL, NULL, NULL, napi_enumerable, NULL },
		{ "option", NULL, set_option, NULL, NULL, NULL, napi_enumerable, NULL },
		{ "receiveBuffer", NULL, set_receive_buffer, NULL, NULL, NULL, napi_enumerable, NULL },
		{ "send", NULL, send_bytes, NULL, NULL, NULL, napi_enumerable, NULL },
		{ "receive", NULL, receive, NULL, NULL, NULL, napi_enumerable, NULL },
		{ "peek", NULL, peek, NULL, NULL, NULL, napi_enumerable, NULL },
		{ "inherit", NULL, inherit, NULL, NULL, NULL, napi_enumerable, NULL },
		{ "keep", NULL, keep, NULL, NULL, NULL, napi_enumerable, NULL },
		{ "filter", NULL, attach_filter, NULL, NULL, NULL, napi_enumerable, NULL },
		{ "watch", NULL, watch, NULL, NULL, NULL, napi_enumerable, NULL },
		{ "pause", NULL, pause_watching, NULL, NULL, NULL, napi_enumerable, NULL },
		{ "close", NULL, close_channel, NULL, NULL, NULL, napi_enumerable, NULL },
		{ "openIcmp", NULL, open_icmp, NULL, NULL, NULL, napi_enumerable, NULL },
		{ "optionBytes", NULL, set_option_bytes, NULL, NULL, NULL, napi_enumerable, NULL },
		{ "interfaceIndex", NULL, interface_index, NULL, NULL, NULL, napi_enumerable, NULL },
		{ "sendPacket", NULL, send_packet, NULL, NULL, NULL, napi_enumerable, NULL },
		{ "receivePackets", NULL, receive_packets, NULL, NULL, NULL, napi_enumerable, NULL },
		{ "peerCredentials", NULL, peer_credentials, NULL, NULL, NULL, napi_enumerable, NULL },
		{ "sdNotify", NULL, sd_notify, NULL, NULL, NULL, napi_enumerable, NULL },
	};
	napi_define_properties(env, exports, sizeof functions / sizeof *functions, functions);
	return exports;
}
