// POST /desired: takes the panel to what a file says, as one whole.
import type { DesiredAnswer, DesiredBody } from '@panel/shared/api/desired.ts'
import type { RestoreStep } from '@panel/shared/api/revisions.ts'
import { message, messageFields, sentences, verbatim, type Message } from '@panel/shared/messages/message.ts'
import type { Foreseen } from '@panel/shared/impact/foreseen.ts'
import type { CommandContext, ReadContext } from '../../platform/context.ts'
import { ok, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import { differenceOf } from '../revisions/difference.ts'
import { nameOf } from '../revisions/items.ts'
import { foreseen, restoreWhole, runningOf, type RestoreServices } from '../revisions/restore.ts'
import { foreseeSteps } from '../revisions/run.ts'
import { digestNow, stateNow } from '../revisions/store.ts'
import { planFile, type Plan } from './plan.ts'
import { keepFile } from './store.ts'

type Request = Incoming<DesiredBody>

export const applyFile =
  (services: RestoreServices) =>
  async (context: CommandContext, incoming: Request): Promise<Answer<DesiredAnswer>> => {
    const { dry_run = false, name, lock } = incoming.body
    if (lock !== undefined && name === undefined && !incoming.problems.has('name'))
      incoming.problems.add('name', 'INVALID_VALUE', message('desired.lock_needs_name'))
    context.note.target('desired', null)
    context.note.ofFile(name ?? '')
    const running = runningOf(services, ofFile(incoming))
    const planning = (): Promise<Plan> => planFile(context, incoming)
    const answer = async ({ pairs, spared }: Plan, steps: RestoreStep[], note: Message) =>
      ok({
        changed: pairs.length > 0,
        dry_run,
        digest: await digestNow(context.db),
        items: pairs.map(differenceOf),
        steps,
        ...messageFields('note', sentences(note, sparedNote(spared))),
      })
    if (dry_run) {
      const plan = await planning()
      return answer(plan, (await foreseeSteps(context, running, plan.steps)).steps, message('desired.dry'))
    }
    const finish = async (plan: Plan): Promise<void> => {
      if (name !== undefined) await keep(context, incoming, plan, name)
    }
    const { plan, done, is_taken_back } = await restoreWhole(context, services, running, planning, finish)
    for (const { method, path, outcome } of done) context.note.operation(`${method} ${path}: ${outcome}`)
    if (is_taken_back) throw failed(plan, done)
    return answer(plan, done, message(plan.pairs.length === 0 ? 'desired.nothing' : 'desired.done'))
  }

const sparedNote = (spared: Plan['spared']): Message | null =>
  spared.length > 0 ? message('desired.spared', { names: spared.join(', ') }) : null

/** What its name may change where it is locked. */
const ofFile = (incoming: Request): Request => {
  const { name } = incoming.body
  return name === undefined ? incoming : { ...incoming, file: name }
}

/** Names the object that failed, with its field in the file, and says why. */
function failed({ paths }: Plan, steps: readonly RestoreStep[]): Refusal {
  const { items: [item] = [], error = null } = steps.find(({ outcome }) => outcome === 'failed') ?? {}
  const field = [item && paths.get(nameOf(item)), error?.field].filter(Boolean).join('.')
  const text =
    item && error
      ? sentences(message('desired.failed', { name: item.title }), verbatim(error.message))
      : message('desired.put_back')
  return new Refusal('APPLY_FAILED', text, { field, details: { error, steps } })
}

async function keep(context: CommandContext, { session, body }: Request, { paths }: Plan, name: string): Promise<void> {
  const objects = (await stateNow(context.db)).filter((one) => paths.has(nameOf(one)))
  const file = {
    name,
    digest: await digestNow(context.db),
    applied_date: context.now().toISOString(),
    user_id: session?.user_id ?? null,
    username: session?.username ?? '',
    ...(body.lock === undefined ? {} : { is_locked: Number(body.lock) }),
  }
  await context.db.transaction().execute((transaction) => keepFile(transaction, file, objects))
  context.note.operation(`By the file ${name}`)
}

export const foreseeFile =
  (services: RestoreServices) =>
  async (context: ReadContext, incoming: Request): Promise<Foreseen> =>
    foreseen(context, runningOf(services, ofFile(incoming)), (await planFile(context, incoming)).steps)
