// Does a piece of work once for all who ask for it within a moment.

export interface Bursts {
  /** For the sake of `whose`, before long. */
  soon(whose: string): void
  /** Returns when the work is done that was asked for `whose`; at once where none was. */
  doneFor(whose: string): Promise<void>
}

/** Work that was asked for and is not done. */
const unfinished = new Set<() => Promise<void>>()

/** Does at once what is still to be done, for a helper that is about to end: nobody would ask for it again. */
export const finishBursts = async (): Promise<void> =>
  void (await Promise.all([...unfinished].map((finish) => finish())))

/** `work` is told who asked since it was done last, and never rejects. */
export function inBursts(work: (requests: readonly string[]) => Promise<void>, pause_ms = 1000): Bursts {
  const requests = new Set<string>()
  let timer: NodeJS.Timeout | null = null
  let running: Promise<void> = Promise.resolve()
  const start = (): Promise<void> => {
    if (timer) clearTimeout(timer)
    timer = null
    const whose = [...requests]
    requests.clear()
    running = running.then(() => work(whose)).then(() => void (requests.size === 0 && unfinished.delete(finish)))
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
  }
}
