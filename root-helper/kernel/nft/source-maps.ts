// The maps of our table that hold the source address of what is masqueraded over a tunnel. They follow the host, and are
// no part of the rules.
import { canonicalIp } from '@panel/shared/address/ip.ts'
import type { Element, SetChange } from '@panel/shared/ruleset/nft/change.ts'
import { FAMILIES, newMirror, sourceMap } from '@panel/shared/ruleset/nft/constant.ts'
import type { LinkSource } from '../facilities.ts'
import { elementTypes, formatElement } from '../../netlink/nftables/elements.ts'
import type { RelayTable } from './relay-table.ts'

/** Tunnels of one commit: their elements are to fit into one datagram, and one that changes is two of them. */
const AT_ONCE = 250

/** What has to change in them next; nothing of a map that is not there. */
export async function sourceChanges(table: RelayTable, sources: readonly LinkSource[]): Promise<SetChange[]> {
  const all = await Promise.all(FAMILIES.map((family) => changesOf(table, family, sources)))
  return all.filter((one) => one !== null)
}

async function changesOf(table: RelayTable, family: 4 | 6, all: readonly LinkSource[]): Promise<SetChange | null> {
  const [name, set] = [sourceMap(family), newMirror(family)]
  const { keys } = elementTypes(set)
  const found = await table.elements(name, set)
  if (!found) return null
  const there = new Map(found.map(({ key, value }) => [formatElement(keys, key), value]))
  const sources = all.filter(({ address }) => address.includes(':') === (family === 6))
  const wanted = new Map(sources.map(({ interface_name, address }) => [interface_name, canonicalIp(address)]))
  const names = [...new Set([...there.keys(), ...wanted.keys()])]
  const changed = names.filter((one) => there.get(one) !== wanted.get(one)).slice(0, AT_ONCE)
  const elementsOf = (map: ReadonlyMap<string, string>): Element[] =>
    changed.flatMap((one) => [map.get(one) ?? []].flat().map((address) => [one, address] as const))
  return changed.length > 0 ? { name, set, isEmptied: false, gone: elementsOf(there), come: elementsOf(wanted) } : null
}
