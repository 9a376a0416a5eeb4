// The page before there is an account: served under the web path, honest about its transport, and helpful with the
// password.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import type { Page } from 'playwright-core'
import { OPERATOR } from '../api/support/panel.ts'
import { browsing, PLAIN_HTTP_NAME } from './support/browser.ts'
import { complaintOf, field, seen, startHost, type Host } from './support/host.ts'

describe('The page before set-up', () => {
  const { visit } = browsing()
  let host: Host
  beforeEach(async () => (host = await startHost({ host_names: [PLAIN_HTTP_NAME] })))
  afterEach(() => host.close())

  it('is served under the web path, says that set-up is needed and offers it', async () => {
    const { page } = await visit(host)
    await seen(page, 'Create the operator account')
    assert.equal(await page.title(), 'Tunnel Panel')
    await page.getByText('This panel has no account yet').waitFor()
    assert.equal(await page.getByRole('heading', { name: 'Sign in' }).count(), 0)
    assert.deepEqual(await page.evaluate('window.__PANEL__'), {
      base_path: '/secret/',
      api_base_path: '/secret/api/v1',
    })
    assert.deepEqual(await autocompletes(page), ['username', 'new-password'])
  })

  it('has the hash of its inline script in its policy, and no other source of scripts but itself', async () => {
    const { status, headers, text } = await host.visitor().raw('GET', '/secret/')
    assert.equal(status, 200)
    const script = /<script>(.*?)<\/script>/s.exec(text)?.[1] ?? ''
    const hash = createHash('sha256').update(script).digest('base64')
    assert.match(
      String(headers['content-security-policy']),
      new RegExp(`script-src 'self' 'sha256-${hash.replaceAll('+', '\\+')}';`),
    )
    assert.equal(text.match(/<script>/g)?.length, 1)
    assert.doesNotMatch(text, /\sstyle=|<style|\son\w+=/)
  })

  it('counts the characters of the password as it is typed', async () => {
    const { page } = await visit(host)
    await field(page, 'Password').fill('𝔘nicode')
    await page.getByText('At least 12 characters: 7 so far', { exact: true }).waitFor()
    await field(page, 'Password').fill('𝔘nicode-long')
    await page.getByText('Long enough: 12 characters', { exact: true }).waitFor()
  })

  it('puts the rule on the field when the password is short, goes there, and keeps what was typed', async () => {
    const { page, gates } = await visit(host)
    gates.expectAnswer(422, '/auth/setup')
    await field(page, 'Username').fill('operator')
    await field(page, 'Password').fill('short')
    await page.getByRole('button', { name: 'Create account' }).click()
    assert.match(await complaintOf(page, 'Password'), /A password has at least 12 characters/)
    await page.waitForFunction(() => document.activeElement?.getAttribute('name') === 'password')
    assert.deepEqual(
      [await field(page, 'Username').inputValue(), await field(page, 'Password').inputValue()],
      ['operator', 'short'],
    )
  })

  it('puts what only the server knows on each field that it is about', async () => {
    const { page, gates } = await visit(host)
    gates.expectAnswer(422, '/auth/setup')
    await field(page, 'Username').fill('not a name')
    await field(page, 'Password').fill('0123456789'.repeat(8))
    await page.getByRole('button', { name: 'Create account' }).click()
    assert.match(await complaintOf(page, 'Username'), /A username is 1 to 64/)
    assert.match(await complaintOf(page, 'Password'), /at most 72 bytes/)
    gates.expectAnswer(422, '/auth/setup')
    await field(page, 'Password').fill('short')
    await page.getByRole('button', { name: 'Create account' }).click()
    assert.match(await complaintOf(page, 'Password'), /at least 12 characters/)
    assert.match(await complaintOf(page, 'Username'), /A username is 1 to 64/)
    assert.equal(await page.getByRole('alert').count(), 0, 'what is on its field is not said again above it')
  })

  it('sets up by keyboard alone and is then signed in', async () => {
    const { page } = await visit(host)
    await field(page, 'Username').focus()
    await page.keyboard.type(OPERATOR.username)
    await page.keyboard.press('Tab')
    await page.keyboard.type(OPERATOR.password)
    await page.keyboard.press('Enter')
    await seen(page, 'Overview')
    await page.getByRole('button', { name: 'Account' }).click()
    await page.getByText(OPERATOR.username, { exact: true }).waitFor()
    await page.getByRole('link', { name: 'Create a tunnel' }).waitFor()
    await page.getByRole('link', { name: 'Paste a pairing code' }).waitFor()
  })

  it('says that plain HTTP can be read on the way, but not where nobody is on the way', async () => {
    // Two of the daemon's headers mean something over HTTPS only, and Chromium says so.
    const allowConsole = /Cross-Origin-Opener-Policy header has been ignored/
    const overHttp = await visit({ ...host, base: host.base.replace('127.0.0.1', PLAIN_HTTP_NAME) }, { allowConsole })
    await overHttp.page.getByText('This page was loaded over plain HTTP').waitFor()
    const { page } = await visit(host)
    await seen(page, 'Create the operator account')
    assert.equal(await page.getByText('This page was loaded over plain HTTP').count(), 0)
  })

  it('goes on to sign-in when another visitor was quicker', async () => {
    const { page, gates } = await visit(host)
    await seen(page, 'Create the operator account')
    await host.setUp()
    gates.expectAnswer(409, '/auth/setup')
    await field(page, 'Username').fill('second')
    await field(page, 'Password').fill(OPERATOR.password)
    await page.getByRole('button', { name: 'Create account' }).click()
    await seen(page, 'Sign in')
    await page.getByText(/exists already/).waitFor()
  })
})

const autocompletes = (page: Page): Promise<(string | null)[]> =>
  page
    .locator('form input:not([type=checkbox])')
    .evaluateAll((all) => all.map((one) => one.getAttribute('autocomplete')))
