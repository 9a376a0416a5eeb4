// The number of nftables' ruleset in this network namespace: it changes with every change by any program.
import { Attributes } from '../attributes.ts'
import { NETLINK_NETFILTER } from '../constants.ts'
import { nfnetlink } from './nftables.ts'
import { NFGENMSG_BYTES, NFPROTO_UNSPEC, NFT_MSG_GETGEN, NFTA_GEN_ID } from './constants.ts'
import { NetlinkSocket } from '../socket.ts'
import { KernelError } from '../../kernel-error.ts'

/** Opens its socket at the first asking. Throws a KernelError where the kernel does not say. */
export function rulesetGeneration(): () => Promise<number> {
  let socket: NetlinkSocket | null = null
  return async () => {
    socket ??= new NetlinkSocket({ protocol: NETLINK_NETFILTER })
    const [reply] = await socket.request(
      nfnetlink('ask for the generation of the ruleset', NFT_MSG_GETGEN, NFPROTO_UNSPEC),
    )
    const id = reply ? new Attributes(reply.body, NFGENMSG_BYTES).u32be(NFTA_GEN_ID) : null
    if (id === null) throw new KernelError('EPROTO', 'nftables answered without a generation')
    return id
  }
}
