// path.trace: the routers of a path, found by letting the hop limit run out at each; several hops are probed at once.
import { message } from '@panel/shared/messages/message.ts'
import type { TraceHop, TraceParams, TraceResult } from '@panel/shared/path/model.ts'
import type { PathEnds } from '../kernel/icmp/port.ts'
import { allowPath } from '../policy.ts'
import { EchoQueries, type QueryResult } from './echo-queries.ts'
import type { PathDeps } from './deps.ts'
import { describeError, describeRefusal } from './describe.ts'

const HOPS_AT_ONCE = 8
/** Between two probes of a hop, and two hops: routers answer so many in a second and no more. */
const APART_MS = 20
const PAYLOAD_BYTES = 32

type Tracing = AsyncGenerator<TraceHop, TraceResult, void>

export async function* trace(deps: PathDeps, params: TraceParams, signal: AbortSignal): Tracing {
  const ends = allowPath(params)
  const queries = new EchoQueries(deps, ends, signal)
  const queryHop = (hop_limit: number): Promise<QueryResult[]> => {
    const turns = Array.from(
      { length: params.probes },
      (_, turn) => (turn + ((hop_limit - 1) % HOPS_AT_ONCE)) * APART_MS,
    )
    return Promise.all(
      turns.map((ms) =>
        queries.query({ packet_size: PAYLOAD_BYTES, hop_limit, is_dont_fragment: false }, [ms], params.timeout_ms),
      ),
    )
  }
  try {
    const pending = new Map<number, Promise<QueryResult[]>>()
    for (let hop_limit = 1; hop_limit <= params.max_hops; hop_limit += 1) {
      for (let ahead = hop_limit; ahead < hop_limit + HOPS_AT_ONCE && ahead <= params.max_hops; ahead += 1)
        if (!pending.has(ahead)) pending.set(ahead, queryHop(ahead))
      const answers = (await pending.get(hop_limit)) ?? []
      if (signal.aborted) return { is_reached: false, detail: 'Stopped' }
      const hop = traceHop(hop_limit, answers, ends)
      yield hop
      if (isLast(hop, answers)) return { is_reached: hop.is_reached, detail: hop.is_reached ? '' : hop.detail }
    }
    return {
      is_reached: false,
      detail: message('root.too_far', { target: ends.target_address, hops: params.max_hops }).message,
    }
  } finally {
    queries.close()
  }
}

function traceHop(hop_limit: number, answers: readonly QueryResult[], ends: PathEnds): TraceHop {
  const received = answers.flatMap((answer) => (answer.kind === 'received' ? [answer.received] : []))
  const refused = answers.find((answer) => answer.kind === 'refused')
  const complaint = received.find(({ kind }) => kind === 'unreachable' || kind === 'too_big')
  const silence = received.length === 0 ? message('root.no_answer').message : ''
  return {
    hop_limit,
    addresses: [...new Set(received.map(({ from_address }) => from_address))],
    rtts_us: answers.map((answer) => (answer.kind === 'received' ? answer.rtt_us : null)),
    is_reached: received.some(({ kind, from_address }) => kind === 'reply' || from_address === ends.target_address),
    detail: refused ? describeRefusal(refused.error, ends) : complaint ? describeError(complaint) : silence,
  }
}

/** The trace ends at the target, at a router that reports it as unreachable, and where this host cannot send. */
const isLast = (hop: TraceHop, answers: readonly QueryResult[]): boolean =>
  hop.is_reached ||
  answers.some(
    (answer) => answer.kind === 'refused' || (answer.kind === 'received' && answer.received.kind === 'unreachable'),
  )
