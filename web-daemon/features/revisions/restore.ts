// POST /revisions/{id}/restore: takes everything, or some objects, to what they were at a revision, as one whole.
import type { Logger } from 'pino'
import type { RestoreRevisionAnswer, RestoreRevisionBody, RestoreStep } from '@panel/shared/api/revisions.ts'
import type { Foreseen } from '@panel/shared/impact/foreseen.ts'
import { message, messageFields, type Message } from '@panel/shared/messages/message.ts'
import type { CommandContext, ReadContext } from '../../platform/context.ts'
import type { AllOrNothing } from '../../platform/http/confirm-within.ts'
import { ok, type Answer, type Endpoint, type Incoming } from '../../platform/http/endpoint.ts'
import { requireFresh } from '../../platform/http/fresh.ts'
import { innerOf, type Running } from '../audit/part-request.ts'
import { foreseenInTurn } from '../routes/foresee-forwarding.ts'
import { differing, type Pair } from './difference.ts'
import { routed } from '../backup/document.ts'
import { requireRevision } from './list.ts'
import { foreseeSteps, runSteps } from './run.ts'
import { stepsFor, type Step } from './steps.ts'
import { digestNow, stateAt, stateNow } from './store.ts'

export interface RestoreServices {
  readonly endpoints: () => readonly Endpoint[]
  readonly allOrNothing: AllOrNothing
  readonly logger: Logger
}

type Request = Incoming<RestoreRevisionBody>

export const restoreRevision =
  (services: RestoreServices) =>
  async (context: CommandContext, incoming: Request): Promise<Answer<RestoreRevisionAnswer>> => {
    const { revision_id } = await requireRevision(context, incoming.params)
    const { dry_run = false } = incoming.body
    context.note.target('revision', revision_id)
    const running = runningOf(services, incoming)
    const planning = (): Promise<Planned> => plan(context, incoming)
    if (dry_run) {
      const foreseen = await foreseeSteps(context, running, (await planning()).steps)
      const note = messageFields('note', message('revision.dry'))
      return ok({ revision_id, dry_run, is_taken_back: false, steps: foreseen.steps, ...note })
    }
    const { done, is_taken_back } = await restoreWhole(context, services, running, planning)
    for (const { method, path, outcome } of done) context.note.operation(`${method} ${path}: ${outcome}`)
    const note = messageFields('note', noteOf(revision_id, done, is_taken_back))
    return ok({ revision_id, dry_run, is_taken_back, steps: done, ...note })
  }

export interface Planned {
  readonly steps: readonly Step[]
}

interface Carried<P> {
  /** What was carried out. */
  readonly plan: P
  readonly done: RestoreStep[]
  readonly is_taken_back: boolean
}

/**
 * Carries out what is planned, all or none of it. Throws before the first step where it takes a fresh password. Planned
 * again where a command that was under way, or the end of a window, has changed what the plan starts from. `finish`
 * is called once the panel is as planned, before anything else is changed.
 */
export async function restoreWhole<P extends Planned>(
  context: CommandContext,
  { allOrNothing }: RestoreServices,
  running: Running,
  planning: () => Promise<P>,
  finish: (plan: P) => Promise<void> = async () => undefined,
): Promise<Carried<P>> {
  const planned = async (): Promise<{ from: string; plan: P }> => {
    const from = await digestNow(context.db)
    const plan = await planning()
    await requireFreshFor(context, running, plan.steps)
    return { from, plan }
  }
  let { from, plan } = await planned()
  let done: RestoreStep[] = []
  if (plan.steps.length === 0) {
    await finish(plan)
    return { plan, done, is_taken_back: false }
  }
  const is_taken_back = await allOrNothing(running.incoming.session, {
    begin: async () => {
      if (from !== (await digestNow(context.db))) ({ from, plan } = await planned())
      return plan.steps.length > 0
    },
    work: async () => {
      done = await runSteps(context, running, plan.steps)
      return done.every(({ outcome }) => outcome === 'done')
    },
    finish: () => finish(plan),
  })
  return { plan, done, is_taken_back }
}

function noteOf(revision_id: number, steps: readonly RestoreStep[], is_taken_back: boolean): Message {
  if (is_taken_back) return message('revision.taken_back')
  return message(steps.length === 0 ? 'revision.nothing' : 'revision.restored', { revision_id })
}

export const foreseeRestore =
  (services: RestoreServices) =>
  async (context: ReadContext, incoming: Request): Promise<Foreseen> =>
    foreseen(context, runningOf(services, incoming), (await plan(context, incoming)).steps)

export const foreseen = async (context: ReadContext, running: Running, steps: readonly Step[]): Promise<Foreseen> =>
  foreseenInTurn(context, (await foreseeSteps(context, running, steps)).foreseen)

/** Throws where one of the requests by itself would need the password. */
async function requireFreshFor(context: ReadContext, running: Running, steps: readonly Step[]): Promise<void> {
  for (const step of steps) {
    const { endpoint, incoming: request } = innerOf(running, step)
    if (endpoint.kind !== 'command' || endpoint.fresh === undefined) continue
    if (endpoint.fresh === true || (await endpoint.fresh(context, request))) requireFresh(running.incoming.session)
  }
}

export const runningOf = (
  { endpoints, logger }: RestoreServices,
  incoming: Incoming<{ readonly i_understand_i_may_lose_access?: boolean }>,
): Running => ({
  endpoints: endpoints(),
  incoming,
  accepts: incoming.body.i_understand_i_may_lose_access === true,
  logger,
})

const revived = (pair: Pair): Pair =>
  pair.kind === 'route' && !pair.before && pair.after ? { ...pair, after: routed(pair.after) } : pair

/** Plans by reading alone. Throws 422 for an object that is neither there nor was. */
async function plan(context: ReadContext, { params, body, problems }: Request): Promise<Planned> {
  const { revision_id } = await requireRevision(context, params)
  const [was, is] = [await stateAt(context.db, revision_id), await stateNow(context.db)]
  const isNamed = (one: Pick<Pair, 'kind' | 'target_key'>) => (object: Pick<Pair, 'kind' | 'target_key'>) =>
    object.kind === one.kind && object.target_key === one.target_key
  for (const [at, one] of (body.only ?? []).entries())
    if (![...was, ...is].some(isNamed(one)))
      problems.add(`only.${at}`, 'INVALID_VALUE', message('revision.no_object', { ...one }))
  problems.throwIfAny()
  const pairs = differing(is, was).filter((pair) => body.only?.some(isNamed(pair)) ?? true)
  return { steps: stepsFor(pairs.map(revived)) }
}
