// How a question looks before something is done.
import assert from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'
import type { Client } from '../api/support/client.ts'
import { browsing, DESKTOP, PHONE } from './support/browser.ts'
import { eachHost, goTo, type Host, signedIn, tunnelHost } from './support/host.ts'

describe('The look of a question', () => {
  const { visit } = browsing()
  let host: Host
  let client: Client
  eachHost(tunnelHost, (made) => ({ host, client } = made))

  const askToDelete = async (page: Page): Promise<Locator> => {
    await page.locator('main button[popovertarget]').first().click()
    await page.locator('[popover]:popover-open .danger').first().click()
    return page.getByRole('dialog')
  }

  it('has no blank between what no rule depends on and its buttons, on a desktop and on a phone', async () => {
    for (const viewport of [DESKTOP, PHONE]) {
      const { page } = await goTo(await signedIn(await visit(host, { viewport })), host, 'tunnels/1', /gre-a-1/)
      const dialog = await askToDelete(page)
      await dialog.locator('.figure').nth(2).waitFor()
      const last = await dialog.locator('.impact > :last-child').boundingBox()
      const buttons = await dialog.locator('footer').boundingBox()
      const blank = (buttons?.y ?? 0) - (last ? last.y + last.height : 0)
      assert.ok(blank > 0 && blank <= 24, `${blank} px at ${viewport.width}`)
    }
  })

  it('leaves as much room above a title of two lines as above one of one', async () => {
    const visited = await signedIn(await visit(host, { viewport: { ...PHONE, width: 360 } }))
    const { page } = visited
    const roomAbove = (): Promise<number[]> => page.getByRole('dialog').evaluate(titleLines)
    await page.locator('h1').waitFor()
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
    const [ofOne, ...more] = await roomAbove()
    assert.deepEqual(more, [])
    await client.post('/pools', {
      cidr: '10.77.0.0/16',
      address_pool_title: 'A pool whose name takes more than a line',
    })
    await goTo(visited, host, 'pools', /^Address pools/)
    await page.getByRole('button', { name: /^Delete A pool/ }).click()
    await page.getByRole('dialog').waitFor()
    const [ofMore, ...lines] = await roomAbove()
    assert.ok(lines.length > 0)
    assert.equal(ofMore, ofOne)
  })
})

/** Runs in the browser: how far below the edge of the dialog each line of its title begins. */
const titleLines = (dialog: Element): number[] => {
  const words = document.createRange()
  const title = dialog.querySelector('h2')
  if (title) words.selectNodeContents(title)
  const tops = [...words.getClientRects()].map(({ top }) => Math.round(top - dialog.getBoundingClientRect().top))
  return [...new Set(tops)].sort((a, b) => a - b)
}
