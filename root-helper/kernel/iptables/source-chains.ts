// The chain of each family that holds the source address of what is masqueraded over a tunnel. It follows the host, and
// is no part of the rules.
import { isDeepStrictEqual } from 'node:util'
import type { Family } from '@panel/shared/address/ip.ts'
import { message } from '@panel/shared/messages/message.ts'
import { formatSources, readSourceLines, renderSources } from '@panel/shared/ruleset/iptables/sources.ts'
import { RELAY_FAMILIES, SOURCE_CHAIN } from '@panel/shared/ruleset/iptables/tables.ts'
import { KernelError } from '../../kernel-error.ts'
import type { LinkSource } from '../relay-facilities.ts'
import type { Iptables } from './iptables.ts'

export class SourceChains {
  readonly #iptables: Iptables
  #sources: readonly LinkSource[] = []
  /** The lines of each as they were read or written last, so that a change need not look; null: there is no chain. */
  readonly #known = new Map<Family, readonly string[] | null>()

  constructor(iptables: Iptables) {
    this.#iptables = iptables
  }

  get isKnown(): boolean {
    return RELAY_FAMILIES.every((family) => this.#known.has(family))
  }

  remember(family: Family, lines: readonly string[] | null): void {
    this.#known.set(family, lines)
  }

  follow(sources: readonly LinkSource[]): void {
    this.#sources = sources
  }

  async put(): Promise<void> {
    for (const family of RELAY_FAMILIES) await this.#putFamily(family, formatSources(this.#sources, family))
  }

  async #putFamily(family: Family, wanted: readonly string[]): Promise<void> {
    const known = this.#known.get(family) ?? null
    if (known === null || isDeepStrictEqual(known, wanted)) return
    this.#known.delete(family)
    await this.#iptables.restore(family, renderSources(wanted))
    const held = readSourceLines(await this.#iptables.listChain(family, SOURCE_CHAIN), family)
    if (!isDeepStrictEqual(held, wanted))
      throw new KernelError('EIO', message('root.chain_differs', { name: SOURCE_CHAIN }).message)
    this.#known.set(family, held)
  }
}
