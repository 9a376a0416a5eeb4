// How the page looks from right to left, where names and numbers stand among Persian words.
import assert from 'node:assert/strict'
import type { Locator } from 'playwright-core'
import type { Client } from '../api/support/client.ts'
import { type Host, scrollToEnd } from './support/host.ts'
import { tunnelVisits } from './support/tunnel-visits.ts'

/** The right edge of the words, whose box can be wider. */
const rightOf = (one: Locator): Promise<number> =>
  one.evaluate((element) => {
    const words = document.createRange()
    words.selectNodeContents(element)
    return Math.round(words.getBoundingClientRect().right)
  })

describe('The look of the page from right to left', () => {
  let host: Host
  let client: Client
  const { visitSignedIn } = tunnelVisits((made) => ({ host, client } = made))

  it('begins the name of who is signed in where the words above it begin', async () => {
    const { page } = await visitSignedIn()
    await client.put('/settings', { 'display.language': 'fa' })
    await page.goto(host.base + 'tunnels')
    const who = page.locator('.who')
    await page.getByRole('button', { name: 'حساب کاربری' }).click()
    assert.equal(await rightOf(who.locator('bdi')), await rightOf(who.locator('span')))
  })

  it('has the days of a token where a form has its other numbers', async () => {
    const { page } = await visitSignedIn()
    await client.put('/settings', { 'display.language': 'fa' })
    await page.goto(host.base + 'account')
    await page.locator('h1').waitFor()
    await scrollToEnd(page)
    await page.getByText('توکن تازه', { exact: true }).click()
    assert.equal(await page.locator('[name=days]').evaluate((input) => getComputedStyle(input).direction), 'rtl')
  })
})
