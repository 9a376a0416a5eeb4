// Finds the flows of other programs that have an end in some networks.
import { BlockList } from 'node:net'
import { formatIp, type Cidr } from '@panel/shared/address/ip.ts'
import { ipText } from '../../netlink/bytes.ts'
import { endsOfOthers } from '../../netlink/conntrack.ts'
import type { Message } from '../../netlink/message.ts'
import { eachFlow } from './bursts.ts'

export async function countWithin(flows: readonly Message[], networks: readonly Cidr[]): Promise<number> {
  const isWithin = membership(networks)
  let count = 0
  await eachFlow(flows, (flow) => {
    if (endsOfOthers(flow).some(isWithin)) count += 1
  })
  return count
}

/** Many flows share few addresses. */
function membership(networks: readonly Cidr[]): (address: Buffer) => boolean {
  const list = new BlockList()
  for (const { base, prefix_length } of networks) list.addSubnet(formatIp(base), prefix_length, `ipv${base.family}`)
  const known = new Map<string, boolean>()
  return (address) => {
    const key = address.toString('latin1')
    const is = known.get(key) ?? list.check(ipText(address), address.length === 4 ? 'ipv4' : 'ipv6')
    known.set(key, is)
    return is
  }
}
