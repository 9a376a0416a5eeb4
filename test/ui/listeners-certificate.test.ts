// Another certificate for the panel, tried from the page over real TLS: at the same address and port, and at another
// port (decisions.md, Y8 to Y10).
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { Certificates, filesIn, fingerprintIn, pairIn, shownBy } from '../api/support/certificates.ts'
import type { Client } from '../api/support/client.ts'
import { closedPort, closes, listed } from '../api/support/listeners.ts'
import { browsing, type Visit } from './support/browser.ts'
import { field, goTo, type Host, signedIn, startHost } from './support/host.ts'

describe('Another certificate of the panel on the page', () => {
  const certificates = new Certificates()
  const [before, next] = [certificates.make('before'), certificates.make('next')]
  const { visit } = browsing()
  let host: Host
  let client: Client
  beforeEach(async () => {
    host = await startHost({ listening: { pair: pairIn(before) } })
    client = await host.setUp()
  })
  afterEach(() => host.close())
  after(() => certificates.remove())

  const port = (): number => Number(new URL(host.base).port)
  const visitSystem = async (at: Pick<Host, 'base'> = host): Promise<Visit> =>
    goTo(await signedIn(await visit(at, { isCertificateUnknown: true })), at, 'system', 'System')
  /** Fills in the form and sends it. */
  const tries = async ({ page }: Visit, at: number): Promise<void> => {
    const { cert, key } = filesIn(next)
    await page.getByText('Try another address').click()
    await field(page, 'Address').fill('127.0.0.1')
    await page.getByLabel('Port', { exact: true }).fill(String(at))
    await field(page, 'Certificate').fill(readFileSync(cert, 'utf8'))
    await field(page, 'Private key').fill(readFileSync(key, 'utf8'))
    await page.getByRole('button', { name: 'Try it' }).click()
    await page.getByText(/Ends automatically in/).waitFor()
  }
  const states = async (): Promise<string[]> => (await listed(client)).map(({ state }) => state)

  it('is tried at the same address and port, and kept by a client that came over it', async () => {
    const arrived = await visitSystem()
    await tries(arrived, port())
    assert.equal(await shownBy(host.base), fingerprintIn(next))
    const { page } = await visitSystem()
    await page.getByText('You have reached it with the new certificate.').waitFor()
    await page.getByRole('button', { name: /^Keep/ }).click()
    await page.getByText('Kept', { exact: true }).waitFor()
    assert.equal(await shownBy(host.base), fingerprintIn(next))
    assert.deepEqual(await states(), ['configured', 'kept'])
  })

  it('is the earlier one again at the same address and port if the trial is ended', async () => {
    const arrived = await visitSystem()
    await tries(arrived, port())
    await arrived.page.getByRole('button', { name: 'End the trial' }).click()
    await arrived.page.getByText('Try another address').waitFor()
    assert.deepEqual([await shownBy(host.base), await states()], [fingerprintIn(before), ['configured']])
  })

  it('is tried at another port beside the earlier one, which closes once the new one is kept', async () => {
    const arrived = await visitSystem()
    const at = await closedPort()
    await tries(arrived, at)
    const link = arrived.page.getByRole('link', { name: /^Open https/ })
    const there = `https://127.0.0.1:${at}/secret/`
    assert.equal(await link.getAttribute('href'), `${there}system`)
    assert.deepEqual([await shownBy(host.base), await shownBy(there)], [before, next].map(fingerprintIn))
    arrived.gates.allowConsole(/ERR_CONNECTION_REFUSED/)
    const { page } = await visitSystem({ base: there })
    await page.getByRole('button', { name: 'Keep this address' }).click()
    await page.getByText('The address is kept').first().waitFor()
    await closes(host.base)
  })
})
