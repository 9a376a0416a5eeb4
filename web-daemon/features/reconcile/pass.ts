// Looks at the whole host in the background, remembers what it saw, and says when drift appears or clears (decisions.md, S15).
import type { Logger } from 'pino'
import type { ReconcileStatus } from '@panel/shared/api/lookups.ts'
import type { LastPass, Noticed, PassReason, StatusChange } from '@panel/shared/api/reconcile.ts'
import type { CommandContext } from '../../platform/context.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import { makeAutoReapply } from './auto-reapply.ts'
import { compareAll, countsOf, type Item, type Report } from './report.ts'
import { settlePending } from './settle.ts'

export interface Watch {
  /** Never throws: a pass that cannot be made is logged, and the next one sees what it would have seen. */
  readonly pass: (because: PassReason) => Promise<void>
  readonly last: () => LastPass | null
  /** When a pass first saw the item in the status that it has. */
  readonly noticed: (item: Pick<Item, 'interface_name' | 'status'>) => Noticed | null
}

type Seen = Pick<Item, 'tunnel_id' | 'status'> & Noticed

/** A pass in which something changed is published. */
export function makeWatch(context: Omit<CommandContext, 'note'>, logger: Logger): Watch {
  const putRight = makeAutoReapply(context, logger)
  let seen: ReadonlyMap<string, Seen> | null = null
  let last: LastPass | null = null
  const look = async (because: PassReason): Promise<void> => {
    // In turn with the changes, so that one half done is not taken for drift.
    const items = (await context.inTurn(() => compareAndSettle(context))).items.filter(({ is_ignored }) => !is_ignored)
    const noticed = { at: context.now().toISOString(), because }
    const changed = changesBetween(seen, items)
    last = { ...noticed, counts: countsOf(items), changed }
    seen = new Map(
      items.map(({ interface_name, tunnel_id, status }) => [
        interface_name,
        seenNow(seen?.get(interface_name), { tunnel_id, status, ...noticed }),
      ]),
    )
    if (changed.length > 0) {
      logger.info({ because, changed }, 'reconcile: the host and what is stored compare differently than before')
      context.publish('reconcile.changed', last)
    }
    await putRight(items)
  }
  return {
    pass: (because) =>
      look(because).catch((err: unknown) =>
        logger.warn({ because, ...reasonOf(err) }, 'reconcile: a pass could not be made'),
      ),
    last: () => last,
    noticed: ({ interface_name, status }) => {
      const known = seen?.get(interface_name)
      return known?.status === status ? { at: known.at, because: known.because } : null
    },
  }
}

async function compareAndSettle(context: Omit<CommandContext, 'note'>): Promise<Report> {
  const report = await compareAll(context)
  await settlePending(context, report.items)
  return report
}

const seenNow = (before: Seen | undefined, now: Seen): Seen =>
  before?.status === now.status ? { ...before, tunnel_id: now.tunnel_id } : now

function changesBetween(before: ReadonlyMap<string, Seen> | null, items: readonly Item[]): StatusChange[] {
  const now = new Set(items.map(({ interface_name }) => interface_name))
  const was = (item: Item): ReconcileStatus | null => before?.get(item.interface_name)?.status ?? null
  const isNews = (item: Item): boolean => (before ? was(item) !== item.status : item.status !== 'InSync')
  const gone = [...(before ?? [])].filter(([name]) => !now.has(name))
  return [
    ...items.filter(isNews).map((item) => ({
      interface_name: item.interface_name,
      tunnel_id: item.tunnel_id,
      from: was(item),
      to: item.status,
    })),
    ...gone.map(([interface_name, { tunnel_id, status }]) => ({ interface_name, tunnel_id, from: status, to: null })),
  ]
}

const reasonOf = (err: unknown): object => (err instanceof Refusal ? { code: err.code, reason: err.message } : { err })
