// Every dialog and menu of the page, open.
import type { Page, Route } from 'playwright-core'
import type { At, Scene } from './scene.ts'

const press = (page: Page, name: string): Promise<void> =>
  page.getByRole('button', { name, exact: true }).first().click()
/** An item of the menu that the first button of `within` opens. */
const choose = async (page: Page, within: string, item: string): Promise<void> => {
  await page.locator(`${within} button[popovertarget]`).first().click()
  await page.locator(`[popover]:popover-open ${item}`).first().click()
}
const REFUSED = {
  code: 'WOULD_CUT_OWN_ACCESS',
  message: 'This may cut your own connection.',
  details: { client_ip: '172.17.1.2', interface_name: 'gre-a-1' },
}

/** The request that would cut the operator's connection: refused, and once that is accepted never answered. */
const holdAccess = async ({ page, say }: At): Promise<void> => {
  await page.route('**/tunnels/1/down', (route: Route) =>
    route.request().postData()?.includes('i_understand') === true
      ? undefined
      : route.fulfill({ status: 409, contentType: 'application/json', body: JSON.stringify({ error: REFUSED }) }),
  )
  await press(page, say('tunnel.do.down'))
  await page.locator('dialog .danger, dialog button').last().click()
  await page.getByText(say('core.own_access.title')).waitFor()
}

/** Shown with whatever it is open over. */
const DIALOG_SCENES: readonly Omit<Scene, 'isWindow'>[] = [
  { name: 'dialog-palette', path: '', arrive: ({ page }) => typeInPalette(page, 'g') },
  { name: 'dialog-help', path: '', arrive: ({ page }) => page.keyboard.press('?') },
  {
    name: 'dialog-navigation',
    path: '',
    devices: ['phone'],
    arrive: ({ page, say }) => press(page, say('core.nav.more')),
  },
  {
    name: 'menu-language',
    path: '',
    devices: ['desktop'],
    arrive: ({ page, say }) => press(page, say('core.preferences.language')),
  },
  {
    name: 'menu-messages',
    path: 'tunnels/4',
    arrive: async ({ page, say }) => {
      await page.route('**/tunnels/4/up', (route) => route.abort())
      await press(page, say('tunnel.do.up'))
      await page.locator('[role=alert], [role=status]').last().waitFor()
      await page
        .getByRole('button', { name: say('core.bell.title') })
        .first()
        .click()
    },
  },
  {
    name: 'dialog-leave',
    path: 'tunnels/1/edit',
    arrive: async ({ page }) => {
      await page.locator('form [name=display_name]').fill('Hamburg, new')
      await page.locator('nav a:visible').first().click()
    },
  },
  {
    name: 'menu-tunnel',
    path: 'tunnels/1',
    arrive: ({ page }) => page.locator('main button[popovertarget]').first().click(),
  },
  { name: 'dialog-tunnel-delete', path: 'tunnels/1', arrive: ({ page }) => choose(page, 'main', '.danger') },
  { name: 'dialog-tunnel-restart', path: 'tunnels/1', arrive: ({ page }) => choose(page, 'main', '.item') },
  { name: 'dialog-tunnel-down', path: 'tunnels/1', arrive: ({ page, say }) => press(page, say('tunnel.do.down')) },
  { name: 'dialog-own-access', path: 'tunnels/1', arrive: holdAccess },
  {
    name: 'dialog-connection-held',
    path: 'tunnels/1',
    arrive: async (at) => {
      await holdAccess(at)
      await press(at.page, at.say('core.own_access.action'))
      await at.page.getByText('gre-a-1').last().waitFor()
      await at.page.waitForTimeout(500)
    },
  },
  {
    name: 'dialog-run',
    path: 'tunnels/1/diagnostics',
    arrive: async ({ page, say }) => {
      await press(page, say('diagnostics.analyze.start'))
      await page.locator('.summary').waitFor()
      await page.reload()
      await page.locator('button.open').first().click()
    },
  },
  {
    name: 'menu-rule',
    path: 'routes',
    arrive: ({ page }) =>
      page
        .locator('main td button[popovertarget], main li button[popovertarget], main [role=row] button[popovertarget]')
        .first()
        .click(),
  },
  { name: 'dialog-route-delete', path: 'routes/1', arrive: ({ page }) => choose(page, 'main', '.danger') },
  {
    name: 'dialog-apply-all',
    path: 'routes',
    arrive: async ({ page, say }) => {
      await press(page, say('routes.list.more'))
      await page
        .locator('[popover]:popover-open .item')
        .filter({ hasText: say('routes.apply_all.menu') })
        .click()
    },
  },
  {
    name: 'dialog-pool-delete',
    path: 'pools',
    arrive: ({ page, say }) =>
      page
        .getByRole('button', { name: say('core.action.delete') })
        .first()
        .click(),
  },
  ...(['adopt', 'forget', 'delete'] as const).map((action) => ({
    name: `dialog-${action}`,
    path: 'reconcile',
    arrive: ({ page, say }: At) =>
      page
        .getByRole('button', {
          name: `${say(`reconcile.action.${action}`)}: ${action === 'adopt' ? 'gre-old-7' : 'gre-a-2'}`,
        })
        .click(),
  })),
  {
    name: 'dialog-audit-entry',
    path: 'audit',
    arrive: async ({ page }) => {
      await page.locator('main button.open').first().click()
      await page.locator('dialog dl').waitFor()
    },
  },
  {
    name: 'dialog-settings-reset',
    path: 'settings',
    arrive: ({ page, say }) => press(page, say('settings.reset_all')),
  },
  {
    name: 'dialog-forwarding',
    path: 'forwarding',
    arrive: ({ page, say }) => press(page, say('forwarding.revert.action')),
  },
  {
    name: 'backup-preview',
    path: 'backup',
    alone: () => undefined,
    arrive: async (at) => previewBackup(at),
  },
  {
    name: 'dialog-backup-import',
    path: 'backup',
    alone: () => undefined,
    arrive: async (at) => {
      await previewBackup(at)
      await at.page.locator('main section section button').last().click()
    },
  },
  {
    name: 'dialog-sign-in-again',
    path: 'audit',
    arrive: async ({ page, say }) => {
      await page.context().clearCookies()
      await press(page, say('core.action.refresh'))
    },
  },
]

async function typeInPalette(page: Page, text: string): Promise<void> {
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox').fill(text)
  await page.waitForTimeout(600)
}

/** A backup of now, in which a rule has another name. */
async function previewBackup({ page, say }: At): Promise<void> {
  const document = await page.evaluate(async () => {
    const { api_base_path } = (window as unknown as { __PANEL__: { api_base_path: string } }).__PANEL__
    return (await fetch(`${api_base_path}/backup/export`)).text()
  })
  await page.locator('[name=document]').fill(document.replaceAll('gre-a-1', 'gre-a-9'))
  await press(page, say('backup.look'))
  await page.getByRole('table', { name: say('backup.preview') }).waitFor()
}

export const DIALOGS: readonly Scene[] = DIALOG_SCENES.map((scene) => ({ ...scene, isWindow: true as const }))
