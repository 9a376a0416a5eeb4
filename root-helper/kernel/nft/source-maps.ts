// The maps of our table that hold the source address of what is masqueraded over a tunnel. They follow the host, and
// are no part of the rules.
import { canonicalIp } from '@panel/shared/address/ip.ts'
import type { Element, SetChange } from '@panel/shared/ruleset/nft/change.ts'
import { newMirror, sourceMap } from '@panel/shared/ruleset/nft/constant.ts'
import { FAMILIES } from '@panel/shared/ruleset/nft/hooks.ts'
import { KernelError } from '../../kernel-error.ts'
import type { LinkSource } from '../relay-facilities.ts'
import { elementTypes, formatElement } from '../../netlink/nftables/elements.ts'
import type { Generations } from './generations.ts'
import type { KnownTable } from './known-table.ts'
import type { RelayTable } from './relay-table.ts'

/** Tunnels of one commit: their elements are to fit into one datagram, and one that changes is two of them. */
const AT_ONCE = 250
/** More tunnels than these hold are masqueraded as the kernel does it. */
const COMMITS_MAX = 64
/** How often a commit is tried that the kernel refuses because the ruleset has changed meanwhile. */
const TRIES = 3

type Table = Pick<RelayTable, 'elements' | 'change'>

export class SourceMaps {
  readonly #table: Table
  readonly #known: Pick<KnownTable, 'keeping'>
  readonly #generations: Generations
  #sources: readonly LinkSource[] = []
  /** The addresses that were last read, valid until another program or this one changes the ruleset. */
  #held: { readonly generation: number; readonly sources: Promise<LinkSource[]> } | null = null

  constructor(table: Table, known: Pick<KnownTable, 'keeping'>, generations: Generations) {
    this.#table = table
    this.#known = known
    this.#generations = generations
  }

  follow(sources: readonly LinkSource[]): void {
    this.#sources = sources
  }

  /** What the kernel has in them; nothing where there is no table. */
  async held(): Promise<readonly LinkSource[]> {
    const generation = await this.#generations.ofOthers()
    if (this.#held?.generation !== generation) this.#held = { generation, sources: sourcesIn(this.#table) }
    const held = this.#held
    return held.sources.catch((error: unknown) => {
      if (this.#held === held) this.forget()
      throw error
    })
  }

  forget(): void {
    this.#held = null
  }

  /** The maps may have been made again. */
  async put(): Promise<void> {
    this.forget()
    for (let left = TRIES; ; left -= 1)
      try {
        for (let commits = 0; commits < COMMITS_MAX && (await this.#putSome()); commits += 1);
        return
      } catch (error) {
        if (left === 0 || !(error instanceof KernelError && error.code === 'ERESTART')) throw error
      }
  }

  /** Returns false where nothing was left to be put. */
  async #putSome(): Promise<boolean> {
    let elements: SetChange[] = []
    await this.#known.keeping(async () => {
      const generation = await this.#generations.now()
      elements = await sourceChanges(this.#table, this.#sources)
      if (elements.length > 0)
        await this.#table.change({ counters: [], elements }, generation).finally(() => this.forget())
      return Math.min(elements.length, 1)
    })
    return elements.length > 0
  }
}

const sourcesIn = async (table: Table): Promise<LinkSource[]> =>
  (await Promise.all(FAMILIES.map((family) => sourcesOf(table, family)))).flatMap((found) =>
    [...(found ?? [])].map(([interface_name, address]) => ({ interface_name, address })),
  )

/** The address of each tunnel; null where the map is not there. */
async function sourcesOf(table: Table, family: 4 | 6): Promise<Map<string, string> | null> {
  const set = newMirror(family)
  const { keys } = elementTypes(set)
  const found = await table.elements(sourceMap(family), set)
  return found && new Map(found.map(({ key, value }) => [formatElement(keys, key), value]))
}

/** What has to change in them next; nothing of a map that is not there. */
async function sourceChanges(table: Table, sources: readonly LinkSource[]): Promise<SetChange[]> {
  const all = await Promise.all(FAMILIES.map((family) => changesOf(table, family, sources)))
  return all.filter((one) => one !== null)
}

async function changesOf(table: Table, family: 4 | 6, all: readonly LinkSource[]): Promise<SetChange | null> {
  const [name, set] = [sourceMap(family), newMirror(family)]
  const there = await sourcesOf(table, family)
  if (!there) return null
  const sources = all.filter(({ address }) => address.includes(':') === (family === 6))
  const wanted = new Map(sources.map(({ interface_name, address }) => [interface_name, canonicalIp(address)]))
  const names = [...new Set([...there.keys(), ...wanted.keys()])]
  const changed = names.filter((one) => there.get(one) !== wanted.get(one)).slice(0, AT_ONCE)
  const elementsOf = (map: ReadonlyMap<string, string>): Element[] =>
    changed.flatMap((one) => [map.get(one) ?? []].flat().map((address) => [one, address] as const))
  return changed.length > 0 ? { name, set, isEmptied: false, gone: elementsOf(there), come: elementsOf(wanted) } : null
}
