// What is typed into a form, kept in this tab's storage until it is sent or discarded: a reload loses nothing.
export interface Draft<V> {
  /** The values that the form began from. */
  readonly base: V
  readonly values: V
}

interface TriedDraft extends Draft<unknown> {
  readonly page: string
}

const PREFIX = 'draft:'
/** Sent in a trial that is not over yet. */
const TRIED = 'tried:'

export const readDraft = <V>(name: string): Draft<V> | null => {
  const text = sessionStorage.getItem(PREFIX + name)
  return text === null ? null : (JSON.parse(text) as Draft<V>)
}

export const keepDraft = <V>(name: string, draft: Draft<V>): void =>
  sessionStorage.setItem(PREFIX + name, JSON.stringify(draft))

export const dropDraft = (name: string): void => sessionStorage.removeItem(PREFIX + name)

/** What was sent in a trial is kept aside, with the page of its form. */
export const setDraftAside = (name: string, page: string): void => {
  const draft = readDraft(name)
  dropDraft(name)
  if (draft) sessionStorage.setItem(TRIED + name, JSON.stringify({ ...draft, page }))
}

/** Once the trial is over: what was put back can be sent again. Returns the page of its form, if there is any. */
export const endTrial = (isPutBack: boolean): string | null => {
  const names = keysOf(TRIED).map((key) => key.slice(TRIED.length))
  const pages = names.map((name) => {
    const { page, ...draft } = JSON.parse(sessionStorage.getItem(TRIED + name) ?? '{}') as TriedDraft
    if (isPutBack && !readDraft(name)) keepDraft(name, draft)
    sessionStorage.removeItem(TRIED + name)
    return page
  })
  return isPutBack ? (pages.at(-1) ?? null) : null
}

/** The next operator of this tab finds nothing of the last one. */
export const dropAllDrafts = (): void => {
  for (const key of [...keysOf(PREFIX), ...keysOf(TRIED)]) sessionStorage.removeItem(key)
}

const keysOf = (prefix: string): string[] => Object.keys(sessionStorage).filter((key) => key.startsWith(prefix))
