// Decides which paths of a network carry: those with the lowest preference that are not out, and never none. Pure.
import type { NetworkPathState } from '@panel/shared/api/networks/answers.ts'
import { message, sentences, type Message } from '@panel/shared/messages/message.ts'

export interface Path {
  readonly tunnel_id: number
  readonly preference: number
  readonly weight: number
}

const CHANCES = ['good', 'poor', 'none'] as const

/** Why a path is out. */
export interface Out {
  readonly why: Message
  /** That packets get through all the same: of those that are out, the best ones carry rather than none. */
  readonly chance: (typeof CHANCES)[number]
  /** Null where nothing says since when. */
  readonly since: string | null
}

/** The keys are the ids of the tunnels. */
export type OutPaths = ReadonlyMap<number, Out>

export interface Judged<P extends Path> {
  readonly path: P
  readonly state: NetworkPathState
  /** What root shall have as its weight: 0 unless it carries. */
  readonly carried_weight: number
  readonly why: Message
  readonly out: Out | null
}

/** In the order of the paths. */
export function judgePaths<P extends Path>(paths: readonly P[], out: OutPaths): Judged<P>[] {
  const carriers = new Set(carriersOf(paths, out))
  return paths.map((path) => {
    const isCarrier = carriers.has(path)
    const isOut = out.get(path.tunnel_id) ?? null
    return {
      path,
      state: isCarrier ? 'carries' : isOut ? 'out' : 'standby',
      carried_weight: isCarrier ? path.weight : 0,
      why: whyOf(isCarrier, isOut),
      out: isOut,
    }
  })
}

/** If all are out, those with the best chance carry. */
function carriersOf<P extends Path>(paths: readonly P[], out: OutPaths): P[] {
  const usable = paths.filter(({ tunnel_id }) => !out.has(tunnel_id))
  const byChance = CHANCES.map((chance) => paths.filter(({ tunnel_id }) => out.get(tunnel_id)?.chance === chance))
  const candidates = [usable, ...byChance].find((some) => some.length > 0) ?? paths
  const lowest = Math.min(...candidates.map(({ preference }) => preference))
  return candidates.filter(({ preference }) => preference === lowest)
}

function whyOf(isCarrier: boolean, out: Out | null): Message {
  if (out) return isCarrier ? sentences(out.why, message('network.path_last')) : out.why
  return message(isCarrier ? 'network.path_carries' : 'network.path_standby')
}
