// Does the items of an import one by one, each by the use case that makes such a thing, and tells of each how it ended; or only looks, in a dry run.
import type { Logger } from 'pino'
import type { ImportAction, ImportKind } from '@panel/shared/api/backup.ts'
import type { ErrorEnvelope, Warning } from '@panel/shared/api/errors.ts'
import type { TSchema } from '@panel/shared/schema.ts'
import type { AuditAction } from '@panel/shared/api/audit/actions.ts'
import { AuditNote } from '../../platform/http/audit-note.ts'
import { recordOwn } from '../audit/record.ts'
import { redact } from '../audit/redact.ts'
import type { CommandContext, ReadContext } from '../../platform/context.ts'
import { isAway } from '../../platform/helper/away.ts'
import { asRefusal, envelopeOf } from '../../platform/http/answer.ts'
import type { Incoming } from '../../platform/http/endpoint.ts'
import { Problems } from '../../platform/http/problems.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import type { Body } from '../../platform/http/validate.ts'
import { fieldIn } from './read.ts'

export interface Done {
  readonly target_id: number | null
  readonly warnings: readonly Warning[]
  /** Where the item did not say how it is called. */
  readonly target?: string
}

type Asking = Incoming<never>

export interface Job {
  readonly kind: ImportKind
  readonly target: string
  /** Where it stands in the backup. */
  readonly path: string
  readonly wish: 'create' | 'update'
  readonly detail?: string
  /** Of what is to be updated. */
  readonly target_id?: number
  readonly audit: AuditAction
  readonly body: Body
  readonly schema: TSchema
  /** Whether only the helper can do it. */
  readonly needsHelper: boolean
  /** Null where a look would tell nothing: it waits for what this very import makes. */
  readonly look: ((context: ReadContext, incoming: Asking) => Promise<Done>) | null
  readonly carryOut: (context: CommandContext, incoming: Asking) => Promise<Done>
  /** Null where the refusal is one; else what is there already, which is why. */
  readonly isThere?: (refusal: Refusal) => number | null
}

export interface Worker {
  readonly isDry: boolean
  readonly do: (job: Job) => Promise<ImportAction>
}

/** Changes nothing, by type: it is handed what can only read. */
export function looker(context: ReadContext, incoming: Incoming<unknown>, logger: Logger): Worker {
  const patience = new Patience()
  return {
    isDry: true,
    do: async (job) => {
      const action = job.wish === 'create' ? 'would_create' : 'would_update'
      const { look } = job
      if (!look) return { ...told(job), action }
      try {
        const { warnings } = await patience.with(job, () => look(context, asking(incoming, job)))
        return { ...told(job), action, warnings: [...warnings] }
      } catch (thrown) {
        const refusal = refusedBy(thrown, job, { incoming, logger })
        return skipped(job, refusal) ?? { ...told(job), action, error: errorOf(job, refusal) }
      }
    },
  }
}

export function doer(context: CommandContext, incoming: Incoming<unknown>, logger: Logger): Worker {
  const patience = new Patience()
  const attempt = (job: Job, note: AuditNote): Promise<Done | Refusal> =>
    patience
      .with<Done | Refusal>(job, () => job.carryOut({ ...context, note }, asking(incoming, job)))
      .catch((thrown: unknown) => refusedBy(thrown, job, { incoming, logger }))
  return {
    isDry: false,
    do: async (job) => {
      const [note, started] = [new AuditNote(), performance.now()]
      const ended = await attempt(job, note)
      const refusal = ended instanceof Refusal ? ended : null
      const skip = refusal && skipped(job, refusal)
      if (skip) return skip
      await recordItem({ context, incoming, logger }, job, {
        note,
        refusal,
        duration_ms: Math.round(performance.now() - started),
      })
      return ended instanceof Refusal
        ? { ...told(job), action: 'failed', detail: ended.message, error: errorOf(job, ended) }
        : { ...told(job), action: job.wish, ...ended, warnings: [...ended.warnings] }
    },
  }
}

function refusedBy(
  thrown: unknown,
  { path }: Job,
  { incoming, logger }: { incoming: Incoming<unknown>; logger: Logger },
): Refusal {
  const refusal = asRefusal(thrown)
  if (refusal !== thrown)
    logger.error({ request_id: incoming.request_id, item: path, err: thrown }, 'unforeseen failure')
  return refusal
}

/** Items after so many that found the helper away do not wait for it again. */
const TRIES_OF_AN_AWAY_HELPER = 2

class Patience {
  #away = 0

  async with<T>({ needsHelper }: Job, work: () => Promise<T>): Promise<T> {
    // SQLite holds the thread while it works: between two items others get their turn.
    await new Promise((resolve) => setImmediate(resolve))
    if (!needsHelper) return work()
    if (this.#away >= TRIES_OF_AN_AWAY_HELPER)
      throw new Refusal(
        'HELPER_UNAVAILABLE',
        'It was not tried, since the root helper did not answer for those before it.',
      )
    try {
      const done = await work()
      this.#away = 0
      return done
    } catch (thrown) {
      this.#away = isAway(thrown) ? this.#away + 1 : 0
      throw thrown
    }
  }
}

interface Ended {
  readonly note: AuditNote
  readonly refusal: Refusal | null
  readonly duration_ms: number
}

/** Each item has the entry that its own request would have had. */
async function recordItem(
  { context, incoming, logger }: { context: CommandContext; incoming: Incoming<unknown>; logger: Logger },
  { audit, body, schema }: Job,
  ended: Ended,
): Promise<void> {
  const { session, client_ip, request_id } = incoming
  const on = { by: session, client_ip, request_id, request: redact(body, schema) }
  await recordOwn(context, { action: audit, ...ended, on }).catch((err: unknown) =>
    logger.error({ request_id, err }, 'no audit entry could be written'),
  )
}

/** As a request of its own would come in. */
const asking = (incoming: Incoming<unknown>, { body, target_id }: Job): Asking => ({
  ...incoming,
  params: target_id === undefined ? {} : { id: target_id },
  query: {},
  body: body as never,
  problems: new Problems(),
})

const told = ({ kind, target, target_id, detail = '' }: Job): Omit<ImportAction, 'action'> => ({
  kind,
  target,
  target_id: target_id ?? null,
  detail,
  error: null,
  warnings: [],
})

export const skip = (kind: ImportKind, target: string, target_id: number | null, detail: string): ImportAction => ({
  kind,
  target,
  action: 'skip',
  target_id,
  detail,
  error: null,
  warnings: [],
})

function skipped(job: Job, refusal: Refusal): ImportAction | null {
  const target_id = job.isThere?.(refusal) ?? null
  return target_id === null ? null : skip(job.kind, job.target, target_id, refusal.message)
}

/** The error envelope's, with its field as it stands in the backup. */
export function errorOf({ path }: Pick<Job, 'path'>, refusal: Refusal): ErrorEnvelope['error'] {
  const { error } = envelopeOf(refusal)
  return { ...error, field: error.field === '' ? '' : fieldIn(path, error.field) }
}
