// This server's address taken from the route to the other one, on the page: in the wizard, in the form and on the
// tunnel's own page.
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import type { Client } from '../api/support/client.ts'
import { set } from '../api/support/settings.ts'
import { createTunnel, getTunnel } from '../api/support/tunnels.ts'
import { LOST } from '@panel/shared/events/model.ts'
import { browsing, PHONE, type Look, type Visit } from './support/browser.ts'
import { complaintOf, field, goTo, signedIn, startHost, type Host } from './support/host.ts'

const OWN = '192.0.2.1'
const LOCAL = "This server's address"

describe("This server's address from the route, on the page", () => {
  const { visit } = browsing()
  let host: Host
  let client: Client
  beforeEach(async () => {
    host = await startHost()
    client = await host.setUp()
  })
  afterEach(() => host.close())

  const visited = async (path: string, heading: string | RegExp, look: Look = {}): Promise<Visit> =>
    goTo(await signedIn(await visit(host, look)), host, path, heading)
  const open = async (...where: Parameters<typeof visited>): Promise<Page> => (await visited(...where)).page
  const made = async (): Promise<void> => {
    const { status, text } = await createTunnel(client, { local_endpoint: null })
    assert.equal(status, 201, text)
  }
  const stored = async (): Promise<unknown> => {
    const { local_endpoint, is_local_endpoint_automatic } = (await getTunnel(client, 1)).body
    return [local_endpoint, is_local_endpoint_automatic]
  }
  const local = (page: Page) => page.getByRole('combobox', { name: LOCAL, exact: true })
  const automatic = (page: Page) => page.getByRole('switch', { name: 'Automatic', exact: true })

  it('is chosen in the wizard, refused where there is no route, and shown in the plan', async () => {
    const routes = host.kernel.hostRoutes
    const { page, gates } = await visited('tunnels/new', 'Create a tunnel')
    await page.getByRole('button', { name: 'Start here' }).click()
    await page.waitForFunction((own) => [...document.querySelectorAll('input')].some(({ value }) => value === own), OWN)
    await automatic(page).check()
    assert.deepEqual([await local(page).isDisabled(), await local(page).inputValue()], [true, ''])
    await field(page, "The other server's address").fill('198.51.100.7')
    gates.expectAnswer(422, '/tunnels/preview')
    host.kernel.hostRoutes = []
    await page.getByRole('button', { name: 'Show the plan' }).click()
    assert.match(await complaintOf(page, LOCAL), /^This server has no route to 198\.51\.100\.7\. Add one, or enter/)
    host.kernel.hostRoutes = routes
    await page.getByRole('button', { name: 'Show the plan' }).click()
    await page.getByText(`Create the gre link gre-a-1 from ${OWN} to 198.51.100.7 with MTU 1472.`).waitFor()
    await page.getByRole('button', { name: 'Create the tunnel' }).click()
    await page.locator('[data-pairing-code]').waitFor()
    assert.deepEqual(await stored(), [OWN, true])
  })

  it('gives back the likeliest address where the choice is taken back', async () => {
    const page = await open('tunnels/new', 'Create a tunnel')
    await page.getByRole('button', { name: 'Start here' }).click()
    await automatic(page).check()
    await automatic(page).uncheck()
    await page.waitForFunction((own) => [...document.querySelectorAll('input')].some(({ value }) => value === own), OWN)
    assert.equal(await local(page).isDisabled(), false)
  })

  it('stands in the form with the address in use, which becomes fixed', async () => {
    await made()
    const page = await open('tunnels/1/edit', /gre-a-1/)
    assert.deepEqual([await local(page).inputValue(), await local(page).isDisabled()], [OWN, true])
    await automatic(page).uncheck()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page
      .getByText(/gre-a-1 is saved|saved/)
      .first()
      .waitFor()
    assert.deepEqual(await stored(), [OWN, false])
  })

  it('takes the place of a fixed address in the form', async () => {
    await createTunnel(client)
    const page = await open('tunnels/1/edit', /gre-a-1/)
    await automatic(page).check()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page
      .getByText(/gre-a-1 is saved|saved/)
      .first()
      .waitFor()
    assert.deepEqual(await stored(), [OWN, true])
  })

  for (const [language, look] of [
    ['en', {}],
    ['fa', { viewport: PHONE }],
  ] as const)
    it(`says that it is automatic, and why it does not follow: ${language}`, async () => {
      await made()
      host.localEnds.start()
      host.kernel.hostRoutes = host.kernel.hostRoutes.map((route) => ({ ...route, source: '127.0.0.5' }))
      host.bus.publish('host.changed', { events: [LOST] })
      await host.localEnds.settled()
      const page = await open('tunnels/1', /gre-a-1/, look)
      await set(client, { 'display.language': language })
      await page.reload()
      const [choice, reason] =
        language === 'en'
          ? ['automatic: what the route to the other server has', /now, and the tunnel cannot follow/]
          : ['خودکار: آنچه مسیر به سرور دیگر دارد', /تونل نمی‌تواند آن را دنبال کند/]
      await page.getByText(choice).waitFor()
      await page.getByText(reason).waitFor()
      await page.getByText(OWN, { exact: true }).first().waitFor()
    })
})
