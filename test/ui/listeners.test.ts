// Where the panel listens, changed on the page: tried beside the old address, reached, and kept (decisions.md, Y8, Y9).
import assert from 'node:assert/strict'
import { Client } from '../api/support/client.ts'
import { closedPort, closes, listed, tryListener } from '../api/support/listeners.ts'
import { browsing, PHONE, type Look, type Visit } from './support/browser.ts'
import { complains, complaintOf, eachHost, field, goTo, type Host, signedIn } from './support/host.ts'

describe('The addresses of the panel on the page', () => {
  const { visit } = browsing()
  let host: Host
  let client: Client
  eachHost(
    (one) => one.setUp(),
    (made) => ({ host, client } = made),
  )

  const visitSystem = async (at: Pick<Host, 'base'> = host, look: Look = {}): Promise<Visit> =>
    goTo(await signedIn(await visit(at, look)), at, 'system', 'System')
  const openForm = async ({ page }: Visit): Promise<void> => page.getByText('Try another address').click()
  const submit = async ({ page }: Visit): Promise<void> => page.getByRole('button', { name: 'Try it' }).click()
  const onTrial = async (): Promise<{ base: string }> => {
    const { body } = await tryListener(client, {})
    return { base: `http://127.0.0.1:${body.listener.port}/secret/` }
  }

  it('are shown, and which of them this page came by', async () => {
    const { page } = await visitSystem()
    const { port } = new URL(host.base)
    const own = page.getByRole('listitem').filter({ hasText: `127.0.0.1:${port}` })
    assert.match(await own.innerText(), /Configured\s+You are here\. +Without TLS\./)
  })

  it('get another one, with a link to it and the time that it stays, after what was wrong is shown at its field', async () => {
    const arrived = await visitSystem()
    arrived.gates.allowConsole(/422/)
    const { page } = arrived
    await openForm(arrived)
    const port = await closedPort()
    await page.getByLabel('Port', { exact: true }).fill(String(port))
    await field(page, 'Address').fill('panel')
    await field(page, 'Certificate').fill('nothing')
    await field(page, 'Private key').fill('nothing')
    await submit(arrived)
    await complains(page, 'Address', /Address must be an IP address of this server/)
    await complains(page, 'Certificate', /Certificate must be in PEM form/)
    await field(page, 'Address').fill('0.0.0.0')
    await page.getByRole('switch', { name: 'Encrypted (TLS)' }).uncheck()
    await submit(arrived)
    await page.getByText(/in the clear/).waitFor()
    await page.getByRole('switch', { name: 'Apply anyway' }).check()
    await submit(arrived)
    const link = page.getByRole('link', { name: /^Open http/ })
    await link.waitFor()
    assert.equal(await link.getAttribute('href'), `http://127.0.0.1:${port}/secret/system`)
    await page.getByText(/Ends automatically in/).waitFor()
    assert.equal(await page.getByRole('button', { name: 'Keep this address' }).count(), 0)
    assert.deepEqual(
      (await listed(client)).map(({ state }) => state),
      ['configured', 'trial'],
    )
  })

  it('show at their fields that the server cannot listen there', async () => {
    const arrived = await visitSystem()
    arrived.gates.allowConsole(/409/)
    await openForm(arrived)
    await field(arrived.page, 'Address').fill('127.0.0.1')
    await arrived.page.getByLabel('Port', { exact: true }).fill(new URL(host.base).port)
    await arrived.page.getByRole('switch', { name: 'Encrypted (TLS)' }).uncheck()
    await submit(arrived)
    assert.match(await complaintOf(arrived.page, 'Port'), /The panel itself listens on port/)
  })

  it('are kept by a client that reached the new one, and the old one closes', async () => {
    const there = await onTrial()
    const { page } = await visitSystem(there)
    await page.getByText('You have reached it.').waitFor()
    await page.getByRole('button', { name: 'Keep this address' }).click()
    await page.getByText('The address is kept').first().waitFor()
    const own = page.getByRole('listitem').filter({ hasText: new URL(there.base).port })
    await own.getByText('Kept', { exact: true }).waitFor()
    await closes(host.base)
  })

  it('say where the panel may be once the address of this page is closed, since the other was kept elsewhere', async () => {
    const { body } = await tryListener(client, {})
    const { page, gates } = await visitSystem()
    gates.allowConsole(/ERR_CONNECTION_REFUSED/)
    await page.getByText(/Ends automatically in/).waitFor()
    const { listener } = body
    const there = new Client(`http://127.0.0.1:${listener.port}/secret/`, client.check)
    client.cookies.forEach((value, name) => there.cookies.set(name, value))
    assert.equal((await there.post(`/system/listeners/${listener.listener_id}/keep`)).status, 200)
    await page.getByRole('alert').filter({ hasText: 'no longer answers' }).waitFor()
    assert.match(
      (await page.getByRole('link', { name: /^Open http/ }).getAttribute('href')) ?? '',
      RegExp(`:${listener.port}/`),
    )
  })

  it('go back to what they were once the trial is ended', async () => {
    const there = await onTrial()
    const { page } = await visitSystem()
    await page.getByRole('button', { name: 'End the trial' }).click()
    await page.getByText('Try another address').waitFor()
    await closes(there.base)
  })

  it('fit a phone', async () => {
    await onTrial()
    const { page } = await visitSystem(host, { viewport: PHONE })
    await page.getByText(/Ends automatically in/).waitFor()
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= PHONE.width)
  })
})
