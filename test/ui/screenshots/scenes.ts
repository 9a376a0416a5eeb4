// What is drawn: every page of the table of routes, and what a page looks like in a certain state or halfway through a
// task. Dialogs are in dialogs.ts.
import { ROUTES } from '../../../ui/src/core/routes.ts'
import type { RouteCheckAnswer } from '@panel/shared/api/routes/check.ts'
import { tryListener } from '../../api/support/listeners.ts'
import { fakeRoute } from '../../support/fake-routes.ts'
import { addressOf, scrollToEnd } from '../support/host.ts'
import { answerManyRules } from '../support/many-rules.ts'
import { ACCOUNT } from './account.ts'
import { analyze, answer, foretold, press, previewBackup, select } from './acts.ts'
import { OVERVIEWS, stopped } from './causes.ts'
import { DIALOGS } from './dialogs.ts'
import { RULE_PLANS } from './rule-plans.ts'
import type { At, Scene } from './scene.ts'
import { TRIALS } from './trials.ts'
import { WEBHOOKS } from './webhooks.ts'
import { look, type FullWorld } from './world.ts'

const nameOf = (path: string): string => path.slice(1).replaceAll('/:id', '').replaceAll('/', '-') || 'overview'
/** A page of one thing is named as the thing, and its list as the things. */
const PAGES: readonly Scene[] = ROUTES.map(({ path }) => ({
  name: path.includes(':id') ? nameOf(path).replace(/^(tunnel|route|pool|network)s/, '$1') : nameOf(path),
  path: addressOf(path),
}))

const startFirst = async ({ page, say }: At): Promise<void> => {
  await page.getByRole('button', { name: say('tunnel_new.start_action'), exact: true }).click()
  await page.locator('main form').waitFor()
}

/** One of the three servers is down, one was taken out by hand, and the third is a backup. */
const checkMail = async ({ host, client }: FullWorld): Promise<void> => {
  const destinations = [2, 3, 4, 5].map((last) => ({ address: `172.17.1.${last}`, port: 2525, is_backup: last === 5 }))
  const check = { interval_ms: 500, timeout_ms: 200, on_all_down: 'refuse' }
  await client.patch('/routes/6', { destinations, check })
  await host.failover.start()
  const drained =
    (await client.get<RouteCheckAnswer>('/routes/6/check')).body.destinations[2]?.route_destination_id ?? 0
  await client.post(`/routes/6/destinations/${drained}/drain`, { for_seconds: 7200 })
  const isDown = async (): Promise<boolean> =>
    (await client.get<RouteCheckAnswer>('/routes/6/check')).body.destinations.some(({ state }) => state === 'down')
  while (!(await isDown())) await new Promise((resolve) => setTimeout(resolve, 100))
  await look(host)
}

const showChecks = async ({ page }: At): Promise<void> => {
  await scrollToEnd(page)
  await page.locator('[data-checks]').waitFor()
}

const showMany = async ({ page }: At): Promise<void> => {
  await answerManyRules(page, 60)
  await page.reload()
}

const groupByTunnel = async (at: At): Promise<void> => {
  const { page, say } = at
  await showMany(at)
  await page.getByRole('button', { name: say('list.views'), exact: true }).click()
  await page
    .getByRole('group', { name: say('list.views'), exact: true })
    .getByRole('button', { name: say('views.by.tunnel'), exact: true })
    .click()
  await page.keyboard.press('Escape')
  await page.locator('tr.group').first().waitFor()
}

const STEPS: readonly Scene[] = [
  {
    name: 'overview-thousand-rules',
    path: '',
    arrive: async (at) => {
      await showMany(at)
      await scrollToEnd(at.page)
      await at.page.locator('[aria-labelledby=map-title] button').first().waitFor()
    },
  },
  { name: 'routes-thousand', path: 'routes', arrive: showMany, isWindow: true },
  { name: 'routes-thousand-by-tunnel', path: 'routes', arrive: groupByTunnel, isWindow: true },
  { name: 'setup', server: 'new' },
  {
    name: 'setup-refused',
    server: 'new',
    arrive: async ({ page }) => {
      await page.locator('input[name=username]').fill('operator')
      await page.locator('input[name=password]').fill('short')
      await page.keyboard.press('Enter')
    },
  },
  { name: 'sign-in' },
  { name: 'overview-empty', path: '', server: 'empty' },
  {
    name: 'overview-calm',
    path: '',
    alone: async ({ host, client }) => {
      for (const id of [2, 3]) await client.delete(`/tunnels/${id}`)
      for (const id of [2, 3, 4, 5, 6]) await client.delete(`/routes/${id}`)
      host.kernel.held.delete('gre-old-7')
      await look(host)
    },
  },
  {
    name: 'overview-unmeasured',
    path: '',
    arrive: async ({ page }) => {
      const proof = { carrying: 7, proven: 3, one_way: 0, unproven: 2, oldest: new Date(Date.now() - 720_000) }
      const found = { incidents: [], total: 0, known: 2, unmeasured: { tunnels: 200, rules: 3 }, unmonitored: 1, proof }
      await page.route('**/reconcile/attention', (route) => answer(route, { ...found, checked_at: null }))
      await page.reload()
      await page.locator('.card.calm').waitFor()
    },
  },
  { name: 'route-dropped', path: 'routes/1', alone: stopped('dropped') },
  { name: 'helper-away-overview', path: '', alone: ({ host }) => host.sendHelperAway() },
  { name: 'helper-away-tunnels', path: 'tunnels', alone: ({ host }) => host.sendHelperAway() },
  {
    name: 'system-whole',
    path: 'system',
    arrive: async ({ page }) => {
      for (const summary of await page.locator('main summary').all()) await summary.click()
    },
  },
  {
    name: 'system-api-operation',
    path: 'system/api?q=create+a+tunnel',
    arrive: async ({ page }) => {
      await page.locator('main summary').first().click()
      await page.locator('main details details > summary').first().click()
    },
  },
  {
    name: 'system-listener-try',
    path: 'system',
    arrive: async ({ page, say }) => {
      await page.getByText(say('system.listeners.try')).click()
      await page.locator('main form [name=address]').fill('0.0.0.0')
      await page.locator('main form:has([name=address]) [type=submit]').click()
      await page.locator('main form [aria-invalid=true]').first().waitFor()
    },
  },
  {
    name: 'system-listener-trial',
    path: 'system',
    alone: ({ client }) => tryListener(client, { address: '127.0.0.2', seconds: 3600 }),
  },
  ...TRIALS,
  {
    name: 'route-carried-out-otherwise',
    path: 'routes/6',
    alone: async ({ host }) => void host.kernel.hostRoutes.push(fakeRoute('172.17.1.3/32', 'eth0')),
  },
  { name: 'route-checks', path: 'routes/6', alone: checkMail },
  {
    name: 'route-check-form',
    path: 'routes/6',
    alone: checkMail,
    arrive: async (at) => {
      await showChecks(at)
      await at.page.getByRole('button', { name: at.say('checks.change') }).click()
      await at.page.locator('main [name=interval_ms]').waitFor()
    },
  },
  {
    name: 'dialog-drain',
    path: 'routes/6',
    shows: 'CheckedDestination',
    isWindow: true,
    alone: checkMail,
    arrive: async (at) => {
      await showChecks(at)
      await press(at.page, at.say('checks.drain'))
      await foretold(at.page)
    },
  },
  {
    name: 'dialog-webhook-delete',
    path: 'webhooks',
    shows: 'webhooks.delete.title',
    isWindow: true,
    arrive: ({ page, say }) => press(page, say('webhooks.delete_of', { title: 'Mail to the operator' })),
  },
  {
    name: 'dialog-token-revoke',
    path: 'account',
    shows: 'account.tokens.revoke_title',
    isWindow: true,
    alone: async ({ client }) => {
      await client.post('/auth/tokens', { title: 'Prometheus', scopes: ['metrics'] })
    },
    arrive: async ({ page, say }) => {
      await scrollToEnd(page)
      await press(page, say('account.tokens.revoke'))
    },
  },
  {
    name: 'route-edit-name',
    path: 'routes/6/edit',
    arrive: async ({ page }) => {
      await page.locator('[name="destinations.0.address"]').fill('mail.example.net')
      await page.locator('main fieldset select').first().waitFor()
    },
  },
  { name: 'tunnels-filtered', path: 'tunnels?q=state%3Aup+pool' },
  {
    name: 'tunnels-selected',
    path: 'tunnels',
    arrive: (at) => select(at, ['Hamburg relay · gre-a-1', 'Frankfurt · gre-a-2']),
    isWindow: true,
  },
  { name: 'tunnel-gone', path: 'tunnels/2' },
  {
    name: 'tunnel-diagnostics-run',
    path: 'tunnels/1/diagnostics',
    arrive: async (at) => {
      const { page } = at
      await analyze(at)
      await page.locator('[type=submit]').first().click()
      await page.locator('[data-packet]').nth(3).waitFor()
    },
  },
  { name: 'tunnel-new-endpoints', path: 'tunnels/new', arrive: startFirst },
  { name: 'tunnel-new-code', path: 'tunnels/new?code' },
  {
    name: 'tunnel-new-refused',
    path: 'tunnels/new',
    arrive: async (at) => {
      await startFirst(at)
      await at.page.locator('[name=remote_endpoint]').first().fill('10.0.0.300')
      await at.page.locator('[type=submit]').click()
      await at.page.locator('[aria-invalid=true]').first().waitFor()
    },
  },
  {
    name: 'tunnel-new-plan',
    path: 'tunnels/new',
    arrive: async (at) => {
      await startFirst(at)
      await at.page.locator('[name=local_endpoint]').first().fill('192.0.2.1')
      await at.page.locator('[name=remote_endpoint]').first().fill('203.0.113.77')
      await at.page.locator('[type=submit]').click()
      await at.page.locator('main .card ol').waitFor()
    },
  },
  { name: 'route-broken', path: 'routes/4' },
  { name: 'route-three-destinations', path: 'routes/6' },
  {
    name: 'route-analysis',
    path: 'routes/4',
    arrive: async ({ page, say }) => {
      await scrollToEnd(page)
      await page.getByRole('button', { name: say('routes.analysis.run'), exact: true }).click()
      await page.getByText(say('routes.analysis.evidence')).waitFor()
    },
  },
  {
    name: 'route-plan',
    path: 'routes/1/edit',
    arrive: async ({ page }) => {
      await page.locator('[name="destinations.0.address"]').fill('172.17.1.77')
      await page.locator('form [type=submit]').last().click()
      await page.locator('[data-review]').waitFor()
      await page.locator('section:has([data-review]) summary').first().click()
    },
  },
  {
    name: 'route-new-refused',
    path: 'routes/new',
    arrive: async ({ page }) => {
      await page.locator('form [type=submit]').last().click()
      await page.locator('[aria-invalid=true]').first().waitFor()
    },
  },
  {
    name: 'reconcile-unreadable',
    path: 'reconcile',
    alone: ({ host }) => void (host.kernel.rulesets.unreadable = 'Operation not permitted'),
  },
  { name: 'backup-preview', path: 'backup', alone: () => undefined, arrive: previewBackup },
  {
    name: 'backup-whole',
    path: 'backup',
    alone: () => undefined,
    arrive: async (at) => {
      await at.page.getByRole('switch', { name: at.say('backup.is_atomic') }).check()
      await previewBackup(at)
    },
  },
  {
    name: 'settings-changed',
    path: 'settings',
    arrive: ({ page }) => page.locator('[name="monitor.window_size"]').fill('90'),
  },
  { name: 'nothing-here', path: 'nowhere' },
]

export const SCENES: readonly Scene[] = [
  ...PAGES,
  ...STEPS,
  ...OVERVIEWS,
  ...RULE_PLANS,
  ...ACCOUNT,
  ...WEBHOOKS,
  ...DIALOGS,
]
