// A session that ends keeps what is on the page; the account is changed on a page of its own; language and colours are
// one click away.
import assert from 'node:assert/strict'
import { OPERATOR } from '../api/support/panel.ts'
import { browsing, type Visit } from './support/browser.ts'
import { complaintOf, eachHost, field, goTo, type Host, seen, signedIn } from './support/host.ts'

describe('The session on the page', () => {
  const { visit } = browsing()
  let host: Host
  eachHost(
    (one) => one.setUp(),
    (made) => ({ host } = made),
  )

  const visitAccount = async (): Promise<Visit> => goTo(await signedIn(await visit(host)), host, 'account', 'Account')

  it('that is lost asks for a sign-in in place, keeps the form, and does what was being done', async () => {
    const { page, context, gates } = await visitAccount()
    await page.waitForFunction(
      (name) => document.querySelector<HTMLInputElement>('input[name=username]')?.value === name,
      OPERATOR.username,
    )
    await field(page, 'Username').fill('renamed')
    const current = page.getByLabel('Current password').nth(1)
    await current.fill(OPERATOR.password)
    await context.clearCookies()
    gates.allowConsole(/40[13] \((Unauthorized|Forbidden)\)/)
    await page.getByRole('button', { name: 'Change username' }).click()
    const dialog = page.getByRole('dialog', { name: 'Sign in again' })
    await dialog.getByLabel('Password', { exact: true }).fill(OPERATOR.password)
    assert.equal(await dialog.getByLabel('Username').inputValue(), OPERATOR.username)
    await dialog.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('The username is changed').first().waitFor()
    assert.equal(await dialog.count(), 0)
    assert.equal(await field(page, 'Username').inputValue(), 'renamed')
  })

  it('changes the password behind the present one, with what is wrong on its field', async () => {
    const { page, gates } = await visitAccount()
    const current = page.getByLabel('Current password').first()
    await current.fill('not the password')
    await field(page, 'New password').fill('another horse battery')
    gates.expectAnswer(401, '/auth/me')
    await page.getByRole('button', { name: 'Change password' }).click()
    assert.match(await complaintOf(page, 'Current password'), /The current password is wrong/)
    assert.equal(await page.getByRole('dialog').count(), 0, 'a wrong password is no lost session')
    await current.fill(OPERATOR.password)
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.getByText('The password is changed').first().waitFor()
    assert.equal(await current.inputValue(), '')
    assert.equal(
      (await host.visitor().post('/auth/login', { ...OPERATOR, password: 'another horse battery' })).status,
      200,
    )
  })

  it('is listed with the others, by device and address, and they can be ended', async () => {
    const other = host.visitor()
    const headers = { 'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' }
    await other.post('/auth/login', OPERATOR, { headers })
    const { page } = await visitAccount()
    const card = page.locator('section', { has: page.getByRole('heading', { name: 'Sessions' }) })
    await page.getByRole('button', { name: 'Show the rest' }).last().focus()
    const row = card.getByRole('listitem').filter({ hasText: 'Firefox · Linux' })
    await row.getByText('127.0.0.1').waitFor()
    await row.getByRole('button', { name: 'End session' }).click()
    await page.getByText('The session has ended').first().waitFor()
    await row.waitFor({ state: 'detached' })
    assert.equal((await other.get('/auth/me')).status, 401)
    await card.getByText('This browser').waitFor()
  })

  it('has API tokens beside it, made and shown once, and revoked', async () => {
    const { page } = await visitAccount()
    await page.getByRole('button', { name: 'Show the rest' }).last().focus()
    const card = page.locator('section', { has: page.getByRole('heading', { name: 'API tokens' }) })
    await card.getByText('New token').click()
    await card.getByLabel('Name').fill('Terraform')
    await card.getByLabel('Read everything but backups').check()
    await card.getByRole('button', { name: 'Create token' }).click()
    await card.getByText('Copy it now').waitFor()
    const text = /tp_[0-9A-Za-z]{8}_[0-9A-Za-z]{43}/.exec(await card.innerText())?.[0] ?? ''
    const read = () => host.visitor().get('/settings', { headers: { Authorization: `Bearer ${text}` } })
    assert.equal((await read()).status, 200)
    await card.getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await page.getByText('The token is revoked').first().waitFor()
    assert.equal((await read()).status, 401)
  })

  it('has a token for Prometheus by a preset, copied by a button, with the lines of its configuration, and turns /metrics on', async () => {
    const { page, context } = await visitAccount()
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    const copied = (): Promise<string> => page.evaluate(() => navigator.clipboard.readText())
    await page.getByRole('button', { name: 'Show the rest' }).last().focus()
    const card = page.locator('section', { has: page.getByRole('heading', { name: 'API tokens' }) })
    await card.getByText('New token').click()
    assert.equal(await card.getByRole('checkbox', { checked: true }).count(), 0)
    const chosen = (): Promise<string[]> => card.locator('label:has(input:checked)').allInnerTexts()
    await card.getByLabel('Backup and restore').check()
    for (const [preset, scope] of [
      ['Read only', 'Read everything but backups'],
      ['Everything', 'Everything'],
      ['Prometheus', 'Metrics'],
    ] as const) {
      await card.getByRole('button', { name: preset, exact: true, pressed: false }).click()
      await card.getByRole('button', { name: preset, exact: true, pressed: true }).waitFor()
      assert.deepEqual(
        (await chosen()).map((label) => label.trim()),
        [scope],
      )
    }
    await card.getByLabel('Name').fill('Prometheus')
    await card.getByRole('button', { name: 'Create token' }).click()
    await card.getByRole('button', { name: 'Copy the token' }).click()
    const token = await copied()
    assert.match(token, /^tp_[0-9A-Za-z]{8}_[0-9A-Za-z]{43}$/)
    await card.getByRole('button', { name: 'Copy', exact: true }).click()
    assert.equal(await copied(), await card.locator('pre').innerText())
    const config = new Map(
      [...(await copied()).matchAll(/(scheme|metrics_path|credentials|targets): \[?"?([^\s"}]+)/g)].map(
        ([, name, value]) => [name, value],
      ),
    )
    const scrape = (): Promise<Response> =>
      fetch(`${config.get('scheme')}://${config.get('targets')}${config.get('metrics_path')}`, {
        headers: { Authorization: `Bearer ${config.get('credentials')}`, Accept: 'text/plain' },
      })
    assert.equal((await scrape()).status, 404)
    await card.getByRole('button', { name: 'Turn /metrics on' }).click()
    await page.getByText('Prometheus can read the metrics').first().waitFor()
    await card.getByText('/metrics is turned off').waitFor({ state: 'detached' })
    const answer = await scrape()
    assert.equal(answer.status, 200)
    assert.match(await answer.text(), /^# HELP /m)
  })

  it('keeps language and colours for every browser of the operator', async () => {
    const { page } = await visitAccount()
    await page.getByRole('button', { name: 'Language' }).click()
    await page.getByRole('button', { name: 'فارسی' }).click()
    await page.waitForFunction(() => document.documentElement.dir === 'rtl' && document.documentElement.lang === 'fa')
    await seen(page, 'حساب کاربری')
    await page.waitForFunction(() => document.fonts.check('16px Vazirmatn', 'حساب'))
    await page.getByRole('button', { name: 'رنگ‌ها' }).click()
    const stored = page.waitForResponse(
      (answer) => answer.url().endsWith('/settings') && answer.request().method() === 'PUT',
    )
    await page.getByRole('button', { name: 'تیره' }).click()
    assert.equal((await stored).status(), 200)
    const other = await visit(host)
    await seen(other.page, 'ورود')
    assert.deepEqual(
      await other.page.evaluate(() => [document.documentElement.dir, document.documentElement.dataset['theme']]),
      ['rtl', 'dark'],
    )
  })
})
