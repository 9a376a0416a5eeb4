// Work that is under way once, for however many ask for it meanwhile.
export const singleFlight = <T>(work: () => Promise<T>): (() => Promise<T>) => {
  let pending: Promise<T> | null = null
  return () => {
    pending ??= work().finally(() => (pending = null))
    return pending
  }
}
