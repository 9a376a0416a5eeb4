/* ICMP packets between JavaScript and the kernel: where each goes, where it came from and when. Their bytes are JavaScript's matter. */
#include "channel.h"
#include <net/if.h>
#include <netinet/in.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>

/* As many 64-bit words as hold the ancillary data of one packet, aligned as the kernel wants it. */
#define CONTROL_WORDS 32

typedef union {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
} address;

static double microseconds(const struct timespec *t) { return (double)t->tv_sec * 1e6 + (double)t->tv_nsec / 1e3; }

/* openIcmp(family 4 | 6): a raw socket that tells of each packet when it came, by which interface, and its hop limit. */
napi_value open_icmp(napi_env env, napi_callback_info info)
{
	napi_value value, external;
	int family, on = 1;
	channel *c;
	if (!arguments(env, info, 1, &value) || !integer(env, value, &family)) return NULL;
	bool is_v6 = family == 6;
	if (!(external = new_channel(env, is_v6 ? AF_INET6 : AF_INET, is_v6 ? IPPROTO_ICMPV6 : IPPROTO_ICMP)) || !(c = opened(env, external))) return NULL;
	int level = is_v6 ? IPPROTO_IPV6 : IPPROTO_IP;
	if (setsockopt(c->fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on) < 0 ||
	    setsockopt(c->fd, level, is_v6 ? IPV6_RECVPKTINFO : IP_PKTINFO, &on, sizeof on) < 0 ||
	    (is_v6 && setsockopt(c->fd, level, IPV6_RECVHOPLIMIT, &on, sizeof on) < 0))
		return fail(env, errno, "setsockopt");
	return external;
}

/* optionBytes(channel, level, name, bytes) */
napi_value set_option_bytes(napi_env env, napi_callback_info info)
{
	napi_value v[4];
	int level, name;
	void *bytes;
	size_t length;
	channel *c;
	if (!arguments(env, info, 4, v) || !(c = opened(env, v[0])) || !integer(env, v[1], &level) || !integer(env, v[2], &name)) return NULL;
	if (napi_get_buffer_info(env, v[3], &bytes, &length) != napi_ok) return napi_throw_type_error(env, NULL, "not a buffer"), NULL;
	if (setsockopt(c->fd, level, name, bytes, length) < 0) return fail(env, errno, "setsockopt");
	return NULL;
}

/* interfaceIndex(channel, name): 0 where there is none of that name. */
napi_value interface_index(napi_env env, napi_callback_info info)
{
	napi_value v[2], result;
	struct ifreq request = { 0 };
	size_t length;
	channel *c;
	if (!arguments(env, info, 2, v) || !(c = opened(env, v[0]))) return NULL;
	if (napi_get_value_string_utf8(env, v[1], request.ifr_name, sizeof request.ifr_name, &length) != napi_ok) return napi_throw_type_error(env, NULL, "not a string"), NULL;
	bool is_there = ioctl(c->fd, SIOCGIFINDEX, &request) == 0;
	return napi_create_int32(env, is_there ? request.ifr_ifindex : 0, &result), result;
}

static void *append(struct msghdr *m, int level, int type, size_t length)
{
	struct cmsghdr *head = (struct cmsghdr *)((char *)m->msg_control + m->msg_controllen);
	head->cmsg_level = level;
	head->cmsg_type = type;
	head->cmsg_len = CMSG_LEN(length);
	m->msg_controllen += CMSG_SPACE(length);
	return CMSG_DATA(head);
}

/* Where the packet leaves: an interface (0: any), a source of the same family (none: the kernel's choice), a hop limit (0: the kernel's). */
static void direct(struct msghdr *m, bool is_v6, int interface, const void *source, size_t source_length, int hop_limit)
{
	if (is_v6 && (interface || source_length)) {
		struct in6_pktinfo *way = append(m, IPPROTO_IPV6, IPV6_PKTINFO, sizeof *way);
		way->ipi6_ifindex = (unsigned)interface;
		if (source_length) memcpy(&way->ipi6_addr, source, source_length);
	} else if (interface || source_length) {
		struct in_pktinfo *way = append(m, IPPROTO_IP, IP_PKTINFO, sizeof *way);
		way->ipi_ifindex = interface;
		if (source_length) memcpy(&way->ipi_spec_dst, source, source_length);
	}
	if (hop_limit) memcpy(append(m, is_v6 ? IPPROTO_IPV6 : IPPROTO_IP, is_v6 ? IPV6_HOPLIMIT : IP_TTL, sizeof hop_limit), &hop_limit, sizeof hop_limit);
}

/* sendPacket(channel, bytes, destination, source, interface, hop_limit): microseconds since 1970 when it left, or an errno below 0. */
napi_value send_packet(napi_env env, napi_callback_info info)
{
	napi_value v[6], result;
	void *part[3];
	size_t length[3];
	int interface, hop_limit;
	channel *c;
	if (!arguments(env, info, 6, v) || !(c = opened(env, v[0])) || !integer(env, v[4], &interface) || !integer(env, v[5], &hop_limit)) return NULL;
	for (int i = 0; i < 3; i++) if (napi_get_buffer_info(env, v[i + 1], &part[i], &length[i]) != napi_ok) return napi_throw_type_error(env, NULL, "not a buffer"), NULL;
	bool is_v6 = length[1] == sizeof(struct in6_addr);
	if ((!is_v6 && length[1] != sizeof(struct in_addr)) || (length[2] && length[2] != length[1])) return napi_throw_type_error(env, NULL, "not an address"), NULL;
	address to = { 0 };
	to.any.sa_family = is_v6 ? AF_INET6 : AF_INET;
	memcpy(is_v6 ? (void *)&to.v6.sin6_addr : (void *)&to.v4.sin_addr, part[1], length[1]);
	uint64_t control[CONTROL_WORDS] = { 0 };
	struct iovec whole = { part[0], length[0] };
	struct msghdr m = { .msg_name = &to, .msg_namelen = is_v6 ? sizeof to.v6 : sizeof to.v4, .msg_iov = &whole, .msg_iovlen = 1, .msg_control = control };
	direct(&m, is_v6, interface, part[2], length[2], hop_limit);
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	double answer = sendmsg(c->fd, &m, MSG_NOSIGNAL) < 0 ? -errno : microseconds(&now);
	return napi_create_double(env, answer, &result), result;
}

/* What is noted of each packet: where in the buffer the sender's address begins, its length, that of the packet behind it, and the rest. */
enum { NOTE_START, NOTE_ADDRESS, NOTE_LENGTH, NOTE_AT_US, NOTE_INTERFACE, NOTE_HOP_LIMIT, NOTES };

/* hop_limit is -1 where the packet has it itself (IPv4). */
static void annotate(double *note, struct msghdr *m)
{
	note[NOTE_AT_US] = note[NOTE_INTERFACE] = 0;
	note[NOTE_HOP_LIMIT] = -1;
	for (struct cmsghdr *h = CMSG_FIRSTHDR(m); h; h = CMSG_NXTHDR(m, h)) {
		if (h->cmsg_level == SOL_SOCKET && h->cmsg_type == SCM_TIMESTAMPNS) note[NOTE_AT_US] = microseconds((struct timespec *)CMSG_DATA(h));
		if (h->cmsg_level == IPPROTO_IP && h->cmsg_type == IP_PKTINFO) note[NOTE_INTERFACE] = ((struct in_pktinfo *)CMSG_DATA(h))->ipi_ifindex;
		if (h->cmsg_level == IPPROTO_IPV6 && h->cmsg_type == IPV6_PKTINFO) note[NOTE_INTERFACE] = ((struct in6_pktinfo *)CMSG_DATA(h))->ipi6_ifindex;
		if (h->cmsg_level == IPPROTO_IPV6 && h->cmsg_type == IPV6_HOPLIMIT) note[NOTE_HOP_LIMIT] = *(int *)CMSG_DATA(h);
	}
}

/* receivePackets(channel, bytes, notes): how many of those that wait came into the buffer, one behind the other; each has NOTES numbers in `notes`. */
napi_value receive_packets(napi_env env, napi_callback_info info)
{
	napi_value v[3], result;
	napi_typedarray_type type;
	char *bytes;
	double *notes;
	size_t room, numbers, used = 0;
	uint32_t count = 0;
	channel *c;
	if (!arguments(env, info, 3, v) || !(c = opened(env, v[0]))) return NULL;
	if (napi_get_buffer_info(env, v[1], (void **)&bytes, &room) != napi_ok) return napi_throw_type_error(env, NULL, "not a buffer"), NULL;
	if (napi_get_typedarray_info(env, v[2], &type, &numbers, (void **)&notes, NULL, NULL) != napi_ok || type != napi_float64_array) return napi_throw_type_error(env, NULL, "not numbers"), NULL;
	for (; (count + 1) * NOTES <= numbers; count++) {
		address from = { 0 };
		size_t before = used + sizeof from.v6.sin6_addr;
		if (before + DATAGRAM_MAX > room) break;
		uint64_t control[CONTROL_WORDS];
		struct iovec whole = { bytes + before, DATAGRAM_MAX };
		struct msghdr m = { .msg_name = &from, .msg_namelen = sizeof from, .msg_iov = &whole, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control };
		ssize_t length = recvmsg(c->fd, &m, 0);
		if (length < 0 && count == 0 && errno != EAGAIN && errno != EINTR) return fail(env, errno, "receive");
		if (length < 0) break;
		bool is_v6 = from.any.sa_family == AF_INET6;
		size_t size = is_v6 ? sizeof from.v6.sin6_addr : sizeof from.v4.sin_addr;
		memcpy(bytes + before - size, is_v6 ? (void *)&from.v6.sin6_addr : (void *)&from.v4.sin_addr, size);
		double *note = notes + count * NOTES;
		note[NOTE_START] = (double)(before - size);
		note[NOTE_ADDRESS] = (double)size;
		note[NOTE_LENGTH] = (double)length;
		annotate(note, &m);
		used = before + (size_t)length;
	}
	return napi_create_uint32(env, count, &result), result;
}
