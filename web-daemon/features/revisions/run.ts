// Carries out the steps of a restore, or foresees them. A step that is refused since others are not done yet is tried
// again after them.
import type { Logger } from 'pino'
import type { RestoreStep } from '@panel/shared/api/revisions.ts'
import { STATUS_OF } from '@panel/shared/api/base/codes.ts'
import type { Warning } from '@panel/shared/api/base/errors.ts'
import type { Foreseen } from '@panel/shared/impact/foreseen.ts'
import type { Reader } from '@panel/shared/rpc/methods.ts'
import { AuditNote } from '../../platform/audit-note.ts'
import type { CommandContext, ReadContext } from '../../platform/context.ts'
import { asRefusal, makeEnvelope } from '../../platform/http/answer.ts'
import { accepting } from '../../platform/http/confirm-within.ts'
import type { Endpoint, Incoming } from '../../platform/http/endpoint.ts'
import { foreseenBy, innerRequest, type Inner } from '../../platform/http/inner-request.ts'
import type { Refusal } from '../../platform/http/refusal.ts'
import { recordPart } from '../audit/part.ts'
import { standAside, type Step } from './steps.ts'

export interface Running {
  readonly endpoints: readonly Endpoint[]
  readonly incoming: Incoming<unknown>
  /** Whether the operator accepts to be cut off. */
  readonly accepts: boolean
  readonly logger: Logger
}

/** The request of a step, as the endpoint takes it. */
export function innerOf({ endpoints, incoming, accepts }: Omit<Running, 'logger'>, step: Step): Inner {
  const { method, path, reviving } = step
  const outer = { ...incoming, ...(reviving === undefined ? {} : { reviving }) }
  const inner = (body: Step['body']) => innerRequest(endpoints, { method, path, body }, outer)
  const found = inner(step.body)
  if (!found || 'methods' in found) throw new Error(`There is no ${method} ${path}`)
  const body = accepts ? accepting(found.endpoint, step.body) : step.body
  const accepted = body === step.body ? found : inner(body)
  return accepted && 'endpoint' in accepted ? accepted : found
}

const plannedStep = ({ items, method, path, body }: Step): Omit<RestoreStep, 'outcome'> => ({
  items: [...items],
  method,
  path,
  body,
  error: null,
  warnings: [],
})

export interface ForeseenSteps {
  readonly steps: RestoreStep[]
  /** Null of a step that would be refused as things stand. */
  readonly foreseen: readonly (Foreseen | null)[]
}

/** Each as if it came alone, by reading alone. */
export async function foreseeSteps(
  context: ReadContext,
  running: Running,
  steps: readonly Step[],
): Promise<ForeseenSteps> {
  const foreseen: (Foreseen | null)[] = []
  const reading = { ...context, request: lookingOnce(context.request) }
  const planned: RestoreStep[] = []
  for (const step of steps) {
    const seen = await readyFor(() => foreseenBy(innerOf(running, step), reading), running.logger)
    const isSeen = 'changes' in seen
    foreseen.push(isSeen ? seen : null)
    planned.push({
      ...plannedStep(step),
      outcome: 'planned',
      ...(isSeen ? { warnings: [...seen.warnings] } : { error: makeEnvelope(seen).error }),
    })
  }
  return { steps: planned, foreseen }
}

/** Nothing is changed meanwhile, so the host is the same for all steps. */
function lookingOnce(request: Reader): Reader {
  const answers = new Map<string, ReturnType<Reader>>()
  return ((method, params) => {
    const key = `${method} ${JSON.stringify(params)}`
    const answer = answers.get(key) ?? request(method, params)
    answers.set(key, answer)
    return answer
  }) as Reader
}

/** What the work gives, or what it is refused with. */
async function readyFor<T>(work: () => Promise<T>, logger: Logger): Promise<T | Refusal> {
  // SQLite blocks the thread while it works; other requests are served between two steps.
  await new Promise((resolve) => setImmediate(resolve))
  try {
    return await work()
  } catch (thrown) {
    const refusal = asRefusal(thrown)
    if (refusal !== thrown) logger.error({ err: thrown }, 'unexpected error in a step of a restore')
    return refusal
  }
}

interface Waiting {
  readonly step: Step
  /** The place in the answer. */
  readonly at: number
  readonly isAside: boolean
}

interface Tried {
  readonly refusal: Refusal | null
  readonly warnings: readonly Warning[]
  readonly record: () => Promise<void>
}

/** All steps, or as many as it takes to know that one fails for good. */
export async function runSteps(
  context: CommandContext,
  running: Running,
  steps: readonly Step[],
): Promise<RestoreStep[]> {
  const done: RestoreStep[] = steps.map((step) => ({ ...plannedStep(step), outcome: 'not_tried' }))
  let waiting: readonly Waiting[] = steps.map((step, at) => ({ step, at, isAside: false }))
  while (waiting.length > 0) {
    const left: (Waiting & Tried)[] = []
    for (const one of waiting) {
      const tried = await tryStep(context, running, one.step)
      if (tried.refusal) left.push({ ...one, ...tried })
      else conclude(done, one.at, { outcome: 'done', warnings: [...tried.warnings] })
      if (tried.refusal && isFinal(tried.refusal)) return failed(done, left)
    }
    const next = left.length < waiting.length ? left : await withRoom(context, running, left)
    if (!next) return failed(done, left)
    waiting = next
  }
  return done
}

function conclude(done: RestoreStep[], at: number, how: Partial<RestoreStep>): void {
  const step = done[at]
  if (step) done[at] = { ...step, ...how }
}

/** Nothing that is still to come makes it possible. */
const isFinal = ({ code }: Refusal): boolean => STATUS_OF[code] >= 500

async function failed(done: RestoreStep[], left: readonly (Waiting & Tried)[]): Promise<RestoreStep[]> {
  for (const { at, refusal, record } of left) {
    await record()
    if (refusal) conclude(done, at, { outcome: 'failed', error: makeEnvelope(refusal).error })
  }
  return done
}

/** Has one stand aside where each waits for another. Null where none can, or that is refused too. */
async function withRoom(
  context: CommandContext,
  running: Running,
  left: readonly (Waiting & Tried)[],
): Promise<Waiting[] | null> {
  for (const [place, { step, at, isAside }] of left.entries()) {
    const parts = isAside || left.length < 2 ? null : standAside(step)
    if (!parts) continue
    const { refusal } = await tryStep(context, running, parts.aside)
    if (!refusal) return left.map((one, other) => (other === place ? { step: parts.rest, at, isAside: true } : one))
  }
  return null
}

async function tryStep(context: CommandContext, running: Running, step: Step): Promise<Tried> {
  const [note, started] = [new AuditNote(), performance.now()]
  const { incoming, logger } = running
  const answer = await readyFor(async () => {
    const { endpoint, incoming: request } = innerOf(running, step)
    if (endpoint.kind !== 'command') throw new Error(`${endpoint.route} is no command`)
    return { endpoint, result: await endpoint.handle({ ...context, note }, request) }
  }, logger)
  const refusal = 'result' in answer ? null : answer
  const duration_ms = Math.round(performance.now() - started)
  const record = async (): Promise<void> => {
    const { endpoint } = innerOf(running, step)
    if (endpoint.kind !== 'command') return
    const part = { audit: note.renamed ?? endpoint.audit, body: step.body, schema: endpoint.body }
    await recordPart({ context, incoming, logger }, part, { note, refusal, duration_ms })
  }
  if (refusal) return { refusal, warnings: [], record }
  await record()
  const { body } = ('result' in answer ? answer.result : { body: {} }) as {
    readonly body: { readonly warnings?: readonly Warning[] }
  }
  return { refusal: null, warnings: body.warnings ?? [], record }
}
