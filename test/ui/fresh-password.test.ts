// The page asks for the password in a dialog of its own where the API takes a fresh one, and then does what was being
// done; nothing that was entered is lost.
import assert from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'
import { turnOnFactor } from '../api/support/factor.ts'
import { OPERATOR } from '../api/support/panel.ts'
import type { Client } from '../api/support/client.ts'
import { browsing, type Visit } from './support/browser.ts'
import { complaintOf, eachHost, goTo, type Host, signedIn } from './support/host.ts'

const TITLE = 'Enter your password again'

describe('The dialog for a fresh password', () => {
  const { visit } = browsing()
  let host: Host
  let client: Client
  eachHost(
    (one) => one.setUp(),
    (made) => ({ host, client } = made),
  )

  const give = async (dialog: Locator, password: string): Promise<void> => {
    await dialog.getByLabel('Password', { exact: true }).fill(password)
    await dialog.getByRole('button', { name: 'Continue' }).click()
  }
  const fillToken = async (page: Page): Promise<Locator> => {
    await page.getByRole('button', { name: 'Show the rest' }).last().focus()
    const card = page.locator('section', { has: page.getByRole('heading', { name: 'API tokens' }) })
    await card.getByText('New token').click()
    await card.getByLabel('Name').fill('Terraform')
    assert.equal(await card.getByRole('checkbox', { checked: true }).count(), 0)
    await card.getByLabel('Notifications').check()
    await card.getByLabel('Expires after').selectOption({ label: 'Never' })
    return card
  }
  const account = async (): Promise<Visit> => goTo(await signedIn(await visit(host)), host, 'account', 'Account')
  const later = ({ gates }: Visit): void => {
    host.clock.advance(601)
    gates.allowConsole(/40[13] \((Unauthorized|Forbidden)\)/)
  }

  it('appears where ten minutes have passed, says what is wrong, and the request then goes through', async () => {
    const at = await account()
    const card = await fillToken(at.page)
    later(at)
    await card.getByRole('button', { name: 'Create token' }).click()
    const dialog = at.page.getByRole('dialog', { name: TITLE })
    await give(dialog, 'not the password')
    assert.match(await complaintOf(at.page, 'Password'), /The current password is wrong/)
    await give(dialog, OPERATOR.password)
    await card.getByText('Copy it now').waitFor()
    assert.equal(await at.page.getByRole('dialog').count(), 0)
    await card.getByText('Never expires').waitFor()
    const { tokens } = (await client.get<{ tokens: { title: string; scopes: string[] }[] }>('/auth/tokens')).body
    assert.deepEqual(
      tokens.map(({ title, scopes }) => [title, scopes]),
      [['Terraform', ['notifications']]],
    )
  })

  it('that is cancelled leaves the form as it was, and no failure is shown', async () => {
    const at = await account()
    const card = await fillToken(at.page)
    later(at)
    await card.getByRole('button', { name: 'Create token' }).click()
    const dialog = at.page.getByRole('dialog', { name: TITLE })
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'detached' })
    assert.equal(await card.getByLabel('Name').inputValue(), 'Terraform')
    assert.equal(await card.getByLabel('Notifications').isChecked(), true)
    assert.equal(await at.page.getByRole('alert').count(), 0)
    await card.getByRole('button', { name: 'Create token' }).click()
    await give(at.page.getByRole('dialog', { name: TITLE }), OPERATOR.password)
    await card.getByText('Copy it now').waitFor()
  })

  it('takes the code of the second factor too, once the password was right', async () => {
    const at = await account()
    await client.post('/auth/login', OPERATOR)
    const card = await fillToken(at.page)
    const own = host.visitor()
    for (const { name, value } of await at.context.cookies()) own.cookies.set(name, value)
    const factor = await turnOnFactor(host, own)
    for (const [name, value] of own.cookies)
      await at.context.addCookies([
        { name, value, url: host.base, httpOnly: name !== 'panel_csrf', sameSite: 'Strict' },
      ])
    later(at)
    await card.getByRole('button', { name: 'Create token' }).click()
    const dialog = at.page.getByRole('dialog', { name: TITLE })
    await give(dialog, OPERATOR.password)
    await dialog.getByLabel('Code', { exact: true }).fill(factor.code())
    await dialog.getByRole('button', { name: 'Continue' }).click()
    await card.getByText('Copy it now').waitFor()
  })
})
