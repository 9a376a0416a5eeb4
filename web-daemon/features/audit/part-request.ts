// A request that is part of another one, such as a step of a restore or an item of a backup: carried out, or foreseen,
// as if it had been sent by itself, with the audit entry that it would have had.
import type { Logger } from 'pino'
import type { Foreseen } from '@panel/shared/impact/foreseen.ts'
import { AuditNote } from '../../platform/audit-note.ts'
import type { CommandContext, ReadContext, WriteDb } from '../../platform/context.ts'
import { asRefusal } from '../../platform/http/answer.ts'
import type { Endpoint, Incoming, Together } from '../../platform/http/endpoint.ts'
import { foreseenBy, innerRequest, type Inner, type InnerRequest } from '../../platform/http/inner-request.ts'
import type { Refusal } from '../../platform/http/refusal.ts'
import { findEndpoint } from '../../platform/http/routes.ts'
import { recordPanelAction } from './record.ts'
import { redact } from './redact.ts'

/** The request that the parts belong to. */
export interface Running {
  readonly endpoints: readonly Endpoint[]
  readonly incoming: Incoming<unknown>
  /** Whether the operator accepts to be cut off. */
  readonly accepts: boolean
  readonly logger: Logger
}

export interface PartRequest extends Omit<InnerRequest, 'accepts'>, Pick<Incoming, 'reviving'> {
  /** Why it is refused without its endpoint. */
  readonly refused?: Refusal | null
}

/** The request of a part, as the endpoint takes it. */
export function innerOf({ endpoints, incoming, accepts }: Running, part: PartRequest): Inner {
  const { method, path, body, reviving } = part
  const outer = { ...incoming, ...(reviving === undefined ? {} : { reviving }) }
  const found = innerRequest(endpoints, { method, path, body, accepts }, outer)
  if (!found || 'methods' in found) throw new Error(`There is no ${method} ${path}`)
  return found
}

/** What a part would do, or what it would be refused with, by reading alone. */
export const foreseePart = (context: ReadContext, running: Running, part: PartRequest): Promise<Foreseen | Refusal> =>
  readyFor(running, part, async () => {
    const inner = innerOf(running, part)
    if (inner.endpoint.kind === 'command') await inner.endpoint.check?.(context, inner.incoming)
    return foreseenBy(inner, context)
  })

export interface Tried {
  /** Null of one that was carried out. */
  readonly refusal: Refusal | null
  /** The body of the answer; null of one that was refused. */
  readonly body: unknown
  /** Writes the audit entry; if that fails, the log says so, and the change stands. */
  readonly record: (db?: WriteDb) => Promise<void>
}

/** The caller has a part recorded, since one that is refused may be tried again. */
export async function tryPart(context: CommandContext, running: Running, part: PartRequest): Promise<Tried> {
  const [note, started] = [new AuditNote(), performance.now()]
  const answer = await readyFor(running, part, async () => {
    const { endpoint, incoming } = innerOf(running, part)
    if (endpoint.kind !== 'command') throw new Error(`${endpoint.route} is no command`)
    return { body: (await endpoint.handle({ ...context, note }, incoming)).body }
  })
  const refusal = 'code' in answer ? answer : null
  const ended = { note, refusal, duration_ms: Math.round(performance.now() - started) }
  return {
    refusal,
    body: 'code' in answer ? null : answer.body,
    record: (db = context.db) => recordPart({ db, now: context.now }, running, part, ended),
  }
}

/** What carries out requests like this one by one change of the host; null where each is one of its own. */
export const togetherOf = (running: Running, part: PartRequest): Together | null =>
  commandOf(running, part)?.together ?? null

function commandOf({ endpoints }: Running, { method, path }: PartRequest) {
  const found = findEndpoint(endpoints, method, path)
  return found && !('methods' in found) && found.endpoint.kind === 'command' ? found.endpoint : null
}

/** Null where the change failed and was put back, or the body of one is refused. */
export async function tryTogether(
  context: CommandContext,
  running: Running,
  together: Together,
  parts: readonly PartRequest[],
): Promise<Tried[] | null> {
  const started = performance.now()
  const [first] = parts
  if (!first) return []
  const inner = await readyFor(running, first, async () =>
    parts.map((part) => ({ part, note: new AuditNote(), ...innerOf(running, part) })),
  )
  if ('code' in inner) return null
  const ends = await readyFor(running, first, () => together(context, inner))
  if (!ends) return null
  const duration_ms = Math.round(performance.now() - started)
  return inner.flatMap(({ part, note }, at) => {
    const end = 'code' in ends ? ends : ends[at]
    if (!end) return []
    const refusal = 'code' in end ? end : null
    return {
      refusal,
      body: 'code' in end ? null : end,
      record: (db: WriteDb = context.db) =>
        recordPart({ db, now: context.now }, running, part, { note, refusal, duration_ms }),
    }
  })
}

/** What the work gives, or what it is refused with. */
async function readyFor<T>(
  { incoming: { request_id }, logger }: Running,
  { method, path, refused }: PartRequest,
  work: () => Promise<T>,
): Promise<T | Refusal> {
  // SQLite blocks the thread while it works; other requests are served between two parts.
  await new Promise((resolve) => setImmediate(resolve))
  if (refused) return refused
  try {
    return await work()
  } catch (thrown) {
    const refusal = asRefusal(thrown)
    if (refusal !== thrown) logger.error({ request_id, part: `${method} ${path}`, err: thrown }, 'unexpected error')
    return refusal
  }
}

interface Ended {
  readonly note: AuditNote
  readonly refusal: Refusal | null
  readonly duration_ms: number
}

/** Writes the entries of many in one transaction: one for each would wait for the disk as often. */
export const recordTogether = (
  { db }: CommandContext,
  { incoming: { request_id }, logger }: Running,
  parts: readonly Tried[],
): Promise<void> =>
  db
    .transaction()
    .execute(async (transaction) => {
      for (const { record } of parts) await record(transaction)
    })
    .catch((err: unknown) => logger.error({ request_id, err }, 'no audit entries could be written'))

async function recordPart(
  context: { readonly db: WriteDb; readonly now: () => Date },
  running: Running,
  part: PartRequest,
  ended: Ended,
): Promise<void> {
  const endpoint = commandOf(running, part)
  if (!endpoint) return
  const { session, client_ip, request_id } = running.incoming
  const action = ended.note.renamed ?? endpoint.audit
  const on = { by: session, client_ip, request_id, request: redact(part.body, endpoint.body) }
  await recordPanelAction(context, { action, ...ended, on }).catch((err: unknown) =>
    running.logger.error({ request_id, err }, 'no audit entry could be written'),
  )
}
