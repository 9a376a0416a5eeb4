// A panel under a web path over a fake host, its helper to be sent away at will, and the steps that a person takes on
// the page.
import type { Locator, Page } from 'playwright-core'
import { helperAway } from '@panel/web-daemon/platform/helper/refusals.ts'
import type { Writer } from '@panel/shared/rpc/methods.ts'
import { eventually } from '../../support/eventually.ts'
import type { Client } from '../../api/support/client.ts'
import {
  requestThrough,
  OPERATOR,
  PAGE_DIR,
  startPanel,
  type TestPanel,
  type TestParts,
} from '../../api/support/panel.ts'
import { createTunnel } from '../../api/support/tunnels.ts'
import { followWindows } from '../../api/support/windows.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { FakeHost } from '../../support/fake-host.ts'
import { FakeKernel } from '../../support/fake-kernel.ts'
import { inProcessHelper, noJournal } from '../../support/in-process-helper.ts'
import type { Visit } from './browser.ts'

export interface Host extends TestPanel {
  /** Cuts the helper off. */
  readonly sendHelperAway: () => void
}

/** The host is at rest: a disk of this machine that is full, or answers late, is an incident on the page. */
export const startHost = async (parts: TestParts = {}): Promise<Host> => {
  const kernel = new FakeKernel()
  const windowClock = new FakeClock()
  const inProcess = inProcessHelper(kernel, noJournal(), windowClock)
  const { windows } = inProcess.deps
  const helper = requestThrough(inProcess.request)
  let isAway = false
  const request: Writer = async (method, params) => {
    if (isAway) throw helperAway('ENOENT')
    return helper(method, params)
  }
  const panel = await startPanel({
    web_path: 'secret',
    page_dir: PAGE_DIR,
    request,
    stream: inProcess.stream,
    metrics: { host: new FakeHost() },
    ...parts,
  })
  const sendHelperAway = (): void => {
    isAway = true
    panel.clock.advance(2)
  }
  followWindows({ ...panel, windows })
  return { ...panel, kernel, windows, windowClock, sendHelperAway }
}

/** Two that stand, one that was taken away behind the panel's back, one that is meant to be down. */
export const giveTunnels = async (host: Host, client: Client): Promise<void> => {
  const bodies = [
    { display_name: 'Hamburg relay' },
    { display_name: 'Frankfurt', remote_endpoint: '198.51.100.20' },
    {
      tunnel_type_id: 30,
      interface_name: 'long-name-gre-6',
      local_endpoint: '2001:db8::1',
      remote_endpoint: '2001:db8:aaaa:bbbb:cccc:dddd:eeee:ffff',
    },
    { display_name: 'Resting', remote_endpoint: '203.0.113.9', is_enabled: false },
  ]
  for (const body of bodies) {
    const { status, text } = await createTunnel(client, body)
    if (status !== 201) throw new Error(`a tunnel was refused: ${text}`)
  }
  host.kernel.held.delete('gre-a-2')
}

/** One target of notifications; nothing is sent to it until they are started. */
export const giveWebhook = async (client: Client): Promise<void> => {
  const { status, text } = await client.post('/webhooks', {
    title: 'Mail to the operator',
    kind: 'email',
    url: 'smtps://mail.example.net',
    sender: 'panel@example.net',
    recipient: 'operator@example.net',
    events: ['tunnel_state', 'route_health'],
  })
  if (status !== 201) throw new Error(`a target was refused: ${text}`)
}

/** Makes those tunnels and an operator. */
export const tunnelHost = async (host: Host): Promise<Client> => {
  const client = await host.setUp()
  await giveTunnels(host, client)
  return client
}

/** Called once in a suite, after `browsing`: each test has a host of its own. */
export const eachHost = (
  prepare: (host: Host) => Promise<Client>,
  take: (made: { readonly host: Host; readonly client: Client }) => void,
  parts: () => TestParts = () => ({}),
): void => {
  let host: Host
  beforeEach(async () => {
    host = await startHost(parts())
    take({ host, client: await prepare(host) })
  })
  afterEach(() => host.close())
}

/** A field of the form that is shown. */
export const field = (page: Page, label: string): Locator => page.getByRole('textbox', { name: label, exact: true })

export const signIn = async (page: Page, password: string = OPERATOR.password): Promise<void> => {
  await field(page, 'Username').fill(OPERATOR.username)
  await field(page, 'Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** A word is the whole heading, since "Edit Web" is another page than "Web". */
export const seen = async (page: Page, heading: string | RegExp): Promise<void> =>
  page.getByRole('heading', { name: heading, level: 1, exact: typeof heading === 'string' }).waitFor()

export const signedIn = async (visit: Visit): Promise<Visit> => {
  await signIn(visit.page)
  await seen(visit.page, 'Overview')
  return visit
}

/** To a page of the app, as `tunnels?q=state:down`, by its address. */
export const goTo = async (
  visit: Visit,
  host: Pick<Host, 'base'>,
  path: string,
  heading: string | RegExp,
): Promise<Visit> => {
  await visit.page.goto(host.base + path)
  await seen(visit.page, heading)
  return visit
}

/** The address of a route, under the web path: with the ids of the first of each kind; pools are seeded with 10. */
export const addressOf = (path: string): string =>
  path
    .replace(/^\/pools\/:\w+/, '/pools/10')
    .replaceAll(/:\w+/g, '1')
    .slice(1)

/** What lies below comes when it is seen. */
export const scrollToEnd = async (page: Page): Promise<void> => {
  await page.waitForFunction(() => !document.querySelector('main .waiting:not(.later *)'))
  const rest = page.locator('main .later')
  for (; (await rest.count()) > 0; await page.waitForTimeout(20))
    await page.evaluate(() => document.querySelector('main .later')?.scrollIntoView({ block: 'center' }))
}

export const textOf = (page: Page, selector: string): Promise<string> => page.locator(selector).innerText()

/** What a field says is wrong with it, as a screen reader finds it. */
export const complaintOf = async (page: Page, label: string): Promise<string> => {
  const input = page.getByLabel(label, { exact: true }).and(page.locator('[aria-invalid="true"]'))
  await input.waitFor()
  const places = (await input.getAttribute('aria-describedby'))?.split(' ') ?? []
  return (await Promise.all(places.map((place) => page.locator(`[id="${place}"]`).innerText()))).join(' ')
}

/** Until the words have loaded that the page has for it, what the API says stands there. */
export async function complains(page: Page, label: string, words: RegExp): Promise<void> {
  let seen = ''
  await eventually(
    async () => words.test((seen = await complaintOf(page, label))),
    () => `${label}: ${seen}`,
  )
}
