// A promise that a test resolves when it wants to.
export interface Promised {
  readonly promise: Promise<void>
  readonly resolve: () => void
}

export function promised(): Promised {
  let resolve: () => void = () => undefined
  const promise = new Promise<void>((done) => (resolve = done))
  return { promise, resolve }
}
