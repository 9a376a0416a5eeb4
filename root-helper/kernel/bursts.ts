// Does a piece of work once for all who ask for it within a moment.

export interface Bursts {
  /** For the sake of `whose`, before long. */
  soon(whose: string): void
  /** Returns when the work is done that was asked for `whose`; at once where none was. */
  doneFor(whose: string): Promise<void>
}

/** `work` is told who asked since it was done last, and never rejects. */
export function inBursts(work: (asked: readonly string[]) => Promise<void>, pause_ms = 1000): Bursts {
  const asked = new Set<string>()
  let timer: NodeJS.Timeout | null = null
  let running: Promise<void> = Promise.resolve()
  const start = (): Promise<void> => {
    if (timer) clearTimeout(timer)
    timer = null
    const whose = [...asked]
    asked.clear()
    running = running.then(() => work(whose))
    return running
  }
  return {
    soon(whose) {
      asked.add(whose)
      timer ??= setTimeout(() => void start(), pause_ms)
    },
    // One that is under way may have begun before the last change, so only its end counts.
    doneFor: (whose) => (asked.has(whose) ? start() : running),
  }
}
