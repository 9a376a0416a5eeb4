// Carries out the steps of a restore, or foresees them. A step that is refused since others are not done yet is tried
// again after them.
import type { RestoreStep } from '@panel/shared/api/revisions.ts'
import type { Warning } from '@panel/shared/api/base/errors.ts'
import { UNFORESEEN, type Foreseen } from '@panel/shared/impact/foreseen.ts'
import type { CommandContext, ReadContext } from '../../platform/context.ts'
import { untilAway } from '../../platform/helper/away.ts'
import { readingOnce } from '../../platform/helper/reading-once.ts'
import { makeEnvelope } from '../../platform/http/answer.ts'
import type { Together } from '../../platform/http/endpoint.ts'
import { isFinal } from '../../platform/http/refusal.ts'
import {
  foreseePart,
  recordTogether,
  togetherOf,
  tryPart,
  tryTogether,
  type Running,
  type Tried as TriedPart,
} from '../audit/part-request.ts'
import { standAside, type Step } from './steps.ts'

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
  /** A step that would be refused as things stand is unforeseen. */
  readonly foreseen: readonly Foreseen[]
}

/** Each as if it came alone, by reading alone. */
export async function foreseeSteps(
  context: ReadContext,
  running: Running,
  steps: readonly Step[],
): Promise<ForeseenSteps> {
  const foreseen: Foreseen[] = []
  const reading = { ...context, request: readingOnce(untilAway(context.request)) }
  const planned: RestoreStep[] = []
  for (const step of steps) {
    const seen = await foreseePart(reading, running, step)
    const isSeen = 'changes' in seen
    foreseen.push(isSeen ? seen : UNFORESEEN)
    planned.push({
      ...plannedStep(step),
      outcome: 'planned',
      ...(isSeen ? { warnings: [...seen.warnings] } : { error: makeEnvelope(seen).error }),
    })
  }
  return { steps: planned, foreseen }
}

interface Waiting {
  readonly step: Step
  /** The place in the answer. */
  readonly at: number
  readonly isAside: boolean
}

interface Tried extends TriedPart {
  readonly warnings: readonly Warning[]
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
    for await (const one of triedInTurn(context, running, waiting)) {
      if (one.refusal) left.push(one)
      else conclude(done, one.at, { outcome: 'done', warnings: [...one.warnings] })
      if (one.refusal && isFinal(one.refusal)) return failed(done, left)
    }
    const next = left.length < waiting.length ? left : await withRoom(context, running, left)
    if (!next) return failed(done, left)
    waiting = next
  }
  return done
}

/** In their order; neighbours that their endpoint can carry out together by one change of the host. */
async function* triedInTurn(
  context: CommandContext,
  running: Running,
  waiting: readonly Waiting[],
): AsyncGenerator<Waiting & Tried> {
  for (const { together, group } of grouped(running, waiting)) yield* triedTogether(context, running, together, group)
}

/** Tries each half of those that fail together, down to the one that does. */
async function* triedTogether(
  context: CommandContext,
  running: Running,
  together: Together | null,
  group: readonly Waiting[],
): AsyncGenerator<Waiting & Tried> {
  const [first] = group
  const tried = together && group.length > 1 && (await trySteps(context, running, together, group))
  if (tried) yield* tried
  else if (first && group.length === 1) yield { ...first, ...(await tryStep(context, running, first.step)) }
  else {
    const middle = Math.ceil(group.length / 2)
    yield* triedTogether(context, running, together, group.slice(0, middle))
    yield* triedTogether(context, running, together, group.slice(middle))
  }
}

interface Group {
  /** Null of one that is always alone. */
  readonly together: Together | null
  readonly group: Waiting[]
}

function grouped(running: Running, waiting: readonly Waiting[]): Group[] {
  const groups: Group[] = []
  for (const one of waiting) {
    const together = togetherOf(running, one.step)
    const last = groups.at(-1)
    if (together && last?.together === together) last.group.push(one)
    else groups.push({ together, group: [one] })
  }
  return groups
}

function conclude(done: RestoreStep[], at: number, how: Partial<RestoreStep>): void {
  const step = done[at]
  if (step) done[at] = { ...step, ...how }
}

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

/** Null where they cannot be carried out together. */
async function trySteps(
  context: CommandContext,
  running: Running,
  together: Together,
  group: readonly Waiting[],
): Promise<(Waiting & Tried)[] | null> {
  const steps = group.map(({ step }) => step)
  const tried = await tryTogether(context, running, together, steps)
  const done = tried?.filter(({ refusal }) => !refusal) ?? []
  if (done.length > 0) await recordTogether(context, running, done)
  return (
    tried &&
    group.flatMap((one, at) => {
      const end = tried[at]
      return end ? { ...one, ...end } : []
    })
  )
}

async function tryStep(context: CommandContext, running: Running, step: Step): Promise<Tried> {
  const { refusal, body, record } = await tryPart(context, running, step)
  if (refusal) return { refusal, warnings: [], record }
  await record()
  const { warnings = [] } = body as { readonly warnings?: readonly Warning[] }
  return { refusal, warnings, record }
}
