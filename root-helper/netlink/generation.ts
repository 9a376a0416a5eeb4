// The number of nftables' ruleset in this network namespace: another one after each change, whoever made it.
import { Attributes } from './attributes.ts'
import { NETLINK_NETFILTER } from './constants.ts'
import { NetlinkSocket } from './socket.ts'
import { KernelError } from '../kernel/facilities.ts'

// Source: linux/netfilter/nfnetlink.h and nf_tables.h.
const NFNL_SUBSYS_NFTABLES = 10
const NFT_MSG_GETGEN = 16
const NFTA_GEN_ID = 1
const NFGENMSG_BYTES = 4

/** Opens its socket at the first asking. Throws a KernelError where the kernel does not say. */
export function rulesetGeneration(): () => Promise<number> {
  let socket: NetlinkSocket | null = null
  return async () => {
    socket ??= new NetlinkSocket({ protocol: NETLINK_NETFILTER })
    const [reply] = await socket.request({ what: 'ask for the generation of the ruleset', type: NFNL_SUBSYS_NFTABLES * 256 + NFT_MSG_GETGEN, parts: [Buffer.alloc(NFGENMSG_BYTES)] })
    const id = reply ? new Attributes(reply.body, NFGENMSG_BYTES).u32be(NFTA_GEN_ID) : null
    if (id === null) throw new KernelError('EPROTO', 'nftables told no generation')
    return id
  }
}
