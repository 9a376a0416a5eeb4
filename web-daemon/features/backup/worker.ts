// Imports items, each by the request that makes such an item, and reports how each ended. A dry run only foresees the
// requests.
import type { ImportAction, ImportKind } from '@panel/shared/api/backup.ts'
import type { FieldCode } from '@panel/shared/api/base/codes.ts'
import type { ErrorEnvelope, Warning } from '@panel/shared/api/base/errors.ts'
import { UNFORESEEN, type Foreseen } from '@panel/shared/impact/foreseen.ts'
import { message, type Message, messageFields, verbatim } from '@panel/shared/messages/message.ts'
import { foreseePart, type PartRequest, type Running, type Tried } from '../audit/part-request.ts'
import { foreseenInGroups, tryInTurn, tryOne } from '../audit/parts-in-turn.ts'
import type { CommandContext, ReadContext } from '../../platform/context.ts'
import { isHelperAway } from '../../platform/helper/away.ts'
import { makeEnvelope } from '../../platform/http/answer.ts'
import type { Problem } from '../../platform/http/problems.ts'
import { asMessage, Refusal } from '../../platform/http/refusal.ts'
import { fieldPath, type Item, type RightItem, type WrongItem } from './read.ts'

/** The request of an item. */
export interface Job extends Omit<PartRequest, 'reviving'> {
  readonly method: 'POST' | 'PUT'
  readonly kind: ImportKind
  readonly target: string
  /** The path of the item in the backup. */
  readonly place: string
  readonly detail?: Message
  /** The id of the item to update. */
  readonly target_id?: number
  /** Whether it depends on what this import would create, so that a dry run cannot check it. */
  readonly isUnforeseen?: boolean
}

export interface Worker {
  readonly isDry: boolean
  readonly do: (job: Job) => Promise<ImportAction>
  /** How each ended, in their order: of requests to one endpoint, which carries them out together. */
  readonly doAll: (jobs: readonly Job[]) => Promise<ImportAction[]>
}

/** Changes nothing: by its type it only has a read-only context. `onForeseen` gets what each item would do. */
export function makeDryRunWorker(
  context: ReadContext,
  running: Running,
  onForeseen: (foreseen: Foreseen) => void = () => undefined,
): Worker {
  const helper = new HelperTries()
  const foresee = async (job: Job, report = onForeseen): Promise<ImportAction> => {
    const action = job.method === 'POST' ? 'would_create' : 'would_update'
    const foreseen = job.isUnforeseen ? UNFORESEEN : await foreseePart(context, running, helper.request(job))
    const refusal = 'code' in foreseen ? foreseen : null
    if (!job.isUnforeseen) helper.after(job, refusal)
    if ('code' in foreseen)
      return skipIfThere(job, foreseen) ?? { ...baseAction(job), action, error: itemError(job.place, foreseen) }
    report(foreseen)
    return { ...baseAction(job), action, warnings: [...foreseen.warnings] }
  }
  const foreseeAll = async (jobs: readonly Job[]): Promise<ImportAction[]> => {
    const actions: ImportAction[] = []
    for (const some of portionsOf(jobs)) {
      const seen = new Map<Job, Foreseen>()
      for (const job of some) actions.push(await foresee(job, (foreseen) => seen.set(job, foreseen)))
      const taken = some.filter((job) => seen.has(job))
      foreseenInGroups(running, taken, (job) => seen.get(job) ?? UNFORESEEN).forEach(onForeseen)
    }
    return actions
  }
  return { isDry: true, do: (job) => foresee(job), doAll: foreseeAll }
}

/** Another command waits for a change of the host with so many. */
const TOGETHER_AT_MOST = 100

const portionsOf = (jobs: readonly Job[]): (readonly Job[])[] =>
  Array.from({ length: Math.ceil(jobs.length / TOGETHER_AT_MOST) }, (_, at) =>
    jobs.slice(at * TOGETHER_AT_MOST, (at + 1) * TOGETHER_AT_MOST),
  )

export function makeImportWorker(context: CommandContext, running: Running): Worker {
  const helper = new HelperTries()
  const doOne = async (job: Job): Promise<ImportAction> => {
    const tried = await tryOne(context, running, helper.request(job))
    helper.after(job, tried.refusal)
    return ended(job, tried)
  }
  const doAll = async (jobs: readonly Job[]): Promise<ImportAction[]> => {
    const actions: ImportAction[] = []
    for (const some of portionsOf(jobs)) {
      const parts = some.map((job) => ({ ...helper.request(job), job }))
      for await (const { part, ...tried } of tryInTurn(context, running, parts)) {
        helper.after(part.job, tried.refusal)
        actions.push(await ended(part.job, tried))
      }
    }
    return actions
  }
  return { isDry: false, do: doOne, doAll }
}

async function ended(job: Job, { refusal, body, record }: Tried): Promise<ImportAction> {
  if (!refusal) return { ...baseAction(job), action: job.method === 'POST' ? 'create' : 'update', ...made(job, body) }
  const skipped = skipIfThere(job, refusal)
  if (skipped) return skipped
  await record()
  const detail = messageFields('detail', { ...asMessage(refusal), message: refusal.message })
  return { ...baseAction(job), action: 'failed', ...detail, error: itemError(job.place, refusal) }
}

/** The answers of the endpoints. */
interface Answers {
  readonly warnings?: readonly Warning[]
  readonly address_pool_id?: number
  readonly tunnel?: { readonly tunnel_id: number; readonly interface_name: string }
  readonly network?: { readonly network_id: number; readonly network_title: string }
  readonly route?: { readonly route_rule_id: number; readonly route_rule_title: string }
}

function made({ target: given }: Job, answer: unknown): Pick<ImportAction, 'target' | 'target_id' | 'warnings'> {
  const { warnings = [], address_pool_id = null, tunnel, network, route } = answer as Answers
  const target = tunnel?.interface_name ?? network?.network_title ?? route?.route_rule_title ?? given
  const target_id = tunnel?.tunnel_id ?? network?.network_id ?? route?.route_rule_id ?? address_pool_id
  return { target, target_id, warnings: [...warnings] }
}

/** After this many items without an answer of the helper, later items are not tried. */
const HELPER_TRIES = 2

class HelperTries {
  #failures = 0

  /** The request of a job, refused if the helper is away. */
  request(job: Job): PartRequest {
    const isTried = !needsHelper(job) || this.#failures < HELPER_TRIES
    const refused = isTried ? (job.refused ?? null) : new Refusal('HELPER_UNAVAILABLE', message('backup.not_tried'))
    return { ...job, refused, reviving: null }
  }

  after(job: Job, refusal: Refusal | null): void {
    if (needsHelper(job)) this.#failures = isHelperAway(refusal) ? this.#failures + 1 : 0
  }
}

const needsHelper = ({ kind }: Job): boolean => kind !== 'setting' && kind !== 'pool'

interface About extends Pick<Job, 'kind' | 'target' | 'detail'> {
  readonly target_id?: number | null
}

const baseAction = ({
  kind,
  target,
  target_id = null,
  detail = verbatim(''),
}: About): Omit<ImportAction, 'action'> => ({
  kind,
  target,
  target_id,
  ...messageFields('detail', detail),
  error: null,
  warnings: [],
})

export const skip = (kind: ImportKind, target: string, target_id: number | null, detail: Message): ImportAction => ({
  ...baseAction({ kind, target, target_id, detail }),
  action: 'skip',
})

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
    { ...itemError(path, fault), field: fieldPath(path, fault.field) },
    { ...asMessage(fault), message: fault.message },
  )

/** The items in their order, of which those that are right are imported by `one`; null: without an action. */
export async function importEach<T, A extends ImportAction | Job>(
  worker: Worker,
  kind: ImportKind,
  items: readonly Item<T>[],
  one: (right: RightItem<T>) => Promise<A | null> | A,
): Promise<(ImportAction | A)[]> {
  const actions: (ImportAction | A)[] = []
  for (const item of items) {
    const action = item.fault ? wrong(worker, kind, item) : await one(item)
    if (action) actions.push(action)
  }
  return actions
}

/** The same of items whose requests are known before any of them is made. */
export async function importTogether<T>(
  worker: Worker,
  kind: ImportKind,
  items: readonly Item<T>[],
  one: (right: RightItem<T>) => Promise<ImportAction | Job>,
): Promise<ImportAction[]> {
  const found = await importEach(worker, kind, items, one)
  const done = await worker.doAll(found.filter(isJob))
  return found.flatMap((each) => (isJob(each) ? (done.shift() ?? []) : each))
}

const isJob = (one: ImportAction | Job): one is Job => 'method' in one

/** The id of the existing item in the details of a problem: one with the same listener, destination or title. */
const THERE: Readonly<Partial<Record<FieldCode, string>>> = {
  ROUTE_PORT_CONFLICT: 'route_rule_id',
  ROUTE_TITLE_CONFLICT: 'route_rule_id',
  NETWORK_EXISTS: 'network_id',
  NETWORK_TITLE_CONFLICT: 'network_id',
}

function skipIfThere({ kind, target }: Job, refusal: Refusal): ImportAction | null {
  const problems = (refusal.details['fields'] ?? []) as readonly Pick<Problem, 'code' | 'details'>[]
  const [id] = problems.flatMap(({ code, details }) => (THERE[code] ? [details[THERE[code]]] : []))
  return typeof id === 'number' ? skip(kind, target, id, { ...asMessage(refusal), message: refusal.message }) : null
}

/** The error of the envelope, with its field as a path in the backup. */
export function itemError(place: string, refusal: Refusal): ErrorEnvelope['error'] {
  const { error } = makeEnvelope(refusal)
  return { ...error, field: error.field === '' ? '' : fieldPath(place, error.field) }
}
