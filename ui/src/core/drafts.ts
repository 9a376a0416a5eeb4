// What is typed into a form, kept in this tab's storage until it is sent or discarded: a reload loses nothing.
export interface Draft<V> {
  /** The values that the form began from. */
  readonly base: V
  readonly values: V
}

const PREFIX = 'draft:'

export const readDraft = <V>(name: string): Draft<V> | null => {
  const text = sessionStorage.getItem(PREFIX + name)
  return text === null ? null : (JSON.parse(text) as Draft<V>)
}

export const keepDraft = <V>(name: string, draft: Draft<V>): void =>
  sessionStorage.setItem(PREFIX + name, JSON.stringify(draft))

export const dropDraft = (name: string): void => sessionStorage.removeItem(PREFIX + name)

/** The next operator of this tab finds nothing of the last one. */
export const dropAllDrafts = (): void =>
  Object.keys(sessionStorage)
    .filter((key) => key.startsWith(PREFIX))
    .forEach((key) => sessionStorage.removeItem(key))
