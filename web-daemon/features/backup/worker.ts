// Imports items one by one, each through the use case that creates such an item, and reports how each ended. A dry run
// only checks.
import type { Logger } from 'pino'
import type { ImportAction, ImportKind } from '@panel/shared/api/backup.ts'
import type { ErrorEnvelope, Warning } from '@panel/shared/api/base/errors.ts'
import type { TSchema } from '@panel/shared/schema.ts'
import type { AuditAction } from '@panel/shared/api/audit/actions.ts'
import type { HostChange } from '@panel/shared/impact/foreseen.ts'
import { message, type Message, messageFields, verbatim } from '@panel/shared/messages/message.ts'
import { AuditNote } from '../../platform/audit-note.ts'
import { recordPart } from '../audit/part.ts'
import type { CommandContext, ReadContext } from '../../platform/context.ts'
import { isHelperAway } from '../../platform/helper/away.ts'
import { asRefusal, makeEnvelope } from '../../platform/http/answer.ts'
import type { Incoming } from '../../platform/http/endpoint.ts'
import { Problems } from '../../platform/http/problems.ts'
import { asMessage, Refusal } from '../../platform/http/refusal.ts'
import type { Body } from '../../platform/http/validate.ts'
import { fieldPath, type WrongItem } from './read.ts'

export interface ImportResult {
  readonly target_id: number | null
  readonly warnings: readonly Warning[]
  /** The requests to root that a dry run foresees. */
  readonly changes?: readonly HostChange[]
  /** Set if the item did not name it. */
  readonly target?: string
}

type ItemRequest = Incoming<never>

export interface Job {
  readonly kind: ImportKind
  readonly target: string
  /** The path of the item in the backup. */
  readonly path: string
  readonly action: 'create' | 'update'
  readonly detail?: Message
  /** The id of the item to update. */
  readonly target_id?: number
  readonly audit: AuditAction
  readonly body: Body
  readonly schema: TSchema
  /** Whether it cannot be done without the root helper. */
  readonly needsHelper: boolean
  /** Null if the item cannot be checked, because it depends on what this import would create. */
  readonly dryRun: ((context: ReadContext, incoming: ItemRequest) => Promise<ImportResult>) | null
  readonly apply: (context: CommandContext, incoming: ItemRequest) => Promise<ImportResult>
  /** The id of the existing item that a refusal points to, or null for a real refusal. */
  readonly existingId?: (refusal: Refusal) => number | null
}

export interface Worker {
  readonly isDry: boolean
  readonly do: (job: Job) => Promise<ImportAction>
}

/**
 * Changes nothing: by its type it only has a read-only context. `onSeen` gets what each item would have root do;
 * null where that cannot be known yet.
 */
export function makeDryRunWorker(
  context: ReadContext,
  incoming: Incoming<unknown>,
  logger: Logger,
  onSeen: (changes: readonly HostChange[] | null) => void = () => undefined,
): Worker {
  const helper = new HelperTries()
  return {
    isDry: true,
    do: async (job) => {
      const action = job.action === 'create' ? 'would_create' : 'would_update'
      const { dryRun } = job
      if (!dryRun) {
        onSeen(job.needsHelper ? null : [])
        return { ...baseAction(job), action }
      }
      try {
        const { warnings, changes = [] } = await helper.with(job, () => dryRun(context, itemRequest(incoming, job)))
        onSeen(changes)
        return { ...baseAction(job), action, warnings: [...warnings] }
      } catch (thrown) {
        const refusal = asLoggedRefusal(thrown, job, { incoming, logger })
        return skipIfThere(job, refusal) ?? { ...baseAction(job), action, error: itemError(job, refusal) }
      }
    },
  }
}

export function makeImportWorker(context: CommandContext, incoming: Incoming<unknown>, logger: Logger): Worker {
  const helper = new HelperTries()
  const attempt = (job: Job, note: AuditNote): Promise<ImportResult | Refusal> =>
    helper
      .with<ImportResult | Refusal>(job, () => job.apply({ ...context, note }, itemRequest(incoming, job)))
      .catch((thrown: unknown) => asLoggedRefusal(thrown, job, { incoming, logger }))
  return {
    isDry: false,
    do: async (job) => {
      const [note, started] = [new AuditNote(), performance.now()]
      const result = await attempt(job, note)
      const refusal = result instanceof Refusal ? result : null
      const skip = refusal && skipIfThere(job, refusal)
      if (skip) return skip
      await recordPart({ context, incoming, logger }, job, {
        note,
        refusal,
        duration_ms: Math.round(performance.now() - started),
      })
      return result instanceof Refusal
        ? {
            ...baseAction(job),
            action: 'failed',
            ...messageFields('detail', { ...asMessage(result), message: result.message }),
            error: itemError(job, result),
          }
        : { ...baseAction(job), action: job.action, ...outcome(result) }
    },
  }
}

const outcome = ({ changes: _changes, warnings, ...result }: ImportResult) => ({ ...result, warnings: [...warnings] })

function asLoggedRefusal(
  thrown: unknown,
  { path }: Job,
  { incoming, logger }: { incoming: Incoming<unknown>; logger: Logger },
): Refusal {
  const refusal = asRefusal(thrown)
  if (refusal !== thrown) logger.error({ request_id: incoming.request_id, item: path, err: thrown }, 'unexpected error')
  return refusal
}

/** After this many items without an answer of the helper, later items are not tried. */
const HELPER_TRIES = 2

class HelperTries {
  #failures = 0

  async with<T>({ needsHelper }: Job, work: () => Promise<T>): Promise<T> {
    // SQLite blocks the thread while it works; other requests are served between two items.
    await new Promise((resolve) => setImmediate(resolve))
    if (!needsHelper) return work()
    if (this.#failures >= HELPER_TRIES) throw new Refusal('HELPER_UNAVAILABLE', message('backup.not_tried'))
    try {
      const done = await work()
      this.#failures = 0
      return done
    } catch (thrown) {
      this.#failures = isHelperAway(thrown) ? this.#failures + 1 : 0
      throw thrown
    }
  }
}

/** The request that would create the item by itself. */
const itemRequest = (incoming: Incoming<unknown>, { body, target_id }: Job): ItemRequest => ({
  ...incoming,
  params: target_id === undefined ? {} : { id: target_id },
  query: {},
  body: body as never,
  problems: new Problems(),
})

const baseAction = ({ kind, target, target_id, detail = verbatim('') }: Job): Omit<ImportAction, 'action'> => ({
  kind,
  target,
  target_id: target_id ?? null,
  ...messageFields('detail', detail),
  error: null,
  warnings: [],
})

export function skip(kind: ImportKind, target: string, target_id: number | null, detail: Message): ImportAction {
  return {
    kind,
    target,
    action: 'skip',
    target_id,
    ...messageFields('detail', detail),
    error: null,
    warnings: [],
  }
}

/** What cannot be done, whatever is tried. In a dry run the action is `planned`, and the error tells. */
export function failed(
  { isDry }: Pick<Worker, 'isDry'>,
  { kind, target, planned }: { kind: ImportKind; target: string; planned: 'would_create' | 'would_update' },
  error: ErrorEnvelope['error'],
  sentence: Partial<Message> = {},
): ImportAction {
  return {
    ...skip(kind, target, null, isDry ? verbatim('') : { ...verbatim(error.message), ...sentence }),
    action: isDry ? planned : 'failed',
    error,
  }
}

/** An item that says nothing that could be done. */
export const wrong = (worker: Worker, kind: ImportKind, { path, name, fault }: WrongItem): ImportAction =>
  failed(
    worker,
    { kind, target: name, planned: kind === 'setting' ? 'would_update' : 'would_create' },
    { ...itemError({ path }, fault), field: fieldPath(path, fault.field) },
    { ...asMessage(fault), message: fault.message },
  )

function skipIfThere(job: Job, refusal: Refusal): ImportAction | null {
  const target_id = job.existingId?.(refusal) ?? null
  return target_id === null
    ? null
    : skip(job.kind, job.target, target_id, { ...asMessage(refusal), message: refusal.message })
}

/** The error of the envelope, with its field as a path in the backup. */
export function itemError({ path }: Pick<Job, 'path'>, refusal: Refusal): ErrorEnvelope['error'] {
  const { error } = makeEnvelope(refusal)
  return { ...error, field: error.field === '' ? '' : fieldPath(path, error.field) }
}
