// path.mtu: the largest packet that arrives whole, found by halving with Don't-Fragment set; a router that says what fits is asked no second time.
import type { MtuParams, MtuResult, MtuStep } from '@panel/shared/model/path.ts'
import { RefusedError } from '../refused.ts'
import { allowPath } from '../policy.ts'
import { Asker, type Answer } from './asker.ts'
import type { Means } from './means.ts'
import { errorWords, refusalWords } from './words.ts'
import type { PathEnds } from '../kernel/facilities.ts'

/** IP and ICMP, of which the payload is what a packet is larger by. */
const HEADERS = { 4: 28, 6: 48 } as const

type Search = AsyncGenerator<MtuStep, MtuResult, void>

export async function* pathMtu(means: Means, params: MtuParams, signal: AbortSignal): Search {
  if (params.min > params.max) throw new RefusedError('malformed', 'min is larger than max')
  const ends = allowPath(params)
  const headers = HEADERS[ends.target_address.includes(':') ? 6 : 4]
  const asker = new Asker(means, ends, signal)
  const tryOut = async (packet_size: number): Promise<MtuStep> =>
    stepOf(packet_size, await asker.askAgain({ packet_size: packet_size - headers, hop_limit: 0, is_dont_fragment: true }, params.timeout_ms), ends, params.timeout_ms)
  try {
    return yield* search(params, tryOut, signal)
  } finally {
    asker.close()
  }
}

/** `low` fits and `high` does not. What a router says is tried, and then that one byte more does not fit: routers err. */
async function* search({ min, max }: MtuParams, tryOut: (packet_size: number) => Promise<MtuStep>, signal: AbortSignal): Search {
  let reported_mtu: number | null = null
  let [low, high] = [min - 1, max + 1]
  let hint: number | null = null
  while (high - low > 1) {
    const size: number = low < min ? min : (hint ?? (high > max ? max : low + ((high - low) >> 1)))
    const step = await tryOut(size)
    if (signal.aborted) return { path_mtu: null, reported_mtu, detail: 'Stopped' }
    yield step
    if (step.reported_mtu !== null) reported_mtu = Math.min(step.reported_mtu, reported_mtu ?? Infinity)
    if (step.outcome !== 'fits' && size === min) return { path_mtu: null, reported_mtu, detail: `Not even ${min} bytes arrive: ${step.detail}` }
    const isConfirmed: boolean = step.outcome === 'fits' && size === hint
    if (step.outcome === 'fits') low = size
    else high = size
    const told: number | null = isConfirmed ? size + 1 : step.reported_mtu
    hint = told !== null && told > low && told < high ? told : null
  }
  return { path_mtu: low, reported_mtu, detail: low === max ? `${max} bytes arrive, and larger packets were not tried` : '' }
}

function stepOf(packet_size: number, answer: Answer, ends: PathEnds, timeoutMs: number): MtuStep {
  const nothing = { packet_size, reported_mtu: null }
  if (answer.kind === 'silence') return { ...nothing, outcome: 'no_answer', detail: `No answer to any of three within ${timeoutMs} ms each` }
  if (answer.kind === 'refused') return { ...nothing, outcome: answer.error.code === 'EMSGSIZE' ? 'refused' : 'unreachable', detail: refusalWords(answer.error, ends) }
  const { heard } = answer
  if (heard.kind === 'reply') return { ...nothing, outcome: 'fits', detail: '' }
  return { packet_size, outcome: heard.kind === 'too_big' ? 'too_big' : 'unreachable', reported_mtu: heard.reported_mtu, detail: errorWords(heard) }
}
