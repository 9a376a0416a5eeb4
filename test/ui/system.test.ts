// The panel and what this host can do, on the page: honest about what is away (requirements 2, 13, 20).
import assert from 'node:assert/strict'
import { isolate } from '@panel/shared/messages/format.ts'
import { browsing, PHONE, type Look, type Visit } from './support/browser.ts'
import { eachHost, goTo, type Host, seen, signedIn } from './support/host.ts'

interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

describe('The system on the page', () => {
  const { visit } = browsing()
  let host: Host
  eachHost(
    (one) => one.setUp(),
    (made) => ({ host } = made),
  )

  const visitSystem = async (look: Look = {}): Promise<Visit> =>
    goTo(await signedIn(await visit(host, look)), host, 'system', 'System')

  it('tells each part of the panel, what the host can do, and what is running', async () => {
    host.kernel.supportsGre = false
    const { page } = await visitSystem()
    await page.getByRole('heading', { name: 'Tunnel types' }).waitFor()
    const part = page.getByRole('listitem').filter({ hasText: 'Kernel tunnel support' })
    await part
      .last()
      .getByText(/gre \(Unknown device type\)/)
      .waitFor()
    const ableTo = async (kind: string): Promise<string> =>
      page
        .getByRole('listitem')
        .filter({ has: page.getByText(kind, { exact: true }) })
        .locator('[data-state]')
        .innerText()
    assert.equal(await ableTo('GRE'), 'No')
    assert.equal(await page.getByText('systemd-networkd', { exact: true }).count(), 0)
    for (const name of ['What is there', 'Versions, processes and files']) await page.getByText(name).click()
    assert.equal(await ableTo('systemd-networkd'), 'Yes')
    for (const name of ['Build', 'Web daemon', 'Root helper', 'Files', 'Kernel'])
      await page.getByRole('heading', { name, exact: true }).waitFor()
    assert.match(await page.locator('main').innerText(), /Served under\s+\/secret\b/)
  })

  for (const [language, digits, pairs, rules] of [
    ['en', 'latin', '8,192', '0 of 20,000'],
    ['fa', 'persian', '۸٬۱۹۲', `${isolate('۰')} از ${isolate('۲۰٬۰۰۰')}`],
    ['ru', 'latin', '8\u00a0192', '0 из 20\u00a0000'],
    ['zh-CN', 'latin', '8,192', '0 / 20,000'],
  ] as const)
    it(`says the numbers of what root allows as ${language} writes numbers`, async () => {
      const { page } = await signedIn(await visit(host))
      const operator = await host.signIn()
      await operator.put('/settings', { 'display.language': language, 'display.digits': digits })
      await page.goto(`${host.base}system`)
      await page
        .locator('section', { has: page.getByText(rules) })
        .locator('summary')
        .click()
      for (const text of [pairs, rules]) await page.locator('dd').getByText(text, { exact: true }).waitFor()
    })

  it('names what is wrong before what is well', async () => {
    host.kernel.supportsGre = false
    const { page } = await visitSystem()
    const parts = page.locator('section', { hasText: 'State of the panel' }).getByRole('listitem')
    await parts.first().getByText('Kernel tunnel support').waitFor()
    assert.ok((await parts.count()) > 5)
  })

  it('shows the API operation by operation, found by words, with its fields and a line for a shell', async () => {
    const { page, context } = await visitSystem()
    await page.getByRole('link', { name: 'Description of the API' }).click()
    await seen(page, 'Description of the API')
    const { paths } = (await (await context.request.get(`${host.base}api/docs`)).json()) as Description
    const all = Object.values(paths).flatMap((item) => Object.keys(item))
    const operations = page.locator('details')
    await operations.first().waitFor()
    assert.equal(await operations.count(), all.length)
    await page.locator('[data-search]').fill('method:post create a tunnel')
    await page.waitForFunction(() => document.querySelectorAll('main details').length === 1)
    await operations.locator('summary').click()
    await page.getByText(/^curl -X POST -H "Authorization: Bearer \$TOKEN" .* -d @body\.json/).waitFor()
    await page.getByText('Fields of CreateTunnelBodyInWindow').click()
    const field = page.getByRole('listitem').filter({ has: page.getByText('ttl', { exact: true }) })
    await field.getByText(/integer 0\.\.255/).waitFor()
    await page.getByText('Fields of TunnelChanged').first().click()
    await page.getByText('Fields of Tunnel', { exact: true }).first().click()
    await page.getByText('interface_name', { exact: true }).last().waitFor()
    await page.locator('[data-search]').fill('nothing of this name')
    await page.getByText('No matches').waitFor()
  })

  it('says on the page of the API that the panel is away, and shows it when that is back', async () => {
    const { page, gates } = await visitSystem()
    gates.allowConsole(/500/)
    await page.route('**/api/docs', (route) => route.fulfill({ status: 500, json: {} }), { times: 1 })
    await page.getByRole('link', { name: 'Description of the API' }).click()
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('List the tunnels, each with').waitFor()
  })

  it('has the licences on a page of their own', async () => {
    const { page } = await visitSystem()
    await page.getByRole('link', { name: 'Open-source licences' }).click()
    await page.getByRole('heading', { level: 1, name: 'Open-source licences' }).waitFor()
    await page.getByText('Express', { exact: true }).waitFor()
    await page.getByRole('main').getByRole('link', { name: 'System' }).click()
    await page.getByRole('heading', { level: 1, name: 'System' }).waitFor()
  })

  it('still tells of itself while the helper is away, and says what it cannot know', async () => {
    const arrived = await signedIn(await visit(host))
    host.sendHelperAway()
    arrived.gates.allowConsole(/503/)
    const { page } = await goTo(arrived, host, 'system', 'System')
    for (const part of ['What this server allows', 'What this server can do'])
      await page.locator('section', { hasText: part }).getByRole('alert').getByText('HELPER_UNAVAILABLE').waitFor()
    await page.getByText('Cannot be reached', { exact: true }).waitFor()
    await page.getByText('Versions, processes and files').click()
    await page.getByText('not reported').first().waitFor()
  })

  it('fits a phone', async () => {
    const { page } = await visitSystem({ viewport: PHONE })
    await page.getByRole('link', { name: 'Open-source licences' }).waitFor()
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= PHONE.width)
  })
})
