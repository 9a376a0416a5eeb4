// Every menu of the page, open.
import { press } from './acts.ts'
import type { At, Scene } from './scene.ts'

const ROW = 'main td button[popovertarget], main li button[popovertarget], main [role=row] button[popovertarget]'
const ofFirstRow = ({ page }: At): Promise<void> => page.locator(ROW).first().click()
const opened =
  (label: string) =>
  ({ page, say }: At): Promise<void> =>
    press(page, say(label))

/** Groups the list by tunnel. */
export const group = async ({ page, say }: At): Promise<void> => {
  await press(page, say('list.views'))
  await page
    .locator('[popover]:popover-open')
    .getByRole('button', { name: say('views.by.tunnel'), exact: true })
    .click()
  await page.locator('tr.group').first().waitFor()
  await page.keyboard.press('Escape')
}

export const MENUS: readonly Omit<Scene, 'isWindow'>[] = [
  {
    name: 'menu-language',
    path: '',
    shows: 'core.preferences.language',
    devices: ['desktop'],
    arrive: opened('core.preferences.language'),
  },
  {
    name: 'menu-theme',
    path: '',
    shows: 'core.preferences.theme',
    devices: ['desktop'],
    arrive: opened('core.preferences.theme'),
  },
  { name: 'menu-account', path: '', shows: 'core.account.title', arrive: opened('core.account.title') },
  {
    name: 'menu-health',
    path: '',
    shows: 'core.health.title',
    arrive: ({ page }) => page.locator('.health button').click(),
  },
  {
    name: 'menu-messages',
    path: 'tunnels/4',
    shows: 'core.bell.title',
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
    name: 'menu-views',
    path: 'routes',
    shows: 'list.views',
    arrive: async (at) => {
      await group(at)
      await opened('list.views')(at)
      await at.page.locator('[popover] form').waitFor()
    },
  },
  { name: 'menu-columns', path: 'tunnels', shows: 'list.columns', arrive: opened('list.columns') },
  {
    name: 'menu-tunnel',
    path: 'tunnels/1',
    shows: 'tunnel.do.more',
    arrive: ({ page }) => page.locator('main button[popovertarget]').first().click(),
  },
  { name: 'menu-tunnel-row', path: 'tunnels', shows: 'tunnels.actions', arrive: ofFirstRow },
  { name: 'menu-rule', path: 'routes', shows: 'routes.actions', arrive: ofFirstRow },
  { name: 'menu-rules', path: 'routes', shows: 'routes.list.more', arrive: opened('routes.list.more') },
]
