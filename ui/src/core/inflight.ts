// Work that is under way once, for however many ask for it meanwhile.
export const inflight = <T>(work: () => Promise<T>): (() => Promise<T>) => {
  let underWay: Promise<T> | null = null
  return () => {
    underWay ??= work().finally(() => (underWay = null))
    return underWay
  }
}
