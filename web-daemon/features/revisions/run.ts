// Carries out the steps of a restore, or foresees them. A step that is refused since others are not done yet is tried
// again after them.
import type { RestoreStep } from '@panel/shared/api/revisions.ts'
import type { Warning } from '@panel/shared/api/base/errors.ts'
import { UNFORESEEN, type Foreseen } from '@panel/shared/impact/foreseen.ts'
import type { CommandContext, ReadContext } from '../../platform/context.ts'
import { untilAway } from '../../platform/helper/away.ts'
import { readingOnce } from '../../platform/helper/reading-once.ts'
import { makeEnvelope } from '../../platform/http/answer.ts'
import { isFinal } from '../../platform/http/refusal.ts'
import { foreseePart, type Running, type Tried } from '../audit/part-request.ts'
import { foreseenInGroups, tryInTurn, tryOne } from '../audit/parts-in-turn.ts'
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
  const foreseen = new Map<Step, Foreseen>()
  const reading = { ...context, request: readingOnce(untilAway(context.request)) }
  const planned: RestoreStep[] = []
  for (const step of steps) {
    const seen = await foreseePart(reading, running, step)
    const isSeen = 'changes' in seen
    foreseen.set(step, isSeen ? seen : UNFORESEEN)
    planned.push({
      ...plannedStep(step),
      outcome: 'planned',
      ...(isSeen ? { warnings: [...seen.warnings] } : { error: makeEnvelope(seen).error }),
    })
  }
  return { steps: planned, foreseen: foreseenInGroups(running, steps, (step) => foreseen.get(step) ?? UNFORESEEN) }
}

interface Waiting {
  readonly step: Step
  /** The place in the answer. */
  readonly at: number
  readonly isAside: boolean
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
    const parts = waiting.map((one) => ({ ...one.step, waiting: one }))
    for await (const { part, ...tried } of tryInTurn(context, running, parts)) {
      const { refusal } = tried
      if (refusal) left.push({ ...part.waiting, ...tried })
      else conclude(done, part.waiting.at, { outcome: 'done', warnings: warningsIn(tried) })
      if (refusal && isFinal(refusal)) return failed(done, left)
    }
    const next = left.length < waiting.length ? left : await withRoom(context, running, left)
    if (!next) return failed(done, left)
    waiting = next
  }
  return done
}

const warningsIn = ({ body }: Tried): Warning[] => [
  ...((body as { readonly warnings?: readonly Warning[] }).warnings ?? []),
]

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
    const { refusal } = await tryOne(context, running, parts.aside)
    if (!refusal) return left.map((one, other) => (other === place ? { step: parts.rest, at, isAside: true } : one))
  }
  return null
}
