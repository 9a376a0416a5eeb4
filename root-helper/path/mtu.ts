// path.mtu: the largest packet that arrives whole, found by halving with Don't-Fragment set; a router that says what fits is asked no second time.
import type { MtuParams, MtuResult, MtuStep } from '@panel/shared/path/model.ts'
import { RefusedError } from '../refused.ts'
import { allowPath } from '../policy.ts'
import { Asker, type Answer } from './asker.ts'
import type { Means } from './means.ts'
import { errorWords, refusalWords } from './words.ts'
import type { PathEnds } from '../kernel/icmp/port.ts'

/** IP and ICMP, of which the payload is what a packet is larger by. */
const HEADERS = { 4: 28, 6: 48 } as const

/** When each of them is sent, in parts of the timeout: packets are lost for other reasons, too. */
const TRIES = [0, 0.25, 0.5]

type Search = AsyncGenerator<MtuStep, MtuResult, void>

export async function* pathMtu(means: Means, params: MtuParams, signal: AbortSignal): Search {
  if (params.min > params.max) throw new RefusedError('malformed', 'min is larger than max')
  const ends = allowPath(params)
  const headers = HEADERS[ends.target_address.includes(':') ? 6 : 4]
  const asker = new Asker(means, ends, signal)
  const tryOut = async (packet_size: number): Promise<MtuStep> =>
    stepOf(
      packet_size,
      await asker.ask(
        { packet_size: packet_size - headers, hop_limit: 0, is_dont_fragment: true },
        TRIES.map((part) => part * params.timeout_ms),
        params.timeout_ms,
      ),
      ends,
      params.timeout_ms,
    )
  try {
    return yield* search(params, tryOut, signal)
  } finally {
    asker.close()
  }
}

/** `low` fits and `high` does not. What a router says is tried, and then that one byte more does not fit: one that errs is not believed again. */
async function* search(
  { min, max }: MtuParams,
  tryOut: (packet_size: number) => Promise<MtuStep>,
  signal: AbortSignal,
): Search {
  let reported_mtu: number | null = null
  let [low, high] = [min - 1, max + 1]
  let hint: { readonly size: number; readonly isDoubt: boolean } | null = null
  let isBelieved = true
  while (high - low > 1) {
    const size: number = hint?.size ?? nextSize(min, max, low, high)
    const step = await tryOut(size)
    if (signal.aborted) return { path_mtu: null, reported_mtu, detail: 'Stopped' }
    yield step
    if (step.reported_mtu !== null) reported_mtu = Math.min(step.reported_mtu, reported_mtu ?? Infinity)
    if (step.outcome !== 'fits' && size === min)
      return { path_mtu: null, reported_mtu, detail: `Not even ${min} bytes arrive: ${step.detail}` }
    if (step.outcome === 'fits') low = size
    else high = size
    if (step.outcome === 'fits' && hint?.isDoubt) isBelieved = false
    const told: number | null = step.outcome === 'fits' ? hint && size + 1 : step.reported_mtu
    hint =
      isBelieved && told !== null && told > low && told < high ? { size: told, isDoubt: step.outcome === 'fits' } : null
  }
  return {
    path_mtu: low,
    reported_mtu,
    detail: low === max ? `${max} bytes arrive, and larger packets were not tried` : '',
  }
}

/** The least, then the most, then the middle of what is left. */
const nextSize = (min: number, max: number, low: number, high: number): number =>
  low < min ? min : high > max ? max : low + ((high - low) >> 1)

function stepOf(packet_size: number, answer: Answer, ends: PathEnds, timeoutMs: number): MtuStep {
  const nothing = { packet_size, reported_mtu: null }
  if (answer.kind === 'silence')
    return { ...nothing, outcome: 'no_answer', detail: `No answer to any of three within ${timeoutMs} ms each` }
  if (answer.kind === 'refused')
    return {
      ...nothing,
      outcome: answer.error.code === 'EMSGSIZE' ? 'refused' : 'unreachable',
      detail: refusalWords(answer.error, ends),
    }
  const { heard } = answer
  if (heard.kind === 'reply') return { ...nothing, outcome: 'fits', detail: '' }
  return {
    packet_size,
    outcome: heard.kind === 'too_big' ? 'too_big' : 'unreachable',
    reported_mtu: heard.reported_mtu,
    detail: errorWords(heard),
  }
}
