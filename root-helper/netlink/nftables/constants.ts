// Numbers of nftables' netlink interface, under the kernel's own names, by the header that each comes from.

// linux/netfilter/nfnetlink.h
export const NFNL_SUBSYS_NFTABLES = 10
export const NFGENMSG_BYTES = 4
export const NFNL_MSG_BATCH_BEGIN = 0x10
export const NFNL_MSG_BATCH_END = 0x11
export const NFNL_BATCH_GENID = 1

// linux/netfilter.h
export const NFPROTO_UNSPEC = 0
export const NFPROTO_INET = 1
export const NFPROTO_IPV4 = 2
export const NFPROTO_ARP = 3
export const NFPROTO_NETDEV = 5
export const NFPROTO_BRIDGE = 7
export const NFPROTO_IPV6 = 10

// linux/netfilter/nf_tables.h: enum nf_tables_msg_types
export const NFT_MSG_NEWTABLE = 0
export const NFT_MSG_GETTABLE = 1
export const NFT_MSG_DELTABLE = 2
export const NFT_MSG_NEWCHAIN = 3
export const NFT_MSG_GETCHAIN = 4
export const NFT_MSG_NEWRULE = 6
export const NFT_MSG_GETRULE = 7
export const NFT_MSG_GETSET = 10
export const NFT_MSG_NEWSETELEM = 12
export const NFT_MSG_GETSETELEM = 13
export const NFT_MSG_DELSETELEM = 14
export const NFT_MSG_NEWGEN = 15
export const NFT_MSG_GETGEN = 16
export const NFT_MSG_NEWOBJ = 18
export const NFT_MSG_GETOBJ = 19
export const NFT_MSG_DELOBJ = 20
export const NFT_MSG_NEWFLOWTABLE = 22
export const NFT_MSG_GETFLOWTABLE = 23

// linux/netfilter/nf_tables.h: enum nft_gen_attributes, nft_table_attributes
export const NFTA_GEN_ID = 1
export const NFTA_GEN_PROC_PID = 2
export const NFTA_GEN_PROC_NAME = 3
export const NFTA_TABLE_NAME = 1
export const NFTA_TABLE_FLAGS = 2
export const NFTA_TABLE_HANDLE = 4
export const NFTA_TABLE_OWNER = 7
export const NFT_TABLE_F_OWNER = 2
export const NFT_TABLE_F_PERSIST = 4

// linux/netfilter/nf_tables.h: enum nft_chain_attributes, nft_set_attributes
export const NFTA_CHAIN_TABLE = 1
export const NFTA_CHAIN_NAME = 3
export const NFTA_CHAIN_HOOK = 4
export const NFTA_CHAIN_POLICY = 5
export const NFTA_CHAIN_TYPE = 7
export const NFTA_HOOK_HOOKNUM = 1
export const NFTA_HOOK_PRIORITY = 2
export const NFTA_SET_TABLE = 1
export const NFTA_SET_NAME = 2
/** What a set is declared as, up to NFTA_SET_EXPRESSIONS: later ones say how full it is. */
export const NFTA_SET_DECLARED = Array.from({ length: 18 }, (_, at) => at + 1)

// linux/netfilter/nf_tables.h: enum nft_rule_attributes, nft_list_attributes
export const NFTA_RULE_TABLE = 1
export const NFTA_RULE_CHAIN = 2
export const NFTA_RULE_EXPRESSIONS = 4
export const NFTA_LIST_ELEM = 1

// linux/netfilter/nf_tables.h: enum nft_set_elem_list_attributes, nft_set_elem_attributes, nft_set_elem_flags
export const NFTA_SET_ELEM_LIST_TABLE = 1
export const NFTA_SET_ELEM_LIST_SET = 2
export const NFTA_SET_ELEM_LIST_ELEMENTS = 3
export const NFTA_SET_ELEM_KEY = 1
export const NFTA_SET_ELEM_DATA = 2
export const NFTA_SET_ELEM_FLAGS = 3
export const NFTA_SET_ELEM_EXPR = 7
export const NFTA_SET_ELEM_OBJREF = 9
/** Every attribute that our elements use; an element with a time-out, an expression or a second key is foreign. */
export const NFTA_SET_ELEM_FOREIGN = [4, 5, 10, 11] as const
export const NFT_SET_ELEM_INTERVAL_END = 1

// linux/netfilter/nf_tables.h: enum nft_data_attributes, nft_verdict_attributes, nft_verdicts
export const NFTA_DATA_VALUE = 1
export const NFTA_DATA_VERDICT = 2
export const NFTA_VERDICT_CODE = 1
export const NFTA_VERDICT_CHAIN = 2
export const NFT_GOTO = -4

// linux/netfilter/nf_tables.h: enum nft_object_attributes, nft_counter_attributes; NFT_OBJECT_COUNTER
export const NFTA_OBJ_TABLE = 1
export const NFTA_OBJ_NAME = 2
export const NFTA_OBJ_TYPE = 3
export const NFTA_OBJ_DATA = 4
export const NFT_OBJECT_COUNTER = 1
export const NFTA_COUNTER_BYTES = 1
export const NFTA_COUNTER_PACKETS = 2

// linux/netfilter/nf_tables.h: enum nft_flowtable_attributes, nft_flowtable_hook_attributes, nft_devices_attributes
export const NFTA_FLOWTABLE_TABLE = 1
export const NFTA_FLOWTABLE_NAME = 2
export const NFTA_FLOWTABLE_HOOK = 3
export const NFTA_FLOWTABLE_FLAGS = 7
export const NFT_FLOWTABLE_COUNTER = 2
export const NFTA_FLOWTABLE_HOOK_NUM = 1
export const NFTA_FLOWTABLE_HOOK_PRIORITY = 2
export const NFTA_FLOWTABLE_HOOK_DEVS = 3
export const NFTA_DEVICE_NAME = 1
export const NF_NETDEV_INGRESS = 0

// linux/netfilter/nf_tables.h: enum nft_expr_attributes
export const NFTA_EXPR_NAME = 1
export const NFTA_EXPR_DATA = 2

// linux/netfilter/nf_tables.h: attributes and values of the expressions in our lines
export const NFT_REG_VERDICT = 0
export const NFT_REG_1 = 1
export const NFTA_META_DREG = 1
export const NFTA_META_KEY = 2
export const NFT_META_IIFNAME = 6
export const NFT_META_NFPROTO = 15
export const NFTA_PAYLOAD_DREG = 1
export const NFTA_PAYLOAD_BASE = 2
export const NFTA_PAYLOAD_OFFSET = 3
export const NFTA_PAYLOAD_LEN = 4
export const NFT_PAYLOAD_NETWORK_HEADER = 1
export const NFTA_FIB_DREG = 1
export const NFTA_FIB_RESULT = 2
export const NFTA_FIB_FLAGS = 3
export const NFT_FIB_RESULT_ADDRTYPE = 3
export const NFTA_FIB_F_DADDR = 2
export const NFTA_CMP_SREG = 1
export const NFTA_CMP_OP = 2
export const NFTA_CMP_DATA = 3
export const NFT_CMP_EQ = 0
export const NFTA_LOOKUP_SET = 1
export const NFTA_LOOKUP_SREG = 2
export const NFTA_LOOKUP_FLAGS = 5
export const NFTA_IMMEDIATE_DREG = 1
export const NFTA_IMMEDIATE_DATA = 2
export const NFTA_CT_DREG = 1
export const NFTA_CT_KEY = 2
export const NFTA_CT_SREG = 4
export const NFT_CT_MARK = 3
export const NFTA_NG_DREG = 1
export const NFTA_NG_MODULUS = 2
export const NFTA_NG_TYPE = 3
export const NFTA_NG_OFFSET = 4
export const NFT_NG_INCREMENTAL = 0
export const NFTA_HASH_SREG = 1
export const NFTA_HASH_DREG = 2
export const NFTA_HASH_LEN = 3
export const NFTA_HASH_MODULUS = 4
export const NFTA_HASH_SEED = 5
export const NFTA_HASH_OFFSET = 6
export const NFTA_HASH_TYPE = 7
export const NFT_HASH_JENKINS = 0
export const NFTA_LIMIT_RATE = 1
export const NFTA_LIMIT_UNIT = 2
export const NFTA_LIMIT_BURST = 3
export const NFTA_LIMIT_TYPE = 4
export const NFTA_LIMIT_FLAGS = 5
export const NFTA_LIMIT_PAD = 6
export const NFT_LIMIT_PKTS = 0
export const NFT_LIMIT_F_INV = 1
export const NFTA_LOG_PREFIX = 2
export const NFTA_LOG_LEVEL = 5
export const NFTA_DYNSET_SET_NAME = 1
export const NFTA_DYNSET_OP = 3
export const NFTA_DYNSET_SREG_KEY = 4
export const NFTA_DYNSET_TIMEOUT = 6
export const NFTA_DYNSET_EXPR = 7
export const NFTA_DYNSET_PAD = 8
export const NFTA_DYNSET_FLAGS = 9
export const NFT_DYNSET_OP_ADD = 0
export const NFTA_CONNLIMIT_COUNT = 1
export const NFTA_CONNLIMIT_FLAGS = 2
export const NFT_CONNLIMIT_F_INV = 1

// linux/netfilter.h, linux/rtnetlink.h, linux/kern_levels.h
export const NF_DROP = 0
export const NF_ACCEPT = 1
export const NF_INET_PRE_ROUTING = 0
export const NF_INET_LOCAL_IN = 1
export const NF_INET_LOCAL_OUT = 3
export const NF_INET_POST_ROUTING = 4
export const RTN_LOCAL = 2
export const LOGLEVEL_INFO = 6
