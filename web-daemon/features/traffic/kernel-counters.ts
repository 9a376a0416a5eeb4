// The kernel's counters of the relay rules, requested from root page by page.
import type { Reader } from '@panel/shared/rpc/methods.ts'
import type { FastCounters } from '@panel/shared/ruleset/found.ts'
import type { RelayCounters } from '@panel/shared/ruleset/model.ts'

export interface KernelCounters {
  readonly is_readable: boolean
  readonly detail: string
  readonly epoch: string
  readonly counters: readonly RelayCounters[]
  /** The counters of flows on the fast path; null if there has been none. */
  readonly fast: FastCounters | null
}

export async function readKernelCounters(request: Reader): Promise<KernelCounters> {
  const counters: RelayCounters[] = []
  const carried: RelayCounters[] = []
  let found = await request('ruleset.counters', { route_rule_ids: [], from_id: 0 })
  for (;;) {
    counters.push(...found.counters)
    carried.push(...(found.fast?.counters ?? []))
    if (found.next_id === null) {
      const { is_readable, detail, epoch, fast } = found
      return { is_readable, detail, epoch, counters, fast: fast ? { ...fast, counters: carried } : null }
    }
    found = await request('ruleset.counters', { route_rule_ids: [], from_id: found.next_id })
  }
}
