// Numbers of nftables' netlink interface, under the kernel's own names, by the header that each comes from.

// linux/netfilter/nfnetlink.h
export const NFNL_SUBSYS_NFTABLES = 10
export const NFGENMSG_BYTES = 4

// linux/netfilter.h
export const NFPROTO_UNSPEC = 0
export const NFPROTO_INET = 1

// linux/netfilter/nf_tables.h: enum nf_tables_msg_types
export const NFT_MSG_GETTABLE = 1
export const NFT_MSG_GETRULE = 7
export const NFT_MSG_GETSETELEM = 13
export const NFT_MSG_GETGEN = 16
export const NFT_MSG_GETOBJ = 19

// linux/netfilter/nf_tables.h: enum nft_gen_attributes, nft_table_attributes
export const NFTA_GEN_ID = 1
export const NFTA_TABLE_NAME = 1
export const NFTA_TABLE_HANDLE = 4

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
export const NFTA_SET_ELEM_OBJREF = 9
/** All that an element of ours consists of; one with a time-out, an expression or a second key is somebody else's. */
export const NFTA_SET_ELEM_FOREIGN = [4, 5, 7, 10, 11] as const
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
