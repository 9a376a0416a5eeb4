// The tables of iptables-legacy in this network namespace: what other software has in them, whatever holds the relay
// rules, and when that changes. The kernel announces no change of theirs, so they are compared from time to time where
// there are any.
import { createHash } from 'node:crypto'
import { RELAY_FAMILIES, TABLES } from '@panel/shared/ruleset/iptables/tables.ts'
import { joinedWithLegacy, readLegacy, type Legacy } from '@panel/shared/foreign/read-legacy.ts'
import type { Family } from '@panel/shared/address/ip.ts'
import { message } from '@panel/shared/messages/message.ts'
import type { Netfilter } from '../facilities.ts'
import { KernelError } from '../../kernel-error.ts'
import { log } from '../../log.ts'
import { sharedRead } from '../../shared-read.ts'
import { kernelTables } from '../nft/kernel-tables.ts'
import { saveLegacy } from './iptables.ts'

const POLL_EVERY_MS = 1000

export class LegacyTables {
  /** Our own rules change the tables that they are in, and those who change them know. */
  readonly #isOurs: () => boolean
  /** What was logged last, since the tables are compared each second. */
  #trouble = ''
  #known: { readonly text: string; readonly legacy: Legacy } | null = null

  constructor(isOurs: () => boolean) {
    this.#isOurs = isOurs
  }

  /** Null where there are none. Throws a KernelError where they cannot be listed. */
  readonly read = sharedRead(async (): Promise<Legacy | null> => {
    const all = await this.#saved(() => true)
    if (all.length === 0) return null
    const text = all.map(([, saved]) => saved).join('')
    if (this.#known?.text !== text) {
      const found = all.map(([family, saved]) => readLegacy(saved, family))
      this.#known = {
        text,
        legacy: { chains: found.flatMap(({ chains }) => chains), rules: found.flatMap(({ rules }) => rules) },
      }
    }
    return this.#known.legacy
  })

  /** `onChange` is called after a change. Returns the function that ends it. */
  watch(onChange: () => void): () => void {
    let isClosed = false
    let timer: NodeJS.Timeout | undefined
    let before: string | null = null
    const poll = async (): Promise<void> => {
      const now = await this.#digest()
      if (isClosed) return
      if (before !== null && now !== before) onChange()
      before = now
      timer = setTimeout(() => void poll(), POLL_EVERY_MS)
    }
    void poll()
    return () => {
      isClosed = true
      clearTimeout(timer)
    }
  }

  /** The same text where nothing can be listed, which the analysis says. */
  async #digest(): Promise<string> {
    try {
      const isOwn = (table: string): boolean => this.#isOurs() && (TABLES as readonly string[]).includes(table)
      const all = await this.#saved((table) => !isOwn(table))
      return createHash('sha1')
        .update(all.map(([, text]) => text).join(''))
        .digest('hex')
    } catch (error) {
      if (!(error instanceof KernelError)) throw error
      if (error.message !== this.#trouble)
        log('warning', 'The tables of iptables-legacy cannot be compared for now', { detail: error.message })
      this.#trouble = error.message
      return ''
    }
  }

  async #saved(isWanted: (table: string) => boolean): Promise<[Family, string][]> {
    const found: [Family, string][] = []
    for (const family of RELAY_FAMILIES) {
      const tables = await kernelTables('iptables_legacy', family)
      const wanted = tables.filter(isWanted)
      if (wanted.length === 0) continue
      const named = wanted.length === tables.length ? [null] : wanted
      const texts = await Promise.all(named.map((table) => saveLegacy(family, table)))
      found.push([family, withoutCounts(texts.join(''))])
    }
    return found
  }
}

/** What chains have counted, and when it was saved, changes by itself. */
const withoutCounts = (saved: string): string => saved.replaceAll(/^#.*\n/gm, '').replaceAll(/ \[\d+:\d+\]$/gm, '')

/** What nft lists, and what it does not. */
export const withLegacy = (netfilter: Netfilter, tables: Pick<LegacyTables, 'read'>): Netfilter => ({
  async foreign() {
    const found = await netfilter.foreign()
    try {
      const legacy = await tables.read()
      return legacy ? joinedWithLegacy(found, legacy) : found
    } catch (error) {
      if (!(error instanceof KernelError)) throw error
      const why = message('root.legacy_unread', { error: error.message }).message
      return {
        ...found,
        is_whole: false,
        detail: [found.detail, why]
          .filter((text) => text !== '')
          .join('; ')
          .slice(0, 300),
      }
    }
  },
})
