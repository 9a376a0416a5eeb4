// Every dialog of the page, open; those of tunnels are in tunnel-dialogs.ts.
import type { Page } from 'playwright-core'
import { answer, choose, foretold, press, previewBackup } from './acts.ts'
import { MENUS } from './menus.ts'
import type { At, Scene } from './scene.ts'
import { TUNNEL_DIALOGS } from './tunnel-dialogs.ts'
import { look } from './world.ts'

/** Shown with whatever it is open over. */
const PANEL_DIALOGS: readonly Omit<Scene, 'isWindow'>[] = [
  { name: 'dialog-palette', path: '', shows: 'core.palette.title', arrive: ({ page }) => typeInPalette(page, 'g') },
  { name: 'dialog-help', path: '', shows: 'core.help.title', arrive: ({ page }) => page.keyboard.press('?') },
  {
    name: 'dialog-navigation',
    path: '',
    shows: 'core.nav.title',
    devices: ['phone'],
    arrive: ({ page, say }) => press(page, say('core.nav.more')),
  },
  {
    name: 'dialog-route-delete',
    path: 'routes/1',
    shows: 'routes.delete.title',
    arrive: async ({ page }) => {
      await choose(page, 'main', '.danger')
      await foretold(page)
    },
  },
  {
    name: 'dialog-last-rule-deleted',
    path: 'routes/1',
    shows: 'routes.revert.title',
    arrive: async ({ page }) => {
      await page.route('**/routes/1', (route) =>
        route.request().method() === 'DELETE' ? answer(route, { forwarding_can_be_reverted: true }) : route.continue(),
      )
      await choose(page, 'main', '.danger')
      await page.locator('dialog footer .danger, dialog footer button').last().click()
    },
  },
  {
    name: 'dialog-apply-all',
    path: 'routes',
    shows: 'routes.apply_all.title',
    arrive: async ({ page, say }) => {
      await press(page, say('routes.list.more'))
      await page
        .locator('[popover]:popover-open .item')
        .filter({ hasText: say('routes.apply_all.menu') })
        .click()
    },
  },
  {
    name: 'dialog-reapply-rules',
    path: 'system',
    shows: 'remedy.reapply_rules_ask',
    alone: async ({ host }) => {
      host.kernel.rulesets.flush()
      await look(host)
    },
    arrive: ({ page, say }) => press(page, say('remedy.reapply_rules')),
  },
  {
    name: 'dialog-pool-delete',
    path: 'pools',
    shows: 'pools.delete.title',
    arrive: ({ page, say }) =>
      page
        .getByRole('button', { name: say('core.action.delete') })
        .first()
        .click(),
  },
  {
    name: 'dialog-network-delete',
    path: 'networks',
    shows: 'networks.delete.title',
    arrive: async ({ page, say }) => {
      await page
        .getByRole('button', { name: say('core.action.delete') })
        .first()
        .click()
      await foretold(page)
    },
  },
  ...(
    [
      ['adopt', 'gre-old-7'],
      ['forget', 'long-name-gre-6'],
      ['delete', 'Frankfurt · gre-a-2'],
    ] as const
  ).map(([action, name]) => ({
    name: `dialog-${action}`,
    path: 'reconcile',
    shows: `reconcile.${action}.title`,
    arrive: async ({ page, say }: At) => {
      await page.getByRole('button', { name: `${say(`reconcile.action.${action}`)}: ${name}` }).click()
      await foretold(page)
    },
  })),
  {
    name: 'dialog-revision',
    path: 'revisions',
    shows: 'Revision',
    arrive: async ({ page }) => {
      await page.locator('main button.open').first().click()
      await page.locator('dialog table').first().waitFor()
    },
  },
  {
    name: 'dialog-audit-entry',
    path: 'audit',
    shows: 'Entry',
    arrive: async ({ page }) => {
      await page.locator('main button.open').first().click()
      await page.locator('dialog dl').waitFor()
    },
  },
  {
    name: 'dialog-settings-reset',
    path: 'settings',
    shows: 'settings.reset_all',
    arrive: ({ page, say }) => press(page, say('settings.reset_all')),
  },
  {
    name: 'dialog-forwarding',
    path: 'forwarding',
    shows: 'forwarding.revert.title',
    arrive: ({ page, say }) => press(page, say('forwarding.revert.action')),
  },
  {
    name: 'dialog-backup-import',
    path: 'backup',
    shows: 'Import',
    alone: () => undefined,
    arrive: async (at) => {
      await previewBackup(at)
      await at.page.locator('main section section button').last().click()
    },
  },
  {
    name: 'dialog-sign-in-again',
    path: 'audit',
    shows: 'entrance.sign_in.again',
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

export const DIALOGS: readonly Scene[] = [...MENUS, ...PANEL_DIALOGS, ...TUNNEL_DIALOGS].map((scene) => ({
  ...scene,
  isWindow: true as const,
}))
