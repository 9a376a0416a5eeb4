// The operator's browser before the panels of the lab: a page for each, open over all steps of a story, and after each
// step the gates look at them.
import assert from 'node:assert/strict'
import type { Browser } from 'playwright-core'
import { launch, visitWith, type Visit } from '../../ui/support/browser.ts'
import type { Panel } from '../../vm/panel/panel.ts'

/** The machine around the lab's may be busy. */
export const PATIENCE_MS = 120_000
/**
 * Chromium finds an answer late that the lab finds quick, and the helper is too slow for the panel's patience at times,
 * or killed. A form that another tab was quicker than is refused with 412.
 */
const EXPECTED =
  /was preloaded using link preload but not used within a few seconds|the server responded with a status of (503|412)/

export interface Pages {
  readonly open: (panel: Panel) => Promise<Visit>
}

/** Called once in a suite. */
export const pages = (): Pages => {
  let browser: Browser
  const open: Visit[] = []
  const loads: string[] = []
  before(async () => {
    browser = await launch()
  })
  afterEach(async function () {
    if (this.currentTest?.state === 'failed') {
      for (const { page } of open) console.log(`${page.url()} shows:\n${await page.locator('body').innerText()}`)
      return
    }
    const found = await Promise.all(open.map(({ gates }) => gates.findings()))
    assert.deepEqual(found.flat(), [])
    assert.deepEqual(loads, [], 'nothing makes the operator load a page again')
  })
  after(() => browser?.close())
  return {
    open: async ({ server }) => {
      const visit = await visitWith(
        browser,
        { base: `${server.url}/` },
        { patience_ms: PATIENCE_MS, allowConsole: EXPECTED },
      )
      visit.page.on('load', (page) => void loads.push(page.url()))
      open.push(visit)
      return visit
    },
  }
}
