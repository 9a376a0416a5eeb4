// The panel and what this host can do, on the page: honest about what is away (requirements 2, 13, 20).
import assert from 'node:assert/strict'
import { isolate } from '@panel/shared/messages/format.ts'
import { browsing, PHONE, type Look, type Visit } from './support/browser.ts'
import { eachHost, goTo, type Host, signedIn } from './support/host.ts'

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
    assert.deepEqual([await ableTo('GRE'), await ableTo('systemd-networkd')], ['No', 'Yes'])
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
      const operator = await host.signIn()
      await operator.put('/settings', { 'display.language': language, 'display.digits': digits })
      const arrived = await visit(host)
      await arrived.page.locator('input[name=username]').fill('operator')
      await arrived.page.locator('input[name=password]').fill('correct horse battery')
      await arrived.page.locator('button[type=submit]').click()
      await arrived.page.locator('h1').waitFor()
      await arrived.page.goto(`${host.base}system`)
      for (const text of [pairs, rules]) await arrived.page.locator('dd').getByText(text, { exact: true }).waitFor()
    })

  it('leads to the description of the API, which is there', async () => {
    const { page, context } = await visitSystem()
    const link = page.getByRole('link', { name: 'Description of the API' })
    const address = new URL((await link.getAttribute('href')) ?? '', host.base).href
    const answer = await context.request.get(address)
    assert.equal(answer.status(), 200)
    assert.equal(((await answer.json()) as { openapi: string }).openapi, '3.0.3')
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
    assert.ok((await page.getByText('not reported').count()) > 0)
  })

  it('fits a phone', async () => {
    const { page } = await visitSystem({ viewport: PHONE })
    await page.getByRole('link', { name: 'Open-source licences' }).waitFor()
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= PHONE.width)
  })
})
