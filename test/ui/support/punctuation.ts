// What a page says in Chinese, where full-width punctuation is its own space.
import type { Page } from 'playwright-core'

/** Where half-width punctuation stands after a Chinese word of the page itself. */
export const halfWidth = async (page: Page): Promise<string[]> =>
  (await page.locator('main').innerText()).match(/.{0,12}\p{Script=Han} ?[:,;!?(].{0,12}/gu) ?? []

/** Where a space is seen after full-width punctuation, with what stands around it. */
export const spacedPunctuation = async (page: Page): Promise<string[]> =>
  (await page.locator('body').innerText()).match(/.{0,12}[。：，；？！、] +\S.{0,12}/g) ?? []
