// Draws the pages for people to look at: npx tsx test/ui/screenshots.ts [part of a picture's name …], into
// .build/screenshots
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Client } from '../api/support/client.ts'
import { OPERATOR } from '../api/support/panel.ts'
import { DESKTOP, launch, PHONE, visitWith, type Look, type Visit } from './support/browser.ts'
import { field, giveTunnels, startHost, type Host } from './support/host.ts'
import { giveHistory, giveTraffic } from './support/past.ts'

interface State {
  readonly name: string
  /** Under the web path; absent: the page before sign-in. */
  readonly path?: string
  readonly prepare?: (host: Host, client: Client) => Promise<unknown> | unknown
  /** What a person does there before the picture is taken. */
  readonly arrive?: (visit: Visit) => Promise<unknown>
  /** Before there is an account. */
  readonly isNew?: true
}

const type =
  (label: string, text: string) =>
  ({ page }: Visit) =>
    page.locator(`input[name=${label}], textarea[name=${label}]`).first().fill(text)

const withRules = async (_host: Host, client: Client): Promise<void> => {
  await client.post('/routes', {
    route_rule_title: 'web',
    bind_address: '0.0.0.0',
    bind_port: 443,
    destination_address: '172.17.1.2',
    destination_port: 443,
    tunnel_id: 1,
  })
  await client.post('/routes', {
    route_rule_title: 'shadowed',
    bind_address: '192.0.2.1',
    bind_port: 443,
    destination_address: '172.17.1.2',
    destination_port: 8443,
  })
  await client.post('/routes', {
    route_rule_title: 'game servers',
    route_protocol_id: 20,
    bind_address: '192.0.2.1',
    bind_port: 27000,
    bind_port_range_end: 27010,
    destination_address: '172.17.1.2',
    destination_port: 27000,
  })
}

const STATES: readonly State[] = [
  { name: 'setup', isNew: true },
  {
    name: 'setup-refused',
    isNew: true,
    arrive: async (visit) => {
      await type('username', 'operator')(visit)
      await type('password', 'short')(visit)
      await visit.page.keyboard.press('Enter')
    },
  },
  { name: 'sign-in' },
  {
    name: 'overview-empty',
    path: '',
    prepare: async (host, client) => {
      for (const id of [1, 2, 3, 4]) await client.delete(`/tunnels/${id}`)
      await host.monitor.settled()
    },
  },
  { name: 'overview', path: '', prepare: withRules, arrive: ({ page }) => page.waitForTimeout(4000) },
  { name: 'tunnels', path: 'tunnels' },
  { name: 'tunnels-helper-away', path: 'tunnels', prepare: (host) => host.sendHelperAway() },
  { name: 'tunnel', path: 'tunnels/1' },
  { name: 'tunnel-missing', path: 'tunnels/2' },
  {
    name: 'tunnel-delete',
    path: 'tunnels/1',
    arrive: async (visit) => {
      await visit.page.locator('main button[popovertarget]').first().click()
      await visit.page.locator('.item.danger').click()
    },
  },
  { name: 'tunnel-edit', path: 'tunnels/1/edit' },
  { name: 'tunnel-pairing', path: 'tunnels/1/pairing' },
  {
    name: 'tunnel-diagnostics',
    path: 'tunnels/1/diagnostics',
    arrive: async ({ page }) => {
      await page.locator('main .card .button').first().click()
      await page.locator('.summary').waitFor()
      await page.locator('[type=submit]').click()
      await page.locator('[data-packet]').nth(3).waitFor()
    },
  },
  {
    name: 'tunnel-history',
    path: 'tunnels/1/history',
    prepare: (host) => giveHistory(host, 1),
    arrive: async ({ page }) => {
      const plot = page.locator('[role=slider]').first()
      for (let n = 0; n < 8; n++) await plot.press('PageDown')
    },
  },
  { name: 'tunnel-new-1', path: 'tunnels/new' },
  {
    name: 'tunnel-new-2',
    path: 'tunnels/new',
    arrive: async ({ page }) => {
      await page.locator('main .card .button').first().click()
      await page.locator('main form').waitFor()
    },
  },
  {
    name: 'tunnel-new-3',
    path: 'tunnels/new',
    arrive: async (visit) => {
      await visit.page.locator('main .card .button').first().click()
      await type('local_endpoint', '192.0.2.1')(visit)
      await type('remote_endpoint', '203.0.113.77')(visit)
      await visit.page.locator('[type=submit]').click()
      await visit.page.locator('main .card ol').waitFor()
    },
  },
  { name: 'routes', path: 'routes', prepare: withRules },
  { name: 'routes-new', path: 'routes/new' },
  { name: 'routes-order', path: 'routes/order', prepare: withRules },
  {
    name: 'route',
    path: 'routes/1',
    prepare: async (host, client) => {
      await withRules(host, client)
      await giveTraffic(host, 1)
    },
  },
  {
    name: 'path-broken',
    path: 'routes/1',
    prepare: async (host, client) => {
      await client.post('/routes', {
        route_rule_title: 'Mail to three servers',
        bind_address: '192.0.2.1',
        bind_port: 25,
        load_balance_mode_id: 20,
        destinations: [2, 3, 4].map((last) => ({ address: `172.17.1.${last}`, port: 2525 })),
        allowed_sources: [{ cidr: '198.51.100.0/24' }],
      })
      await client.post('/tunnels/1/down')
      await host.monitor.settled()
    },
  },
  {
    name: 'route-plan',
    path: 'routes/1/edit',
    prepare: withRules,
    arrive: async ({ page }) => {
      await page.locator('[name="destinations.0.address"]').fill('172.17.1.77')
      await page.locator('form [type=submit]').last().click()
      await page.locator('[data-review]').waitFor()
      await page.locator('section:has([data-review]) summary').first().click()
    },
  },
  { name: 'pools', path: 'pools' },
  { name: 'reconcile', path: 'reconcile', prepare: withRules },
  {
    name: 'reconcile-unreadable',
    path: 'reconcile',
    prepare: (host) => void (host.kernel.rulesets.unreadable = 'Operation not permitted'),
  },
  { name: 'forwarding', path: 'forwarding', prepare: withRules },
  { name: 'metrics', path: 'metrics', arrive: ({ page }) => page.waitForTimeout(3000) },
  { name: 'interfaces', path: 'host' },
  { name: 'routing-table', path: 'host/routes' },
  {
    name: 'settings',
    path: 'settings',
    arrive: (visit) => visit.page.locator('[name="monitor.window_size"]').fill('90'),
  },
  { name: 'audit', path: 'audit', prepare: withRules },
  { name: 'backup', path: 'backup' },
  { name: 'system', path: 'system' },
  { name: 'account', path: 'account' },
  {
    name: 'palette',
    path: '',
    arrive: async ({ page }) => {
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox').fill('g')
      await page.waitForTimeout(600)
    },
  },
  { name: 'help', path: '', arrive: ({ page }) => page.keyboard.press('?') },
]

const LOOKS: Readonly<Record<string, Look & { readonly language?: string }>> = {
  desktop: { viewport: DESKTOP },
  phone: { viewport: PHONE },
  dark: { viewport: DESKTOP, colorScheme: 'dark' },
  persian: { viewport: DESKTOP, language: 'fa' },
  'persian-phone': { viewport: PHONE, language: 'fa' },
}

const draw = async (
  host: Host,
  client: Client | null,
  visit: Visit,
  { name, path, arrive }: State,
  look: string,
): Promise<void> => {
  const { page } = visit
  if (client && path !== undefined) {
    await field(page, LOOKS[look]?.language === 'fa' ? 'نام کاربری' : 'Username').fill(OPERATOR.username)
    await page.locator('input[name=password]').fill(OPERATOR.password)
    await page.keyboard.press('Enter')
    await page.locator('nav').first().waitFor({ state: 'attached' })
    await page.goto(host.base + path)
  }
  await page.waitForLoadState('networkidle', { timeout: 1500 }).catch(() => undefined)
  await arrive?.(visit)
  // Charts are drawn as they come into view.
  await page.evaluate(() => scrollTo(0, document.body.scrollHeight))
  await page.waitForTimeout(700)
  await page.evaluate(() => scrollTo(0, 0))
  await page.screenshot({ path: join(folder, `${name}-${look}.png`), fullPage: name !== 'tunnel-delete' })
}

const asked = process.argv.slice(2)
const folder = '.build/screenshots'
mkdirSync(folder, { recursive: true })
const browser = await launch()
for (const state of STATES) {
  for (const [look, { language, ...rest }] of Object.entries(LOOKS).filter(
    ([look]) => asked.length === 0 || asked.some((part) => `${state.name}-${look}`.includes(part)),
  )) {
    const host = await startHost()
    const client = state.isNew ? null : await host.setUp()
    if (client) {
      await giveTunnels(host, client)
      await host.monitor.start()
      await host.metrics.start()
      host.kernel.plant('gre-old-7', {})
      if (language) await client.put('/settings', { 'display.language': language })
      await state.prepare?.(host, client)
    }
    const visit = await visitWith(browser, host, rest)
    await draw(host, client, visit, state, look).catch((failure: unknown) =>
      console.log(`${state.name} ${look}: ${String(failure)}`),
    )
    await visit.context.close()
    await host.close()
  }
}
await browser.close()
console.log(`wrote pictures to ${folder}`)
process.exit(0)
