// The maps of our table that hold the source address of what is masqueraded over a tunnel. They follow the host, and are
// no part of the rules.
import type { SetChange } from '@panel/shared/ruleset/nft/change.ts'
import { FAMILIES, newMirror, sourceMap } from '@panel/shared/ruleset/nft/constant.ts'
import type { LinkSource } from '../facilities.ts'
import { elementTypes, formatElement } from '../../netlink/nftables/elements.ts'
import type { RelayTable } from './relay-table.ts'

/** What has to change in them; nothing of a map that is not there. */
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
  const wanted = new Map(sources.map(({ interface_name, address }) => [interface_name, address]))
  const gone = [...there].filter(([key, value]) => wanted.get(key) !== value)
  const come = [...wanted].filter(([key, value]) => there.get(key) !== value)
  return gone.length + come.length > 0 ? { name, set, isEmptied: false, gone, come } : null
}
