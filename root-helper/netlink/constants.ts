// Numbers of the kernel's netlink interface, under the kernel's own names, by the header that each comes from.

// asm-generic/socket.h, linux/socket.h
export const SOL_NETLINK = 270

// linux/netlink.h: protocols and socket options
export const NETLINK_ROUTE = 0
export const NETLINK_NETFILTER = 12
export const NETLINK_ADD_MEMBERSHIP = 1
export const NETLINK_BROADCAST_ERROR = 4
export const NETLINK_NO_ENOBUFS = 5
export const NETLINK_CAP_ACK = 10
export const NETLINK_EXT_ACK = 11
export const NETLINK_GET_STRICT_CHK = 12

// linux/netlink.h: nlmsg_flags
export const NLM_F_REQUEST = 0x01
export const NLM_F_MULTI = 0x02
export const NLM_F_ACK = 0x04
export const NLM_F_DUMP_INTR = 0x10
export const NLM_F_DUMP = 0x300
export const NLM_F_REPLACE = 0x100
export const NLM_F_EXCL = 0x200
export const NLM_F_CREATE = 0x400
export const NLM_F_CAPPED = 0x100
export const NLM_F_ACK_TLVS = 0x200

// linux/netlink.h: nlmsg_type below NLMSG_MIN_TYPE
export const NLMSG_NOOP = 1
export const NLMSG_ERROR = 2
export const NLMSG_DONE = 3
export const NLMSG_OVERRUN = 4

// linux/netlink.h: struct nlmsghdr, the extended acknowledgement, nla_type
export const NLMSG_HDRLEN = 16
export const NLMSGERR_ATTR_MSG = 1
export const NLA_F_NESTED = 0x8000
export const NLA_TYPE_MASK = 0x3fff

// linux/rtnetlink.h: message types
export const RTM_NEWLINK = 16
export const RTM_DELLINK = 17
export const RTM_GETLINK = 18
export const RTM_SETLINK = 19
export const RTM_NEWADDR = 20
export const RTM_DELADDR = 21
export const RTM_GETADDR = 22
export const RTM_NEWROUTE = 24
export const RTM_DELROUTE = 25
export const RTM_GETROUTE = 26
export const RTM_NEWRULE = 32
export const RTM_DELRULE = 33
export const RTM_GETRULE = 34
export const RTM_NEWNETCONF = 80
export const RTM_GETNETCONF = 82

// linux/rtnetlink.h: enum rtnetlink_groups
export const RTNLGRP_LINK = 1
export const RTNLGRP_IPV4_IFADDR = 5
export const RTNLGRP_IPV4_ROUTE = 7
export const RTNLGRP_IPV4_RULE = 8
export const RTNLGRP_IPV6_IFADDR = 9
export const RTNLGRP_IPV6_ROUTE = 11
export const RTNLGRP_IPV6_RULE = 19
export const RTNLGRP_IPV4_NETCONF = 24
export const RTNLGRP_IPV6_NETCONF = 25

// linux/rtnetlink.h: sizes of struct ifinfomsg and struct rtmsg, linux/if_addr.h: of struct ifaddrmsg
export const IFINFOMSG_LENGTH = 16
export const IFADDRMSG_LENGTH = 8
export const RTMSG_LENGTH = 12

// linux/netconf.h: struct netconfmsg (padded) and NETCONFA_*
export const NETCONFMSG_LENGTH = 4
export const NETCONFA_IFINDEX = 1
export const NETCONFA_FORWARDING = 2
export const NETCONFA_RP_FILTER = 3
export const NETCONFA_IFINDEX_ALL = -1

// bits/socket.h
export const AF_UNSPEC = 0
export const AF_INET = 2
export const AF_INET6 = 10

// linux/if_link.h: IFLA_*
export const IFLA_ADDRESS = 1
export const IFLA_IFNAME = 3
export const IFLA_MTU = 4
export const IFLA_LINK = 5
export const IFLA_MASTER = 10
export const IFLA_TXQLEN = 13
export const IFLA_OPERSTATE = 16
export const IFLA_LINKMODE = 17
export const IFLA_LINKINFO = 18
export const IFLA_IFALIAS = 20
export const IFLA_STATS64 = 23
export const IFLA_GROUP = 27
export const IFLA_EXT_MASK = 29
export const IFLA_LINK_NETNSID = 37
export const IFLA_PROTO_DOWN = 39
export const IFLA_XDP = 43
export const IFLA_PROP_LIST = 52
export const IFLA_ALT_IFNAME = 53

// linux/rtnetlink.h: RTEXT_FILTER_*, in IFLA_EXT_MASK
export const RTEXT_FILTER_SKIP_STATS = 8

// linux/if_link.h: inside IFLA_LINKINFO, inside IFLA_XDP
export const IFLA_INFO_KIND = 1
export const IFLA_INFO_DATA = 2
export const IFLA_XDP_ATTACHED = 2

// linux/if_tunnel.h: IFLA_GRE_*
export const IFLA_GRE_LINK = 1
export const IFLA_GRE_IFLAGS = 2
export const IFLA_GRE_OFLAGS = 3
export const IFLA_GRE_IKEY = 4
export const IFLA_GRE_OKEY = 5
export const IFLA_GRE_LOCAL = 6
export const IFLA_GRE_REMOTE = 7
export const IFLA_GRE_TTL = 8
export const IFLA_GRE_TOS = 9
export const IFLA_GRE_PMTUDISC = 10
export const IFLA_GRE_ENCAP_LIMIT = 11
export const IFLA_GRE_FLOWINFO = 12
export const IFLA_GRE_FLAGS = 13
export const IFLA_GRE_ENCAP_TYPE = 14
export const IFLA_GRE_ENCAP_SPORT = 16
export const IFLA_GRE_ENCAP_DPORT = 17
export const IFLA_GRE_COLLECT_METADATA = 18
export const IFLA_GRE_IGNORE_DF = 19
export const IFLA_GRE_FWMARK = 20

// linux/if_tunnel.h: bits of IFLA_GRE_IFLAGS and IFLA_GRE_OFLAGS, in network order on the wire
export const GRE_CSUM = 0x8000
export const GRE_ROUTING = 0x4000
export const GRE_KEY = 0x2000
export const GRE_SEQ = 0x1000

// linux/if_tunnel.h: enum tunnel_encap_types
export const TUNNEL_ENCAP_NAMES = ['none', 'fou', 'gue', 'mpls'] as const

// linux/ip6_tunnel.h: bits of IFLA_GRE_FLAGS
export const IP6_TNL_F_IGN_ENCAP_LIMIT = 0x01
export const IP6_TNL_F_USE_ORIG_TCLASS = 0x02
export const IP6_TNL_F_USE_ORIG_FLOWLABEL = 0x04
export const IP6_TNL_F_MIP6_DEV = 0x08
export const IP6_TNL_F_RCV_DSCP_COPY = 0x10
export const IP6_TNL_F_USE_ORIG_FWMARK = 0x20
export const IP6_TNL_F_ALLOW_LOCAL_REMOTE = 0x40

// linux/if.h: ifi_flags, in the order in which `ip` prints them (iproute2, ip/ipaddress.c, print_link_flags)
export const IFF_UP = 0x1
export const IFF_LOOPBACK = 0x8
export const IFF_RUNNING = 0x40
export const IFF_NOARP = 0x80
export const IFF_PROMISC = 0x100
export const IFF_ALLMULTI = 0x200
export const IFF_MULTICAST = 0x1000
export const IFF_LOWER_UP = 0x10000
export const IFF_NAMES: readonly (readonly [number, string])[] = [
  [IFF_LOOPBACK, 'LOOPBACK'],
  [0x2, 'BROADCAST'],
  [0x10, 'POINTOPOINT'],
  [IFF_MULTICAST, 'MULTICAST'],
  [IFF_NOARP, 'NOARP'],
  [IFF_ALLMULTI, 'ALLMULTI'],
  [IFF_PROMISC, 'PROMISC'],
  [0x400, 'MASTER'],
  [0x800, 'SLAVE'],
  [0x4, 'DEBUG'],
  [0x8000, 'DYNAMIC'],
  [0x4000, 'AUTOMEDIA'],
  [0x2000, 'PORTSEL'],
  [0x20, 'NOTRAILERS'],
  [IFF_UP, 'UP'],
  [IFF_LOWER_UP, 'LOWER_UP'],
  [0x20000, 'DORMANT'],
  [0x40000, 'ECHO'],
]

// linux/if.h: IF_OPER_*, which are the states of RFC 2863
export const IF_OPER_NAMES = ['UNKNOWN', 'NOTPRESENT', 'DOWN', 'LOWERLAYERDOWN', 'TESTING', 'DORMANT', 'UP'] as const

// linux/if_arp.h: types of hardware whose addresses are worth showing
export const ARPHRD_ETHER = 1
export const ARPHRD_INFINIBAND = 32
export const ARPHRD_LOOPBACK = 772

// linux/if_addr.h: IFA_*
export const IFA_ADDRESS = 1
export const IFA_LOCAL = 2
export const IFA_LABEL = 3
export const IFA_BROADCAST = 4
export const IFA_CACHEINFO = 6
export const IFA_FLAGS = 8
export const IFA_RT_PRIORITY = 9
export const IFA_PROTO = 11

// linux/if_addr.h: bits of IFA_FLAGS, values of IFA_PROTO
export const IFA_F_SECONDARY = 0x01
export const IFA_F_NODAD = 0x02
export const IFA_F_OPTIMISTIC = 0x04
export const IFA_F_DADFAILED = 0x08
export const IFA_F_HOMEADDRESS = 0x10
export const IFA_F_DEPRECATED = 0x20
export const IFA_F_TENTATIVE = 0x40
export const IFA_F_MANAGETEMPADDR = 0x100
export const IFA_F_NOPREFIXROUTE = 0x200
export const IFA_F_MCAUTOJOIN = 0x400
export const IFAPROT_KERNEL_RA = 2
export const IFAPROT_KERNEL_LL = 3

// linux/rtnetlink.h: enum rt_scope_t
export const RT_SCOPE_UNIVERSE = 0
export const RT_SCOPE_LINK = 253
export const RT_SCOPE_NOWHERE = 255
export const RT_SCOPE_NAMES: Readonly<Record<number, string>> = {
  0: 'global',
  200: 'site',
  253: 'link',
  254: 'host',
  255: 'nowhere',
}

// linux/rtnetlink.h: enum rtattr_type_t, RTM_F_*, rtm_type
export const RTA_DST = 1
export const RTA_SRC = 2
export const RTA_OIF = 4
export const RTA_GATEWAY = 5
export const RTA_PRIORITY = 6
export const RTA_PREFSRC = 7
export const RTA_METRICS = 8
export const RTA_MULTIPATH = 9
export const RTA_FLOW = 11
export const RTA_CACHEINFO = 12
export const RTA_TABLE = 15
export const RTA_VIA = 18
export const RTA_PREF = 20
export const RTA_ENCAP = 22
export const RTA_NH_ID = 30
export const RTM_F_CLONED = 0x200
export const RTM_F_FIB_MATCH = 0x2000
export const RTN_UNICAST = 1
export const RTN_LOCAL = 2
export const RTN_BLACKHOLE = 6
export const RTN_UNREACHABLE = 7
export const RTN_PROHIBIT = 8
export const RT_TABLE_MAIN = 254
export const RTPROT_KERNEL = 2
export const RTPROT_RA = 9
export const RTNH_LENGTH = 8
export const RTNH_F_DEAD = 1
export const RTNH_F_ONLINK = 4

// linux/fib_rules.h: size of struct fib_rule_hdr, FRA_*, FR_ACT_*
export const FIB_RULE_HDR_LENGTH = 12
export const FRA_PRIORITY = 6
export const FRA_FWMARK = 10
export const FRA_SUPPRESS_IFGROUP = 13
export const FRA_SUPPRESS_PREFIXLEN = 14
export const FRA_TABLE = 15
export const FRA_FWMASK = 16
export const FRA_PROTOCOL = 21
export const FR_ACT_TO_TBL = 1

// linux/rtnetlink.h: RTPROT_*, as iproute2's rt_protos spells them
export const RTPROT_NAMES: Readonly<Record<number, string>> = {
  0: 'unspec',
  1: 'redirect',
  2: 'kernel',
  3: 'boot',
  4: 'static',
  8: 'gated',
  9: 'ra',
  10: 'mrt',
  11: 'zebra',
  12: 'bird',
  13: 'dnrouted',
  14: 'xorp',
  15: 'ntk',
  16: 'dhcp',
  18: 'keepalived',
  42: 'babel',
  99: 'openr',
  186: 'bgp',
  187: 'isis',
  188: 'ospf',
  189: 'rip',
  192: 'eigrp',
}
