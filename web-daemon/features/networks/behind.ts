// Which network behind tunnels an address lies in: of those that are enabled the longest, as in the kernel's look-up.
import { parseCidr } from '@panel/shared/address/ip.ts'
import type { NetworkPathView } from '@panel/shared/api/networks/answers.ts'
import type { ReadDb } from '../../platform/context.ts'
import { longestMatch } from '../tunnels/subnets.ts'
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
  const match = longestMatch(
    enabled.flatMap((record) => {
      const network = parseCidr(record.destination)
      return network ? [{ record, network }] : []
    }),
  )
  return (address) => {
    const found = match(address)
    if (!found) return null
    const { network_id, network_title } = found.record
    return { network_id, network_title, paths: pathViews(found.record, tunnels) }
  }
}
