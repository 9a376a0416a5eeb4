// Concurrent callers share one execution.
export const singleFlight = <T>(work: () => Promise<T>): (() => Promise<T>) => {
  let pending: Promise<T> | null = null
  return () => {
    pending ??= work().finally(() => (pending = null))
    return pending
  }
}
