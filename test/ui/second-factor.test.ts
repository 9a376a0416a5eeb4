// The second factor on the page: set up from a QR code, and required at the sign-in.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
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
    const { page, context } = await goTo(await signedIn(await visit(host)), host, 'account', 'Account')
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('button', { name: 'Show the rest' }).first().focus()
    const card = page.locator('section', { has: page.getByRole('heading', { name: 'Second factor' }) })
    await card.getByLabel('Current password').fill(OPERATOR.password)
    await card.getByRole('button', { name: 'Set up' }).click()
    const code = card.getByRole('img', { name: 'QR code of the second factor' })
    assert.deepEqual(
      await code.evaluate(async (img: HTMLImageElement) => (await img.decode(), img.naturalWidth > 0)),
      true,
    )
    assert.match(await card.locator('dd .key').innerText(), /^[A-Z2-7]{4}( [A-Z2-7]{4})+$/)
    await card.getByRole('button', { name: 'Copy the key' }).click()
    const secret = await page.evaluate(() => navigator.clipboard.readText())
    assert.match(secret, /^[A-Z2-7]{32}$/)
    await card.getByLabel('Code', { exact: true }).fill(codeOf(host, secret, -1))
    await card.getByRole('button', { name: 'Switch on' }).click()
    const codes = page.getByRole('dialog', { name: 'Recovery codes' })
    const shown = await codes.locator('pre').innerText()
    assert.match(shown, /^([A-Z2-7]{4}(-[A-Z2-7]{4}){3}\s*){10}$/)
    for (const key of ['Escape', 'Escape']) await page.keyboard.press(key)
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      codes.getByRole('button', { name: 'Download as a file' }).click(),
    ])
    assert.equal(download.suggestedFilename(), 'tunnel-panel-recovery-codes.txt')
    assert.equal(readFileSync(await download.path(), 'utf8').trim(), shown.trim())
    assert.equal(await codes.getByRole('button', { name: 'Finish' }).isDisabled(), true)
    await codes.getByLabel('I have saved them').check()
    await codes.getByRole('button', { name: 'Finish' }).click()
    await codes.waitFor({ state: 'detached' })
    await card.getByText('Recovery codes left').waitFor()
    await card.getByText('New recovery codes').click()
    await card.getByText('The 10 unused codes that you have end at once.').waitFor()
    const renewal = card.locator('form').filter({ has: page.getByRole('button', { name: 'Make new codes' }) })
    await renewal.getByLabel('Current password').fill(OPERATOR.password)
    await renewal.getByLabel('Code', { exact: true }).fill(shown.trim().split(/\s+/)[0] ?? '')
    await renewal.getByRole('button', { name: 'Make new codes' }).click()
    const renewed = await codes.locator('pre').innerText()
    assert.ok(!renewed.includes(shown.trim().split(/\s+/)[1] ?? renewed))
    await codes.getByLabel('I have saved them').check()
    await codes.getByRole('button', { name: 'Finish' }).click()
    await codes.waitFor({ state: 'detached' })
    assert.equal(await card.locator('.button.danger').innerText(), 'Switch off')
    assert.equal(await card.locator('.button.primary:visible').count(), 1)

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
