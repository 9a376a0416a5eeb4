// Echo requests of checks, which root sends: a stream beside that of the monitor, open only while there are any.
import { message } from '@panel/shared/messages/message.ts'
import type { WatchResult } from '@panel/shared/path/model.ts'
import { Prober, type ProberDeps } from '../monitor/prober.ts'
import type { Echo, Echoes } from './checker.ts'
import type { Sample } from './judge.ts'

export interface EchoDeps extends Pick<ProberDeps, 'stream' | 'request' | 'logger'> {
  readonly onSample: (id: number, sample: Sample) => void
}

const PACKET_SIZE = 56

export class EchoChecks implements Echoes {
  readonly #deps: EchoDeps
  #prober: Prober | null = null

  constructor(deps: EchoDeps) {
    this.#deps = deps
  }

  set(id: number, echo: Echo | null): void {
    if (!echo && !this.#prober) return
    const prober = (this.#prober ??= this.#open())
    const refused = prober.set(id, echo && { ...echo, interface_name: '', packet_size: PACKET_SIZE })
    if (refused) this.#deps.logger.warn({ target: echo?.target, reason: refused.message }, 'no echo requests are sent')
    if (prober.size === 0) void this.close()
  }

  async close(): Promise<void> {
    const prober = this.#prober
    this.#prober = null
    await prober?.close()
  }

  #open(): Prober {
    const { onSample, ...deps } = this.#deps
    const prober = new Prober({
      ...deps,
      onResult: (id, result) => {
        const sample = sampleOf(result)
        if (sample) onSample(id, sample)
      },
      onStopped: () => undefined,
    })
    // The first targets go along with the request that opens the stream.
    setImmediate(() => {
      if (this.#prober === prober) prober.start()
    })
    return prober
  }
}

const ANSWERS = message('check.echo')

/** Null: what arrives too late was counted already. */
function sampleOf({ outcome, rtt_us, detail }: WatchResult): Sample | null {
  if (outcome === 'late') return null
  if (outcome === 'reply')
    return { outcome: 'success', reason: ANSWERS, latency_ms: rtt_us === null ? null : rtt_us / 1000 }
  const reason = detail === '' ? message('check.no_echo') : message('check.failed', { error: detail })
  return { outcome: 'failure', reason, latency_ms: null }
}
