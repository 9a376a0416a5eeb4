// Carries out many parts in their order. Neighbours that their endpoint can carry out together are one change of the
// host.
import { foreseenAsOne, type Foreseen } from '@panel/shared/impact/foreseen.ts'
import type { CommandContext } from '../../platform/context.ts'
import type { Together } from '../../platform/http/endpoint.ts'
import {
  recordTogether,
  togetherOf,
  tryPart,
  tryTogether,
  type PartRequest,
  type Running,
  type Tried,
} from './part-request.ts'

export interface Turn<P> extends Tried {
  readonly part: P
}

/** Records it where it is carried out. Of one that is refused the caller decides, who may try it again. */
export async function tryOne<P extends PartRequest>(
  context: CommandContext,
  running: Running,
  part: P,
): Promise<Turn<P>> {
  const tried = await tryPart(context, running, part)
  if (!tried.refusal) await tried.record()
  return { ...tried, part }
}

/** The same of many. */
export async function* tryInTurn<P extends PartRequest>(
  context: CommandContext,
  running: Running,
  parts: readonly P[],
): AsyncGenerator<Turn<P>> {
  for (const { together, group } of grouped(running, parts)) yield* tryGroup(context, running, together, group)
}

/** What they would do, of which `foreseenOf` knows what each would do by itself. */
export const foreseenInGroups = <P extends PartRequest>(
  running: Running,
  parts: readonly P[],
  foreseenOf: (part: P) => Foreseen,
): Foreseen[] => grouped(running, parts).map(({ group }) => foreseenAsOne(group.map(foreseenOf)))

/** Tries each half of those that fail together, down to the one that does. */
async function* tryGroup<P extends PartRequest>(
  context: CommandContext,
  running: Running,
  together: Together | null,
  group: readonly P[],
): AsyncGenerator<Turn<P>> {
  const [first] = group
  const tried = together && group.length > 1 && (await tryAll(context, running, together, group))
  if (tried) yield* tried
  else if (first && group.length === 1) yield await tryOne(context, running, first)
  else {
    const middle = Math.ceil(group.length / 2)
    yield* tryGroup(context, running, together, group.slice(0, middle))
    yield* tryGroup(context, running, together, group.slice(middle))
  }
}

interface Group<P> {
  /** Null of one that is always alone. */
  readonly together: Together | null
  readonly group: P[]
}

function grouped<P extends PartRequest>(running: Running, parts: readonly P[]): Group<P>[] {
  const groups: Group<P>[] = []
  for (const part of parts) {
    const together = part.refused ? null : togetherOf(running, part)
    const last = groups.at(-1)
    if (together && last?.together === together) last.group.push(part)
    else groups.push({ together, group: [part] })
  }
  return groups
}

/** Null where they cannot be carried out together. */
async function tryAll<P extends PartRequest>(
  context: CommandContext,
  running: Running,
  together: Together,
  group: readonly P[],
): Promise<Turn<P>[] | null> {
  const tried = await tryTogether(context, running, together, group)
  const done = tried?.filter(({ refusal }) => !refusal) ?? []
  if (done.length > 0) await recordTogether(context, running, done)
  return (
    tried &&
    group.flatMap((part, at) => {
      const end = tried[at]
      return end ? { ...end, part } : []
    })
  )
}
