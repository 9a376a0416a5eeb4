// The counters of relay rules. Who reads them again and again is sent only those that have changed.
import type { RelayCounters } from '@panel/shared/ruleset/model.ts'
import type { Params, Result } from '@panel/shared/rpc/methods.ts'
import type { Kernel } from '../../kernel/facilities.ts'
import { KernelError } from '../../kernel-error.ts'
import { newRevision } from '../../revision.ts'
import { page } from './page.ts'

type Sent = Map<number, RelayCounters>

export class CounterReader {
  readonly #kernel: Pick<Kernel, 'rulesets' | 'connections'>
  /** What the last answers sent, as long as each request named the revision of the answer before it. */
  #last: { readonly revision: string; readonly epochs: string; readonly slow: Sent; readonly fast: Sent } | null = null

  constructor(kernel: Pick<Kernel, 'rulesets' | 'connections'>) {
    this.#kernel = kernel
  }

  async read(params: Params<'ruleset.counters'>): Promise<Result<'ruleset.counters'>> {
    try {
      const { epoch, counters } = await this.#kernel.rulesets.counters()
      const fast = await this.#kernel.connections.fast()
      const epochs = `${epoch} ${fast?.epoch ?? ''}`
      const { slow: slowSent, fast: fastSent } = this.#sentTo(params.known, epochs)
      const slow = page(changed(counters, slowSent), params)
      const quick = page(changed(fast?.counters ?? [], fastSent), params)
      const ends = [slow.next_id, quick.next_id].filter((id) => id !== null)
      const next_id = ends.length === 0 ? null : Math.min(...ends)
      const before = (all: RelayCounters[]): RelayCounters[] =>
        all.filter(({ route_rule_id }) => next_id === null || route_rule_id < next_id)
      const revision = newRevision()
      const answer = { counters: before(slow.items), fast: fast && { ...fast, counters: before(quick.items) } }
      take(slowSent, answer.counters, counters)
      take(fastSent, answer.fast?.counters ?? [], fast?.counters ?? [])
      this.#last = { revision, epochs, slow: slowSent, fast: fastSent }
      return { is_readable: true, detail: '', epoch, revision, ...answer, next_id }
    } catch (error) {
      if (!(error instanceof KernelError)) throw error
      return { is_readable: false, detail: error.message.slice(0, 300), epoch: '', counters: [], next_id: null }
    }
  }

  /** Their counters have been removed, and reported for the last time: what counts under their ids now is new. */
  forget(route_rule_ids: readonly number[]): void {
    for (const id of route_rule_ids) this.#last?.slow.delete(id)
  }

  /** Empty for who does not go on from the last answer, since it may have been lost, or have been another's. */
  #sentTo(known: string | undefined, epochs: string): { slow: Sent; fast: Sent } {
    return this.#last?.revision === known && this.#last?.epochs === epochs
      ? this.#last
      : { slow: new Map(), fast: new Map() }
  }
}

const changed = (all: readonly RelayCounters[], sent: Sent): RelayCounters[] =>
  all.filter((one) => {
    const before = sent.get(one.route_rule_id)
    return !before || !isSame(before, one)
  })

const isSame = (a: RelayCounters, b: RelayCounters): boolean =>
  FIGURES.every((figure) => a[figure] === b[figure] && a.twice?.[figure] === b.twice?.[figure])
const FIGURES = ['tx_bytes', 'tx_packets', 'rx_bytes', 'rx_packets'] as const

/** Rules that are gone are kept in mind no longer. */
function take(sent: Sent, counters: readonly RelayCounters[], all: readonly RelayCounters[]): void {
  for (const one of counters) sent.set(one.route_rule_id, one)
  if (sent.size <= all.length) return
  const present = new Set(all.map(({ route_rule_id }) => route_rule_id))
  for (const id of sent.keys()) if (!present.has(id)) sent.delete(id)
}
