/* What the files of the transport share: a socket that JavaScript holds. */
#ifndef PANEL_CHANNEL_H
#define PANEL_CHANNEL_H

#include "addon.h"
#include <errno.h>
#include <sys/socket.h>
#include <uv.h>

/* Larger than any datagram that the kernel builds for a netlink dump (32 KiB, af_netlink.c), than one message of ours, and than any IP packet. */
#define DATAGRAM_MAX 65536

typedef struct {
	napi_env env;
	int fd;
	uv_poll_t *poll;
	napi_ref on_ready;
	char datagram[DATAGRAM_MAX];
} channel;

/* The open channel behind an external value, or NULL with an error thrown. */
channel *opened(napi_env env, napi_value value);

/* A raw, non-blocking socket as an external value. */
napi_value new_channel(napi_env env, int domain, int protocol);

/* An open socket as an external value, which closes it from then on. */
napi_value channel_of(napi_env env, int fd);

/* store.c */
napi_value inherit(napi_env env, napi_callback_info info);
napi_value keep(napi_env env, napi_callback_info info);
napi_value attach_filter(napi_env env, napi_callback_info info);

/* packet.c */
napi_value open_icmp(napi_env env, napi_callback_info info);
napi_value set_option_bytes(napi_env env, napi_callback_info info);
napi_value interface_index(napi_env env, napi_callback_info info);
napi_value send_packet(napi_env env, napi_callback_info info);
napi_value receive_packets(napi_env env, napi_callback_info info);

#endif
