// path.trace: who is on the way, by letting the hop limit run out at each of them; several hops are asked at once.
import type { TraceHop, TraceParams, TraceResult } from '@panel/shared/path/model.ts'
import type { PathEnds } from '../kernel/icmp/port.ts'
import { allowPath } from '../policy.ts'
import { Asker, type Answer } from './asker.ts'
import type { Means } from './means.ts'
import { errorWords, refusalWords } from './words.ts'

const HOPS_AT_ONCE = 8
/** Between two probes of a hop, and two hops: routers answer so many in a second and no more. */
const APART_MS = 20
const PAYLOAD_BYTES = 32

type Tracing = AsyncGenerator<TraceHop, TraceResult, void>

export async function* trace(means: Means, params: TraceParams, signal: AbortSignal): Tracing {
  const ends = allowPath(params)
  const asker = new Asker(means, ends, signal)
  const askHop = (hop_limit: number): Promise<Answer[]> => {
    const turns = Array.from(
      { length: params.probes },
      (_, turn) => (turn + ((hop_limit - 1) % HOPS_AT_ONCE)) * APART_MS,
    )
    return Promise.all(
      turns.map((ms) =>
        asker.ask({ packet_size: PAYLOAD_BYTES, hop_limit, is_dont_fragment: false }, [ms], params.timeout_ms),
      ),
    )
  }
  try {
    const asked = new Map<number, Promise<Answer[]>>()
    for (let hop_limit = 1; hop_limit <= params.max_hops; hop_limit += 1) {
      for (let ahead = hop_limit; ahead < hop_limit + HOPS_AT_ONCE && ahead <= params.max_hops; ahead += 1)
        if (!asked.has(ahead)) asked.set(ahead, askHop(ahead))
      const answers = (await asked.get(hop_limit)) ?? []
      if (signal.aborted) return { is_reached: false, detail: 'Stopped' }
      const hop = hopOf(hop_limit, answers, ends)
      yield hop
      if (isLast(hop, answers)) return { is_reached: hop.is_reached, detail: hop.is_reached ? '' : hop.detail }
    }
    return {
      is_reached: false,
      detail: `${ends.target_address} is not among the first ${params.max_hops} hops, or does not answer`,
    }
  } finally {
    asker.close()
  }
}

function hopOf(hop_limit: number, answers: readonly Answer[], ends: PathEnds): TraceHop {
  const heard = answers.flatMap((answer) => (answer.kind === 'heard' ? [answer.heard] : []))
  const refused = answers.find((answer) => answer.kind === 'refused')
  const complaint = heard.find(({ kind }) => kind === 'unreachable' || kind === 'too_big')
  const silence = heard.length === 0 ? 'No answer' : ''
  return {
    hop_limit,
    addresses: [...new Set(heard.map(({ from_address }) => from_address))],
    rtts_us: answers.map((answer) => (answer.kind === 'heard' ? answer.rtt_us : null)),
    is_reached: heard.some(({ kind, from_address }) => kind === 'reply' || from_address === ends.target_address),
    detail: refused ? refusalWords(refused.error, ends) : complaint ? errorWords(complaint) : silence,
  }
}

/** Nothing comes after the target, after who says that it cannot be reached, and where this host sends nothing. */
const isLast = (hop: TraceHop, answers: readonly Answer[]): boolean =>
  hop.is_reached ||
  answers.some(
    (answer) => answer.kind === 'refused' || (answer.kind === 'heard' && answer.heard.kind === 'unreachable'),
  )
