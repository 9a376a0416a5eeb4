// The command palette: everything is found by whatever the operator knows of it, once.
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import type { Client } from '../api/support/client.ts'
import { eventually } from '../support/eventually.ts'
import { browsing } from './support/browser.ts'
import { goTo, seen, signedIn, startHost, type Host } from './support/host.ts'
import { relayHost } from './support/relays.ts'

describe('The command palette', () => {
  const { visit } = browsing()
  let host: Host
  let client: Client
  before(async () => {
    host = await startHost()
    client = await relayHost(host)
  })
  after(() => host.close())

  const opened = async (): Promise<Page> => {
    const { page } = await goTo(await signedIn(await visit(host)), host, 'system', 'System')
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').waitFor()
    return page
  }
  const options = (page: Page): Promise<string[]> => page.getByRole('option').allInnerTexts()

  it('has each page once', async () => {
    const page = await opened()
    const found = await options(page)
    assert.deepEqual(found, [...new Set(found)])
    assert.ok(
      found.some((one) => /^Create a relay rule\s+Page/.test(one)),
      found.join(),
    )
  })

  const KNOWN = [
    ['a rule by its title', 'never rea', /Never reached\s+Relay rule · 192\.0\.2\.1:5100/],
    ['a rule by its destination', '10.9.0.3', /Names\s+Relay rule/],
    ['a tunnel by the address inside it', '172.17.3.1', /long-name-gre-6\s+Tunnel/],
    ['a pool by its range', '172.17.0.0', /172\.17\.0\.0\/16/],
    ['a setting by its name', 'name of this server', /Name of this server\s+Setting · display\.server_name/],
    ['an action', 'dark', /Colours: Dark\s+Action/],
  ] as const
  for (const [what, text, wanted] of KNOWN)
    it(`finds ${what}`, async () => {
      const page = await opened()
      await page.keyboard.type(text)
      await page.getByRole('option', { name: wanted }).waitFor()
      const found = await options(page)
      assert.deepEqual(found, [...new Set(found)])
    })

  it('finds a page in Russian by the hyphen of a keyboard', async () => {
    const { page } = await signedIn(await visit(host))
    await client.put('/settings', { 'display.language': 'ru' })
    try {
      await page.goto(`${host.base}system`)
      await page.getByRole('heading', { level: 1, name: 'Система' }).waitFor()
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox').fill('ip-форв')
      await page
        .getByRole('option', { name: /^IP.форвардинг/ })
        .first()
        .waitFor()
    } finally {
      await client.put('/settings', { 'display.language': 'en' })
    }
  })

  it('leads to what is chosen by the keyboard', async () => {
    const page = await opened()
    await page.keyboard.type('names')
    await page.getByRole('option', { name: /Names\s+Relay rule/ }).waitFor()
    await eventually(async () => {
      const chosen = await page.locator('[role=option][aria-selected=true]').innerText()
      if (!/^Names\s+Relay rule/.test(chosen)) await page.keyboard.press('ArrowDown')
      return /^Names\s+Relay rule/.test(chosen)
    }, 'the rule is chosen')
    await page.keyboard.press('Enter')
    await seen(page, 'Names')
  })

  it('says that the panel did not answer where not all could be searched', async () => {
    const page = await opened()
    await page.route('**/routes?*', (route) => route.fulfill({ status: 200, body: 'not the panel' }))
    await page.keyboard.type('gre-a-1')
    await page.getByText('Some results are missing').waitFor()
    await page.getByRole('option', { name: /Hamburg relay · gre-a-1\s+Tunnel/ }).waitFor()
  })
})
