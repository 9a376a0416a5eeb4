// The interfaces through which this server reaches the destinations of a rule, by the routing table.
import { parseIp } from '@panel/shared/address/ip.ts'
import type { Reader } from '@panel/shared/rpc/methods.ts'
import { findUnderlay } from '../../tunnels/draft/mtu.ts'
import { hostFacts } from '../../tunnels/facts.ts'
import { isActive, type NamedRoute } from '../record.ts'

export interface Egress {
  /** Each once; a destination without a route has none. */
  readonly devices: readonly string[]
  /** The smallest; null if there are none. */
  readonly mtu: number | null
  readonly narrowest: string | null
  /** MTU of the interface with the bind address; null if the rule binds every address, or none of this host. */
  readonly mtu_in: number | null
}

export async function findEgress(
  request: Reader,
  { destinations, bind_address }: Pick<NamedRoute, 'destinations' | 'bind_address'>,
): Promise<Egress> {
  const facts = await hostFacts(request)
  const underlays = destinations.filter(isActive).flatMap(({ address }) => {
    const ip = parseIp(address)
    return (ip && findUnderlay(facts, ip, null)) ?? []
  })
  const [narrowest] = [...underlays].sort((a, b) => a.mtu - b.mtu)
  const bound = parseIp(bind_address)
  const owner = facts.held.find(({ ip }) => ip.family === bound?.family && ip.value === bound.value)?.device
  const mtu_in = facts.interfaces.find(({ name }) => name === owner)?.mtu ?? null
  return {
    devices: [...new Set(underlays.map(({ device }) => device))],
    mtu: narrowest?.mtu ?? null,
    narrowest: narrowest?.device ?? null,
    mtu_in,
  }
}
