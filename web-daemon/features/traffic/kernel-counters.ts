// The kernel's counters of the relay rules, requested from root page by page; once all are known, those that changed.
import type { Reader } from '@panel/shared/rpc/methods.ts'
import type { FastCounters } from '@panel/shared/ruleset/found.ts'
import type { RelayCounters } from '@panel/shared/ruleset/model.ts'

export interface KernelCounters {
  readonly is_readable: boolean
  readonly detail: string
  readonly epoch: string
  /** What the next reading names, so that it has only what changed since; undefined where all is to be read. */
  readonly revision: string | undefined
  readonly counters: readonly RelayCounters[]
  /** The counters of flows on the fast path; null if there has been none. */
  readonly fast: FastCounters | null
}

export async function readKernelCounters(request: Reader, known: string | undefined): Promise<KernelCounters> {
  const counters: RelayCounters[] = []
  const carried: RelayCounters[] = []
  let [from_id, revision] = [0, known]
  for (;;) {
    const found = await request('ruleset.counters', {
      route_rule_ids: [],
      from_id,
      ...(revision !== undefined && { known: revision }),
    })
    revision = found.revision
    counters.push(...found.counters)
    carried.push(...(found.fast?.counters ?? []))
    if (found.next_id === null) {
      const { is_readable, detail, epoch, fast } = found
      return { is_readable, detail, epoch, revision, counters, fast: fast ? { ...fast, counters: carried } : null }
    }
    from_id = found.next_id
  }
}
