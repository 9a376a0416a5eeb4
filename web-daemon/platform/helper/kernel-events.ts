// Subscribes to kernel events through the root helper for as long as the panel runs.
import type { Logger } from 'pino'
import type { HostEvent } from '@panel/shared/events/model.ts'
import { openRestartingStream, type RestartingStream, type PAUSES_MS } from './restarting-stream.ts'
import type { Streamer } from './streams.ts'

interface KernelWatchDeps {
  readonly stream: Streamer
  readonly logger: Logger
  /** Receives "lost" first after each subscription, since events may have been missed. */
  readonly listener: (events: readonly HostEvent[]) => void
  readonly pauses?: typeof PAUSES_MS
}

export type KernelWatch = Pick<RestartingStream, 'close'>

export function watchKernel({ stream, logger, listener, pauses }: KernelWatchDeps): KernelWatch {
  return openRestartingStream({
    stream,
    method: 'events.subscribe',
    params: () => ({}),
    onItem: ({ events }) => listener(events),
    onEnd: (err, isNews) => {
      if (isNews) logger.warn({ err }, 'the stream of kernel events has ended; trying again')
    },
    ...(pauses && { pauses }),
  })
}
