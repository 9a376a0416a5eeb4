// Listens to the kernel through the root helper for as long as the panel runs: what ends with a helper is taken up again with the next.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { HostEvent } from '@panel/shared/model/event.ts'
import type { Streamer } from '../helper/streams.ts'

const PAUSES_MS = { first: 200, last: 10_000 }

interface Parts {
  readonly stream: Streamer
  readonly logger: Logger
  /** Hears "lost" first with each subscription, since things may have happened before it. */
  readonly listener: (events: readonly HostEvent[]) => void
  readonly pauses?: typeof PAUSES_MS
}

export interface KernelWatch {
  /** Resolves when nothing more will be heard. */
  readonly close: () => Promise<void>
}

export function watchKernel(parts: Parts): KernelWatch {
  const closing = new AbortController()
  const ended = listen(parts, closing.signal)
  return {
    close: () => {
      closing.abort()
      return ended
    },
  }
}

async function listen({ stream, logger, listener, pauses = PAUSES_MS }: Parts, signal: AbortSignal): Promise<void> {
  let pause = pauses.first
  const onItem = ({ events }: { events: readonly HostEvent[] }): void => {
    pause = pauses.first
    listener(events)
  }
  while (!signal.aborted) {
    const failure: unknown = await stream('events.subscribe', {}, onItem, signal).then(() => undefined, (thrown: unknown) => thrown)
    if (signal.aborted) return
    if (pause === pauses.first) logger.warn({ err: failure }, 'changes of the host are not told for now; trying again')
    // It throws for the signal alone, at which the loop looks.
    await sleep(pause, undefined, { signal }).catch(() => undefined)
    pause = Math.min(2 * pause, pauses.last)
  }
}
