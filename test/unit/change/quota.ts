// A noun that the panel does not have: quotas by id. All that the engine needs of a noun is this one file.
import type { Change } from '@panel/shared/change/change.ts'
import type { Check } from '@panel/shared/change/check.ts'
import type { Outcome } from '@panel/shared/rpc/outcome.ts'
import type { ApplyMark, Resource, StoredEvent } from '@panel/web-daemon/change/resource.ts'
import { Refusal } from '@panel/web-daemon/platform/http/refusal.ts'
import { verbatim } from '@panel/shared/messages/message.ts'

export interface Quota extends ApplyMark {
  readonly quota_id: number
  readonly bytes: number
}

/** What the host holds: the bytes of each quota, by its id. */
export type Quotas = Readonly<Record<number, number>>

export type QuotaResource = Resource<Quota, Quota, Quotas>

/** A host like root's: a change that does not start from what is there is refused. */
export class QuotaHost {
  held: Quotas = {}

  apply = async ({ before, after }: Change<Quotas>): Promise<Outcome> => {
    for (const id of idsIn(before, after))
      if (this.held[id] !== before?.[id])
        throw new Refusal('CONFLICT', verbatim('The host holds something else.'), {
          details: { reason: 'stale_state' },
        })
    const changed = new Set(idsIn(before, after))
    const others = Object.entries(this.held).filter(([id]) => !changed.has(Number(id)))
    this.held = { ...Object.fromEntries(others), ...after }
    return { outcome: 'applied', checks: checksOf(after), steps: ['set_quota'], failure: null, remediation: [] }
  }

  verify = async ({ before, after }: Change<Quotas>): Promise<{ ok: boolean; checks: Check[] }> => ({
    ok: idsIn(before, after).every((id) => this.held[id] === after?.[id]),
    checks: checksOf(after),
  })
}

const idsIn = (...states: readonly (Quotas | null)[]): number[] => [
  ...new Set(states.flatMap((state) => Object.keys(state ?? {}).map(Number))),
]

const checksOf = (state: Quotas | null): Check[] =>
  Object.entries(state ?? {}).map(([id, bytes]) => ({
    name: `${id}.bytes`,
    ok: true,
    expected: String(bytes),
    actual: String(bytes),
    detail: '',
  }))

/** One quota in each piece. */
function split({ before, after }: Change<Quotas>): Change<Quotas>[] {
  const one = (state: Quotas | null, id: number): Quotas | null =>
    state?.[id] === undefined ? null : { [id]: state[id] }
  return idsIn(before, after).map((id) => ({ before: one(before, id), after: one(after, id) }))
}

/** The store in memory. `beforeWrite` may throw, as a full disk does. */
export class QuotaStore {
  rows = new Map<number, Quota>()
  beforeWrite: () => void = () => undefined
  readonly store: QuotaResource['store'] = {
    insert: async (_db, row) => {
      this.#write(row.quota_id, row)
      return row.quota_id
    },
    replace: async (_db, id, row) => this.#write(id, row),
    remove: async (_db, id) => this.#write(id, null),
    markDeleted: async (_db, id) => this.#write(id, null),
    mark: async (_db, ids, mark) => {
      for (const id of ids) this.#write(id, { ...this.#at(id), ...mark })
    },
    read: async (id) => this.#at(id),
  }

  /** All or nothing, as a transaction is. */
  transaction = async <T>(work: () => Promise<T>): Promise<T> => {
    const before = new Map(this.rows)
    try {
      return await work()
    } catch (failure) {
      this.rows = before
      throw failure
    }
  }

  #at(id: number): Quota {
    const row = this.rows.get(id)
    if (!row) throw new Error(`There is no quota ${id}`)
    return row
  }

  #write(id: number, row: Quota | null): void {
    this.beforeWrite()
    if (row) this.rows.set(id, row)
    else this.rows.delete(id)
  }
}

export function quotaResource(
  host: Pick<QuotaHost, 'apply' | 'verify'>,
  { store }: QuotaStore,
  onStored: (event: StoredEvent, rows: readonly Quota[]) => void,
): QuotaResource {
  return {
    noun: 'quota',
    idOf: ({ quota_id }) => quota_id,
    apply: host.apply,
    verify: host.verify,
    split,
    store,
    onStored,
    describe: (rows) => ({ what: `${rows.length} quotas`, details: {} }),
    codes: { restored: 'APPLY_FAILED', stuck: 'TUNNEL_INCONSISTENT' },
  }
}
