// What a page says in Chinese, where full-width punctuation is its own space.
import type { Page } from 'playwright-core'

/** Half-width punctuation after a Chinese word of the page itself. */
export const halfWidth = async (page: Page): Promise<string[]> =>
  (await page.locator('main').innerText()).match(/.{0,12}\p{Script=Han} ?[:,;!?(].{0,12}/gu) ?? []

/** Spaces seen after full-width punctuation, with the text around each. */
export const spacedPunctuation = async (page: Page): Promise<string[]> =>
  (await page.locator('body').innerText()).match(/.{0,12}[。：，；？！、] +\S.{0,12}/g) ?? []
