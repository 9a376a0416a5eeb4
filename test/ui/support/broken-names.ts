// Names and figures that a line breaks.
import type { Page } from 'playwright-core'

/** The texts in which the name stands on two lines. */
export const brokenNames = (page: Page, name: string): Promise<string[]> =>
  broken(page, name.replaceAll(/[.\\]/g, '\\$&'))

/** The figures that stand on another line than their unit, or that a line breaks. */
export const brokenFigures = (page: Page): Promise<string[]> =>
  broken(page, '\\d[\\d.,\\u00a0]*[\\u00a0 ]?(?:[KMGT]iB|B|ms|мс|%|٪)(?![A-Za-z])(?:/s)?')

const broken = (page: Page, pattern: string): Promise<string[]> =>
  page.evaluate((source) => {
    const found: string[] = []
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    for (let text = texts.nextNode(); text; text = texts.nextNode())
      for (const match of (text.textContent ?? '').matchAll(new RegExp(source, 'g'))) {
        const range = document.createRange()
        range.setStart(text, match.index)
        range.setEnd(text, match.index + match[0].length)
        const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)))
        if (lines.size > 1) found.push(text.textContent ?? '')
      }
    return found
  }, pattern)
