// What an operator does on any page, and finds there.
import type { Locator, Page } from 'playwright-core'
import { seen } from '../../ui/support/host.ts'

/** Goes to a page by the navigation, like an operator. */
export const goTo = async (page: Page, title: string): Promise<void> => {
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: title, exact: true }).click()
  await seen(page, new RegExp(`^${title}`))
}

export const row = (page: Page, name: string): Locator => page.getByRole('row', { name: new RegExp(name) }).first()
export const button = (page: Page, name: string): Locator => page.getByRole('button', { name, exact: true })
export const badge = (within: Locator, word: string): Locator =>
  within.locator('[data-state]').getByText(word, { exact: true })

/** The lines of a cell, without what only screen readers get. */
export const cell = (page: Page, name: string, column: string): Promise<string[]> =>
  row(page, name).locator(`.cell[data-title="${column}"] bdi`).allInnerTexts()

/** Runs in the browser: texts that take more than one line. */
export const brokenOf = (all: Element[]): (string | null)[] =>
  all.filter((one) => one.getClientRects().length > 1).map((one) => one.textContent)
