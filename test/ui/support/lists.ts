// Lists as they are measured and saved, and their columns as the operator chooses them.
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'

/** Turns each column on if it is off, and off if it is on. */
export const chooseColumns = async (page: Page, titles: readonly string[]): Promise<void> => {
  await page.getByRole('button', { name: 'Columns', exact: true }).click()
  const menu = page.getByRole('group', { name: 'Columns', exact: true })
  for (const name of titles) await menu.getByRole('button', { name, exact: true }).click()
  await page.keyboard.press('Escape')
}

/** How many rows are wholly in the window, below the heads of the columns. */
export const wholeRows = (page: Page): Promise<number> =>
  page.evaluate(() => {
    const top = document.querySelector('thead th')?.getBoundingClientRect().bottom ?? 0
    return [...document.querySelectorAll('tbody tr.line')].filter((row) => {
      const at = row.getBoundingClientRect()
      return at.top >= top - 0.5 && at.bottom <= innerHeight + 0.5
    }).length
  })

/** The cells, but those of names, that are wider than their column, and the rows that are wider than their list. */
export const cutCells = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const edge = document.querySelector('main .frame')?.getBoundingClientRect().right ?? 0
    const cells = [...document.querySelectorAll<HTMLElement>('tbody .cell:not(.head) .value')]
    return [
      ...cells.filter((cell) => cell.scrollWidth > cell.clientWidth),
      ...[...document.querySelectorAll('tbody tr.line')].filter((row) => row.getBoundingClientRect().right > edge),
    ].map((one) => one.textContent)
  })

/** On how many lines the cells of each row stand, but its note. */
export const linesOfRows = (page: Page): Promise<number[]> =>
  page.locator('tbody tr.line').evaluateAll((rows) =>
    rows.map((row) => {
      const lines: { top: number; bottom: number }[] = []
      for (const cell of row.querySelectorAll('.value, .box')) {
        const words = document.createRange()
        words.selectNodeContents(cell)
        for (const { top, bottom, width } of words.getClientRects()) {
          const middle = (top + bottom) / 2
          if (width > 1 && !lines.some((line) => line.top < middle && middle < line.bottom)) lines.push({ top, bottom })
        }
      }
      return lines.length
    }),
  )

/** The name of the file that a click saves, without its day, and the lines of it. */
export async function saved(page: Page, click: () => Promise<void>): Promise<{ name: string; lines: string[] }> {
  const [download] = await Promise.all([page.waitForEvent('download'), click()])
  const text = readFileSync(await download.path(), 'utf8')
  return {
    name: download.suggestedFilename().replace(/\d{4}-\d\d-\d\d/, 'DAY'),
    lines: text.slice(1).trimEnd().split('\r\n'),
  }
}

export const saveList = async (page: Page): Promise<void> => {
  await page.getByRole('button', { name: 'Columns', exact: true }).click()
  await page.getByRole('button', { name: 'Save as CSV' }).click()
}
