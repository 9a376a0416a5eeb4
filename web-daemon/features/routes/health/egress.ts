// By which interface this server sends to the destinations of a rule, as its routing table says.
import { parseIp } from '@panel/shared/address/ip.ts'
import type { Reader } from '@panel/shared/rpc/methods.ts'
import { underlayOf } from '../../tunnels/draft/mtu.ts'
import { hostFacts } from '../../tunnels/facts.ts'
import { isActive, type NamedRoute } from '../record.ts'

export interface Egress {
  /** Each once; a destination that no route leads to has none. */
  readonly devices: readonly string[]
  /** The least of them; null where there are none. */
  readonly mtu: number | null
  readonly narrowest: string | null
  /** Of the interface that has the bind address; null where that is every one or none. */
  readonly mtu_in: number | null
}

export async function findEgress(
  ask: Reader,
  { destinations, bind_address }: Pick<NamedRoute, 'destinations' | 'bind_address'>,
): Promise<Egress> {
  const facts = await hostFacts(ask)
  const underlays = destinations.filter(isActive).flatMap(({ address }) => {
    const ip = parseIp(address)
    return (ip && underlayOf(facts, ip, null)) ?? []
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

/** The one by which everything leaves; null where there is not one, or a mark may send it elsewhere. */
export async function onlyEgressDevice(
  ask: Reader,
  record: Pick<NamedRoute, 'destinations' | 'bind_address' | 'fwmark'>,
): Promise<string | null> {
  if (record.fwmark !== null) return null
  const [device, ...others] = (await findEgress(ask, record)).devices
  return device !== undefined && others.length === 0 ? device : null
}
