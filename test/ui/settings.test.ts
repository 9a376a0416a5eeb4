// The settings on the page: made from the schema, changed together, each error on its own field, nothing lost unasked
// (requirements 9, 12, 18).
import assert from 'node:assert/strict'
import type { SettingsAnswer } from '@panel/shared/api/settings.ts'
import type { Client } from '../api/support/client.ts'
import { browsing, PHONE, type Look, type Visit } from './support/browser.ts'
import { complaintOf, eachHost, goTo, type Host, seen, signedIn, signIn } from './support/host.ts'

describe('The settings on the page', () => {
  const { visit } = browsing()
  let host: Host
  let operator: Client
  eachHost(
    (one) => one.setUp(),
    (made) => ({ host, client: operator } = made),
  )

  const visitSettings = async (query = '', look: Look = {}): Promise<Visit> =>
    goTo(await signedIn(await visit(host, look)), host, `settings${query}`, 'Settings')
  const stored = async (): Promise<Record<string, unknown>> =>
    (await operator.get<SettingsAnswer>('/settings')).body.settings

  it('stand in the categories and the order of the API, every one with a name of its own, and are found by word', async () => {
    const { page } = await visitSettings()
    await page.getByRole('heading', { name: 'New tunnels' }).waitFor()
    await page
      .getByText(/^Default: 1\ssecond$/)
      .first()
      .waitFor()
    assert.deepEqual((await page.getByRole('heading', { level: 2 }).allInnerTexts()).slice(0, 4), [
      'New tunnels',
      'Addresses',
      'Keepalive',
      'Monitoring',
    ])
    // The categories are drawn one after the other.
    await page.locator(`[data-setting="${Object.keys(await stored()).at(-1) ?? ''}"]`).waitFor()
    const keys = await page
      .locator('[data-setting]')
      .evaluateAll((all) => all.map((one) => one.getAttribute('data-setting') ?? ''))
    assert.deepEqual(keys, Object.keys(await stored()))
    const unnamed = await page.locator('main label, main legend').allInnerTexts()
    assert.deepEqual(
      unnamed.filter((label) => keys.includes(label.trim())),
      [],
    )
    await page.keyboard.press('/')
    await page.keyboard.type('in:monitor degraded')
    await page.locator('[data-setting="monitor.degraded_loss_pct"]:visible').waitFor()
    assert.equal(await page.locator('[data-setting="monitor.packet_size"]').isVisible(), false)
    await page.waitForURL(/\?q=in:monitor\+degraded$/)
    const shown = (): Promise<string[]> =>
      page
        .locator('[data-setting]:visible')
        .evaluateAll((all) => all.map((one) => one.getAttribute('data-setting') ?? ''))
    for (const [words, count] of [
      ['prometheus watches', 1],
      ['let prometheus read', 1],
      ['prometheus nothing-like-it', 0],
    ] as const) {
      await page.getByRole('searchbox').fill(words)
      await page.getByText(new RegExp(`^${count} of \\d+$`)).waitFor()
      assert.deepEqual(await shown(), ['metrics.prometheus_enabled'].slice(0, count))
    }
  })

  it('that differ from their default are marked, and shown alone', async () => {
    await operator.put('/settings', { 'monitor.window_size': 90, 'metrics.prometheus_enabled': true })
    const { page } = await visitSettings()
    const keys = (): Promise<(string | null)[]> =>
      page
        .locator('[data-setting]:visible:has(.mark)')
        .filter({ hasText: 'Not the default' })
        .evaluateAll((all) => all.map((one) => one.getAttribute('data-setting')))
    await page.locator(`[data-setting="${Object.keys(await stored()).at(-1) ?? ''}"]`).waitFor()
    assert.deepEqual((await keys()).sort(), ['metrics.prometheus_enabled', 'monitor.window_size'])
    await page.getByRole('button', { name: 'Not the default' }).click()
    await page.getByText(/^2 of \d+$/).waitFor()
    assert.equal(await page.locator('[data-setting]:visible').count(), 2)
    assert.equal((await keys()).length, 2)
  })

  it('say what this host cannot carry out, with what to do, until another value is chosen', async () => {
    host.kernel.supportsGre = false
    const { page } = await visitSettings('?q=in:tunnel')
    const warning = page.locator('[data-setting="tunnel.default_type"]').getByText(/cannot make gre tunnels/)
    await warning.waitFor()
    assert.match(await warning.innerText(), /Choose another type/)
    await page.getByLabel('Type of tunnel', { exact: true }).selectOption({ label: 'IP6GRE' })
    await warning.waitFor({ state: 'detached' })
  })

  it('are changed together, saved at once, and put back by Undo', async () => {
    const { page } = await visitSettings()
    await page.getByLabel('Sample window', { exact: true }).fill('90')
    await page.getByRole('switch', { name: 'Monitor tunnels' }).click()
    await page.getByLabel('Ignored interfaces', { exact: true }).fill('docker0\n veth1 \n')
    await page.getByLabel('Calendar', { exact: true }).selectOption({ label: 'Jalali (Solar Hijri)' })
    await page.getByText('4 settings are not saved').first().waitFor()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('4 settings are saved').first().waitFor()
    // The offer goes by itself after some seconds, which the checks after it take too.
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('button', { name: 'Not the default' }).click()
    await page.getByText(/^0 of \d+$/).waitFor()
    const {
      'monitor.window_size': window,
      'system.ignored_interfaces': ignored,
      'display.calendar': calendar,
    } = await stored()
    assert.deepEqual([window, ignored, calendar], [60, [], 'gregorian'])
  })

  it('tell which are not the default, go back to it one by one, and are discarded together', async () => {
    await operator.put('/settings', { 'monitor.window_size': 90, 'system.ignored_interfaces': ['docker0'] })
    const { page } = await visitSettings('?q=is:changed')
    await page.getByText(/^2 of \d+$/).waitFor()
    const window = page.getByLabel('Sample window', { exact: true })
    await page.getByRole('button', { name: /^Back to the default: .?Sample window/ }).click()
    assert.equal(await window.inputValue(), '60')
    await page.getByLabel('Ignored interfaces', { exact: true }).fill('docker0\n veth1 \n')
    await page.getByText('2 settings are not saved').first().waitFor()
    await page.getByRole('button', { name: 'Discard' }).click()
    assert.equal(await window.inputValue(), '90')
    assert.equal(await page.getByLabel('Ignored interfaces', { exact: true }).inputValue(), 'docker0')
    assert.equal(await page.getByRole('button', { name: 'Discard' }).count(), 0)
  })

  it('say all that is wrong at one press, at each field, those hidden by the search too, and keep what was typed', async () => {
    const { page, gates } = await visitSettings('?q=in:monitor')
    await page.getByLabel('Sample window', { exact: true }).fill('0')
    await page.getByLabel('Payload of a probe (bytes)', { exact: true }).fill('')
    await page.getByLabel('Down from a loss of (%)', { exact: true }).fill('10')
    await page.getByRole('searchbox').fill('in:display')
    gates.expectAnswer(422, '/settings')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    assert.match(await complaintOf(page, 'Down from a loss of (%)'), /must not be below/)
    assert.match(await complaintOf(page, 'Sample window'), /Must be a whole number from 1 to 10,?000/)
    assert.match(await complaintOf(page, 'Payload of a probe (bytes)'), /Must be a whole number from/)
    assert.equal(await page.getByLabel('Sample window', { exact: true }).inputValue(), '0')
    assert.equal((await stored())['monitor.window_size'], 60)
  })

  it('are not left unsaved without a confirmation', async () => {
    const { page } = await visitSettings()
    await page.getByLabel('Naming template', { exact: true }).fill('gre-{number}')
    await page.getByRole('link', { name: 'Overview' }).first().click()
    const dialog = page.getByRole('dialog', { name: 'Leave without saving?' })
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    assert.equal(await page.getByLabel('Naming template', { exact: true }).inputValue(), 'gre-{number}')
    await page.getByRole('link', { name: 'Overview' }).first().click()
    await dialog.getByRole('button', { name: 'Leave' }).click()
    await seen(page, 'Overview')
  })

  it('go back to their defaults all at once after asking, with their names', async () => {
    await operator.put('/settings', { 'monitor.window_size': 90 })
    const { page } = await visitSettings()
    await page.getByRole('button', { name: 'Restore all defaults' }).click()
    const dialog = page.getByRole('dialog', { name: 'Restore all defaults' })
    await dialog.getByText('Sample window').waitFor()
    await dialog.getByRole('button', { name: 'Restore' }).click()
    await page.getByText('All settings are back to their defaults').first().waitFor()
    assert.equal((await stored())['monitor.window_size'], 60)
  })

  it('name the server, in the header, in the title and by the icon of the tab, and only while signed in', async () => {
    await operator.put('/settings', { 'display.server_name': 'Hamburg 1', 'display.server_colour': 'red' })
    const { page } = await visit(host)
    const icon = (): Promise<string | null> => page.locator('link[rel=icon]').getAttribute('href')
    const isNameless = async (): Promise<void> => {
      await seen(page, 'Sign in')
      assert.ok(!(await page.content()).includes('Hamburg 1'))
      assert.equal(await page.title(), 'Tunnel Panel')
    }
    await isNameless()
    assert.match((await icon()) ?? '', /b3231b/)
    await signIn(page)
    await seen(page, 'Overview')
    await page.locator('header').getByText('Hamburg 1').waitFor()
    await page.waitForFunction(() => document.title === 'Overview · Hamburg 1 · Tunnel Panel')
    await page.getByRole('button', { name: 'Account' }).click()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await isNameless()
    await signIn(page)
    await page.locator('header').getByText('Hamburg 1').waitFor()
    await page.goto(`${host.base}settings`)
    await page.getByLabel('Name of this server', { exact: true }).fill('Frankfurt')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.locator('header').getByText('Frankfurt').waitFor()
    await page.waitForFunction(() => document.title === 'Settings · Frankfurt · Tunnel Panel')
  })

  it('fit a phone, in Persian too', async () => {
    await operator.put('/settings', { 'display.language': 'fa', 'display.digits': 'persian' })
    const { page } = await visit(host, { viewport: PHONE })
    await page.locator('input[name=username]').fill('operator')
    await page.locator('input[name=password]').fill('correct horse battery')
    await page.locator('button[type=submit]').click()
    await seen(page, 'نمای کلی')
    await page.goto(`${host.base}settings`)
    await page.getByRole('heading', { name: 'تونل‌های تازه' }).waitFor()
    await page.locator('input[name="monitor.window_size"]').fill('90')
    await page.getByRole('button', { name: 'ذخیره', exact: true }).waitFor()
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= PHONE.width)
  })
})
