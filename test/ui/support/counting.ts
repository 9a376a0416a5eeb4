// Counts what an operator does for a job, as the aims of the page are stated: clicks, fields and files.
import type { Locator, Page } from 'playwright-core'

export interface Count {
  readonly clicks: number
  readonly fields: number
  readonly files: number
}

export interface Hands {
  readonly count: Count
  readonly click: (on: Locator) => Promise<void>
  readonly type: (into: Locator, text: string) => Promise<void>
  /** Types into the field that has the focus already. */
  readonly typeOn: (page: Page, text: string) => Promise<void>
  readonly choose: (from: Locator, name: string, content: string) => Promise<void>
}

export function hands(): Hands {
  const count = { clicks: 0, fields: 0, files: 0 }
  return {
    count,
    click: async (on) => {
      count.clicks += 1
      await on.click()
    },
    type: async (into, text) => {
      count.fields += 1
      await into.fill(text)
    },
    typeOn: async (page, text) => {
      count.fields += 1
      await page.keyboard.type(text)
    },
    choose: async (from, name, content) => {
      count.files += 1
      await from.setInputFiles({ name, mimeType: 'application/json', buffer: Buffer.from(content) })
    },
  }
}

/** Whether all of it is in the window, where nobody has to scroll for it. */
export const isInView = async (page: Page, piece: Locator): Promise<boolean> => {
  const at = await piece.boundingBox()
  const { width = 0, height = 0 } = page.viewportSize() ?? {}
  return at !== null && at.x >= 0 && at.y >= 0 && at.x + at.width <= width && at.y + at.height <= height
}
