// path.mtu: the largest packet that arrives whole, found by bisection with Don't-Fragment set; an MTU that a router
// reports is used as a hint.
import { message } from '@panel/shared/messages/message.ts'
import type { MtuParams, MtuResult, MtuStep } from '@panel/shared/path/model.ts'
import { RefusedError } from '../refused.ts'
import { allowPath } from '../policy.ts'
import { EchoQueries, type QueryResult } from './echo-queries.ts'
import type { PathDeps } from './deps.ts'
import { describeError, describeRefusal } from './describe.ts'
import type { PathEnds } from '../kernel/icmp/port.ts'

/** IP and ICMP, of which the payload is what a packet is larger by. */
const HEADERS = { 4: 28, 6: 48 } as const

/** When each of them is sent, in parts of the timeout: packets are lost for other reasons, too. */
const SEND_AT = [0, 0.25, 0.5]

type Search = AsyncGenerator<MtuStep, MtuResult, void>

export async function* pathMtu(deps: PathDeps, params: MtuParams, signal: AbortSignal): Search {
  if (params.min > params.max) throw new RefusedError('malformed', 'min is larger than max')
  const ends = allowPath(params)
  const headers = HEADERS[ends.target_address.includes(':') ? 6 : 4]
  const queries = new EchoQueries(deps, ends, signal)
  const probe = async (packet_size: number): Promise<MtuStep> =>
    mtuStep(
      packet_size,
      await queries.query(
        { packet_size: packet_size - headers, hop_limit: 0, is_dont_fragment: true },
        SEND_AT.map((part) => part * params.timeout_ms),
        params.timeout_ms,
      ),
      ends,
      params.timeout_ms,
    )
  try {
    return yield* search(params, probe, signal)
  } finally {
    queries.close()
  }
}

/**
 * `low` fits and `high` does not. An MTU reported by a router is probed, and then one byte more; a report that proves
 * wrong is not used again.
 */
async function* search(
  { min, max }: MtuParams,
  probe: (packet_size: number) => Promise<MtuStep>,
  signal: AbortSignal,
): Search {
  let reported_mtu: number | null = null
  let [low, high] = [min - 1, max + 1]
  let hint: { readonly size: number; readonly isDoubt: boolean } | null = null
  let isBelieved = true
  while (high - low > 1) {
    const size: number = hint?.size ?? nextSize(min, max, low, high)
    const step = await probe(size)
    if (signal.aborted) return { path_mtu: null, reported_mtu, detail: 'Stopped' }
    yield step
    if (step.reported_mtu !== null) reported_mtu = Math.min(step.reported_mtu, reported_mtu ?? Infinity)
    if (step.outcome !== 'fits' && size === min)
      return { path_mtu: null, reported_mtu, detail: notEven(min, step.detail) }
    if (step.outcome === 'fits') low = size
    else high = size
    if (step.outcome === 'fits' && hint?.isDoubt) isBelieved = false
    const candidate: number | null = step.outcome === 'fits' ? hint && size + 1 : step.reported_mtu
    hint =
      isBelieved && candidate !== null && candidate > low && candidate < high
        ? { size: candidate, isDoubt: step.outcome === 'fits' }
        : null
  }
  return {
    path_mtu: low,
    reported_mtu,
    detail: low === max ? message('root.size_largest', { size: max }).message : '',
  }
}

const notEven = (size: number, why: string): string => message('root.size_least', { size, why }).message

/** First the smallest size, then the largest, then the middle of the remaining range. */
const nextSize = (min: number, max: number, low: number, high: number): number =>
  low < min ? min : high > max ? max : low + ((high - low) >> 1)

function mtuStep(packet_size: number, answer: QueryResult, ends: PathEnds, timeoutMs: number): MtuStep {
  const nothing = { packet_size, reported_mtu: null }
  if (answer.kind === 'silence')
    return { ...nothing, outcome: 'no_answer', detail: message('root.silent', { time: timeoutMs }).message }
  if (answer.kind === 'refused')
    return {
      ...nothing,
      outcome: answer.error.code === 'EMSGSIZE' ? 'refused' : 'unreachable',
      detail: describeRefusal(answer.error, ends),
    }
  const { received: received } = answer
  if (received.kind === 'reply') return { ...nothing, outcome: 'fits', detail: '' }
  return {
    packet_size,
    outcome: received.kind === 'too_big' ? 'too_big' : 'unreachable',
    reported_mtu: received.reported_mtu,
    detail: describeError(received),
  }
}
