// Which network behind tunnels an address lies in: of those that are enabled the longest, as in the kernel's look-up.
import { contains, parseCidr, parseIp } from '@panel/shared/address/ip.ts'
import type { NetworkPathView } from '@panel/shared/api/networks/answers.ts'
import type { ReadDb } from '../../platform/context.ts'
import { pathViews } from './view.ts'
import { allNetworks, pathTunnels } from './store.ts'

export interface NetworkBehind {
  readonly network_id: number
  readonly network_title: string
  readonly paths: NetworkPathView[]
}

export async function networksBehind(db: ReadDb): Promise<(address: string) => NetworkBehind | null> {
  const enabled = (await allNetworks(db)).filter(({ is_enabled }) => is_enabled)
  const tunnels = await pathTunnels(db, enabled)
  const all = enabled
    .flatMap((record) => {
      const network = parseCidr(record.destination)
      return network ? [{ record, network }] : []
    })
    .sort((a, b) => b.network.prefix_length - a.network.prefix_length)
  return (address) => {
    const ip = all.length === 0 ? null : parseIp(address)
    const found = ip && all.find(({ network }) => contains(network, ip))
    if (!found) return null
    const { network_id, network_title } = found.record
    return { network_id, network_title, paths: pathViews(found.record, tunnels) }
  }
}
