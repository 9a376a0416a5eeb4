// One reading for all who wait for it, so that many requests at once start no more programs than one.

/**
 * Callers that arrive while a reading is under way share the next one. It begins after they called, so no caller gets a
 * state older than its call.
 */
export function sharedRead<T>(read: () => Promise<T>): () => Promise<T> {
  let current: Promise<T> | null = null
  let next: Promise<T> | null = null
  const begin = (): Promise<T> => {
    next = null
    const reading = read().finally(() => {
      if (current === reading) current = null
    })
    current = reading
    return reading
  }
  return () => next ?? (current ? (next = current.then(begin, begin)) : begin())
}
