// A stream of the root helper that is open as long as the panel runs: it is restarted whenever it ends.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Item, Params, StreamName } from '@panel/shared/rpc/methods.ts'
import type { Streamer } from './streams.ts'

/**
 * An attempt costs one connection to a local socket. Until one succeeds, no change of the host is seen, though requests
 * may have reached the helper for long.
 */
export const PAUSES_MS = { first: 200, last: 1000 }

interface RestartingStreamOptions<M extends StreamName> {
  readonly stream: Streamer
  readonly method: M
  /** Called each time that it starts. */
  readonly params: () => Params<M>
  readonly onItem: (item: Item<M>) => void
  /** `isNews`: false if no item has arrived since it ended the last time. */
  readonly onEnd: (failure: unknown, isNews: boolean) => void
  readonly pauses?: typeof PAUSES_MS
}

export interface RestartingStream {
  /** Ends the stream and starts it again at once. */
  readonly restart: () => void
  /** Resolves when no more items will arrive. */
  readonly close: () => Promise<void>
}

export function openRestartingStream<M extends StreamName>(options: RestartingStreamOptions<M>): RestartingStream {
  const closing = new AbortController()
  let current = new AbortController()
  const nextSignal = (): AbortSignal => {
    current = new AbortController()
    return AbortSignal.any([closing.signal, current.signal])
  }
  const closed = restartUntilClosed(options, closing.signal, nextSignal)
  return {
    restart: () => current.abort(),
    close: () => {
      closing.abort()
      return closed
    },
  }
}

async function restartUntilClosed<M extends StreamName>(
  { stream, method, params, onItem, onEnd, pauses = PAUSES_MS }: RestartingStreamOptions<M>,
  closing: AbortSignal,
  nextSignal: () => AbortSignal,
): Promise<void> {
  let pause = pauses.first
  const receive = (item: Item<M>): void => {
    pause = pauses.first
    onItem(item)
  }
  while (!closing.aborted) {
    const signal = nextSignal()
    const failure: unknown = await stream(method, params(), receive, signal).then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    if (closing.aborted) return
    onEnd(failure, pause === pauses.first)
    // The sleep only rejects when closing is aborted, which the loop checks.
    if (!signal.aborted) await sleep(pause, undefined, { signal: closing }).catch(() => undefined)
    pause = Math.min(2 * pause, pauses.last)
  }
}
