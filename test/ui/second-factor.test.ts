// The second factor on the page: set up from a QR code, and required at the sign-in.
import assert from 'node:assert/strict'
import { codeOf } from '../api/support/factor.ts'
import { OPERATOR } from '../api/support/panel.ts'
import { browsing } from './support/browser.ts'
import { eachHost, goTo, type Host, seen, signedIn } from './support/host.ts'

describe('The second factor on the page', () => {
  const { visit } = browsing()
  let host: Host
  eachHost(
    (one) => one.setUp(),
    (made) => ({ host } = made),
  )

  it('is set up, shows its recovery codes, and is required at the next sign-in', async () => {
    const { page } = await goTo(await signedIn(await visit(host)), host, 'account', 'Account')
    await page.getByRole('button', { name: 'Show the rest' }).first().focus()
    const card = page.locator('section', { has: page.getByRole('heading', { name: 'Second factor' }) })
    await card.getByLabel('Current password').fill(OPERATOR.password)
    await card.getByRole('button', { name: 'Set up' }).click()
    const code = card.getByRole('img', { name: 'QR code of the second factor' })
    assert.deepEqual(
      await code.evaluate(async (img: HTMLImageElement) => (await img.decode(), img.naturalWidth > 0)),
      true,
    )
    const secret = (await card.locator('dd').innerText()).replaceAll(/[^A-Z2-7]/g, '')
    await card.getByLabel('Code', { exact: true }).fill(codeOf(host, secret, -1))
    await card.getByRole('button', { name: 'Switch on' }).click()
    await card.getByRole('heading', { name: 'Recovery codes' }).waitFor()
    assert.match(await card.locator('pre').innerText(), /^([A-Z2-7]{4}(-[A-Z2-7]{4}){3}\s*){10}$/)
    assert.equal(await card.locator('.button.danger').innerText(), 'Switch off')
    assert.equal(await card.locator('.button.primary').count(), 0)

    const other = await visit(host)
    await seen(other.page, 'Sign in')
    await other.page.getByLabel('Username').fill(OPERATOR.username)
    await other.page.getByLabel('Password', { exact: true }).fill(OPERATOR.password)
    other.gates.expectAnswer(401, '/auth/login')
    await other.page.getByRole('button', { name: 'Sign in' }).click()
    await other.page.getByLabel('Code', { exact: true }).fill(codeOf(host, secret))
    await other.page.getByRole('button', { name: 'Sign in' }).click()
    await seen(other.page, 'Overview')
  })
})
