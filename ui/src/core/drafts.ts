// What is typed into a form, kept in this tab's storage until it is sent or discarded: a reload loses nothing.
import { router } from './router.svelte.ts'
import { trial } from './trial.svelte.ts'

export interface Draft<V> {
  /** The values that the form began from. */
  readonly base: V
  readonly values: V
}

const PREFIX = 'draft:'
/** The prefix of what was sent in a trial that is not over yet. */
export const TRIED = 'tried:'

export const readDraft = <V>(name: string): Draft<V> | null => {
  const text = sessionStorage.getItem(PREFIX + name)
  return text === null ? null : (JSON.parse(text) as Draft<V>)
}

export const keepDraft = <V>(name: string, draft: Draft<V>): void =>
  sessionStorage.setItem(PREFIX + name, JSON.stringify(draft))

export const dropDraft = (name: string): void => sessionStorage.removeItem(PREFIX + name)

/** What was sent in a trial is kept aside, with the page of its form. */
export const setDraftAside = (name: string, page = router.path): void => {
  const draft = trial.seconds === null ? null : readDraft(name)
  if (draft) sessionStorage.setItem(TRIED + name, JSON.stringify({ ...draft, page }))
}

/** The next operator of this tab finds nothing of the last one. */
export const dropAllDrafts = (): void => {
  for (const key of [...keysOf(PREFIX), ...keysOf(TRIED)]) sessionStorage.removeItem(key)
}

export const keysOf = (prefix: string): string[] => Object.keys(sessionStorage).filter((key) => key.startsWith(prefix))
