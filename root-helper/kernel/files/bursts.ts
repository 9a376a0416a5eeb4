// Batches work: requests that arrive within a moment are served by one run.

export interface Bursts {
  /** Requests the work on behalf of `whose`; it runs soon. */
  soon(whose: string): void
  /** Returns when the work that was requested for `whose` is done; at once where none was requested. */
  doneFor(whose: string): Promise<void>
  /** Whether work that was requested for `whose` waits or is under way. */
  isDueFor(whose: string): boolean
}

/** Work that was requested and is not done yet. */
const unfinished = new Set<() => Promise<void>>()

/** Runs at once what is still waiting, for a helper that is about to end: nothing would trigger it later. */
export const finishBursts = async (): Promise<void> =>
  void (await Promise.all([...unfinished].map((finish) => finish())))

/** `work` receives who requested it since the last run, and never rejects. */
export function inBursts(work: (requests: readonly string[]) => Promise<void>, pause_ms = 1000): Bursts {
  const requests = new Set<string>()
  let timer: NodeJS.Timeout | null = null
  let running: Promise<void> = Promise.resolve()
  const begun = new Set<readonly string[]>()
  const start = (): Promise<void> => {
    if (timer) clearTimeout(timer)
    timer = null
    const whose = [...requests]
    requests.clear()
    begun.add(whose)
    running = running
      .then(() => work(whose))
      .then(() => {
        begun.delete(whose)
        if (requests.size === 0) unfinished.delete(finish)
      })
    return running
  }
  const finish = (): Promise<void> => (requests.size > 0 ? start() : running)
  return {
    soon(whose) {
      requests.add(whose)
      unfinished.add(finish)
      timer ??= setTimeout(() => void start(), pause_ms)
    },
    // One that is under way may have begun before the last change, so only its end counts.
    doneFor: (whose) => (requests.has(whose) ? start() : running),
    isDueFor: (whose) => requests.has(whose) || [...begun].some((requested) => requested.includes(whose)),
  }
}
