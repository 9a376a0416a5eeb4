// One reading for all who wait for it, so that many requests at once start no more programs than one.

/**
 * Whoever asks while a reading is under way shares the next one with all others who wait. It begins after they asked,
 * so nobody is given what was so before the question.
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
