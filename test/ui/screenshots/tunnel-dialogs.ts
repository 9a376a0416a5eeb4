// Every dialog about a tunnel or about several, open.
import { message } from '@panel/shared/messages/message.ts'
import { analyze, answer, choose, foretold, press, refuse, select } from './acts.ts'
import { scrollToEnd } from '../support/host.ts'
import type { At, Scene } from './scene.ts'

const REFUSED = {
  code: 'WOULD_CUT_OWN_ACCESS',
  message: 'This may cut your own connection.',
  details: { client_ip: '172.17.1.2', interface_name: 'gre-a-1', flag: 'i_understand_i_may_lose_access' },
}
/** A refusal with the offer to wait for a confirmation. */
const REFUSED_WITH_WAY_BACK = {
  ...REFUSED,
  details: { ...REFUSED.details, safe_apply: { confirm_within_seconds: 60 } },
}
const FAILED = {
  code: 'APPLY_FAILED',
  ...message('panel.change_restored', {
    what: message('object.tunnel', { name: 'gre-a-1' }),
    why: 'set link gre-a-1 up: Operation not permitted (EPERM)',
  }),
}

/** The request that would cut the operator's connection is refused. */
const holdAccess = async ({ page, say }: At, refusal = REFUSED): Promise<void> => {
  await page.route('**/tunnels/1/down', (route) => refuse(route, 409, refusal))
  await press(page, say('tunnel.do.down'))
  await page.locator('dialog .danger, dialog button').last().click()
  await page.getByText(say('own_access.title')).waitFor()
}
/** Accepted, it is under way. A request that a route leaves unanswered would still be sent as the page closes. */
const cutAccess = async (at: At): Promise<void> => {
  await holdAccess(at)
  await at.page.evaluate(() => (window.fetch = () => new Promise(() => undefined)))
  await accept(at)
}
const rollBack = async (at: At): Promise<void> => {
  await holdAccess(at)
  await at.page.route('**/tunnels/1/down', async (route) => {
    await at.page.waitForTimeout(800)
    await refuse(route, 500, FAILED)
  })
  await accept(at)
  await at.page.locator('dialog footer button, dialog .row.end button').last().waitFor()
}
const accept = async ({ page, say }: At): Promise<void> => {
  await press(page, say('own_access.action'))
  await page.getByRole('heading', { name: say('own_access.curtain_title', { name: 'gre-a-1' }) }).waitFor()
}

const askOfMany = async (at: At, action: string): Promise<void> => {
  await select(at, ['Hamburg relay · gre-a-1', 'Frankfurt · gre-a-2', 'long-name-gre-6'])
  await press(at.page, at.say(`list.do.${action}`))
}
/** Acts on many tunnels, one of which is refused. */
const doToMany = async (at: At): Promise<void> => {
  await at.page.route('**/tunnels/*/reapply', (route) =>
    route.request().url().includes('/2/') ? refuse(route, 500, FAILED) : answer(route, {}),
  )
  await askOfMany(at, 'reapply')
  await at.page.locator('dialog footer button').last().click()
  await at.page.locator('dialog details, dialog summary').first().waitFor()
}

export const TUNNEL_DIALOGS: readonly Omit<Scene, 'isWindow'>[] = [
  {
    name: 'dialog-leave',
    path: 'tunnels/1/edit',
    shows: 'core.form.leave_title',
    arrive: async ({ page }) => {
      await page.locator('form [name=display_name]').fill('Hamburg, new')
      await page.locator('nav a:visible').first().click()
    },
  },
  {
    name: 'dialog-tunnel-recreate',
    path: 'tunnels/1/edit',
    shows: 'own_access.recreate_title',
    arrive: async ({ page }) => {
      await page.locator('form [name=interface_name]').fill('gre-a-9')
      await page.locator('form [type=submit]').last().click()
    },
  },
  {
    name: 'dialog-tunnel-delete',
    path: 'tunnels/1',
    shows: 'tunnel.ask.delete',
    arrive: async ({ page }) => {
      await choose(page, 'main', '.danger')
      await foretold(page)
    },
  },
  {
    name: 'dialog-tunnel-restart',
    path: 'tunnels/1',
    shows: 'tunnel.ask.restart',
    arrive: async ({ page }) => {
      await choose(page, 'main', '.item')
      await foretold(page)
    },
  },
  {
    name: 'dialog-tunnel-down',
    path: 'tunnels/1',
    shows: 'tunnel.ask.down',
    arrive: async ({ page, say }) => {
      await press(page, say('tunnel.do.down'))
      await foretold(page)
    },
  },
  {
    name: 'dialog-last-address',
    path: 'tunnels/1',
    shows: 'tunnel.address.last',
    arrive: async ({ page, say }) => {
      await scrollToEnd(page)
      await press(page, say('tunnel.address.remove', { address: '172.17.1.1' }))
      await foretold(page)
    },
  },
  { name: 'dialog-own-access', path: 'tunnels/1', shows: 'own_access.title', arrive: (at) => holdAccess(at) },
  {
    name: 'dialog-own-access-way-back',
    path: 'tunnels/1',
    shows: 'own_access.title',
    arrive: (at) => holdAccess(at, REFUSED_WITH_WAY_BACK),
  },
  { name: 'dialog-connection-held', path: 'tunnels/1', shows: 'ConnectionOverlay', arrive: cutAccess },
  {
    name: 'dialog-connection-rolled-back',
    path: 'tunnels/1',
    shows: 'ConnectionOverlay',
    arrive: rollBack,
  },
  {
    name: 'dialog-run',
    path: 'tunnels/1/diagnostics',
    shows: 'RunDialog',
    arrive: async (at) => {
      await analyze(at)
      await at.page.reload()
      await at.page.locator('button.open').first().click()
    },
  },
  {
    name: 'dialog-run-mtu',
    path: 'tunnels/1/diagnostics',
    shows: 'RunDialog',
    arrive: async ({ page, say }) => {
      await press(page, say('diagnostics.mtu.start'))
      await page.locator('main details').first().waitFor()
      await page.locator('button.open').first().click()
    },
  },
  {
    name: 'dialog-run-delete',
    path: 'tunnels/1/diagnostics',
    shows: 'diagnostics.run.remove',
    arrive: async (at) => {
      await analyze(at)
      await at.page.reload()
      await at.page.locator('li:has(button.open) button').nth(1).click()
    },
  },
  { name: 'dialog-bulk', path: 'tunnels', shows: 'BulkDialog', arrive: (at) => askOfMany(at, 'disable') },
  { name: 'dialog-bulk-results', path: 'tunnels', shows: 'BulkDialog', arrive: doToMany },
]
