// What was typed and sent in a trial, once that is over.
import { keepDraft, keysOf, readDraft, TRIED, type Draft } from './drafts.ts'

interface TriedDraft extends Draft<unknown> {
  readonly page: string
}

/** What was put back can be sent again. Returns the page of its form, if there is any. */
export const endTrial = (isPutBack: boolean): string | null => {
  const pages = keysOf(TRIED).map((key) => {
    const name = key.slice(TRIED.length)
    const { page, ...draft } = JSON.parse(sessionStorage.getItem(key) ?? '{}') as TriedDraft
    if (isPutBack && !readDraft(name)) keepDraft(name, draft)
    sessionStorage.removeItem(key)
    return page
  })
  return isPutBack ? (pages.at(-1) ?? null) : null
}
