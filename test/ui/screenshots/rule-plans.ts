// Plans of rules: of one that has nothing but what it needs, and of a change in its row of the list.
import { fakeRoute } from '../../support/fake-routes.ts'
import type { At, Scene } from './scene.ts'

const review = async ({ page }: At): Promise<void> => {
  await page.locator('[name=bind_port]').fill('8080')
  await page.locator('[name="destinations.0.address"]').fill('10.9.0.2')
  await page.locator('[name="destinations.0.port"]').fill('80')
  await page.locator('form [type=submit]').last().click()
  await page.locator('[data-review]').waitFor()
}

const editPort = async ({ page }: At): Promise<void> => {
  await page.locator('tbody .line .cell:nth-child(4)').first().dblclick()
  await page.locator('[name=bind_port]').fill('8443')
  await page.keyboard.press('Enter')
  await page.locator('[data-review]').waitFor()
}

export const RULE_PLANS: readonly Scene[] = [
  { name: 'route-new-plan', path: 'routes/new', arrive: review },
  { name: 'routes-in-place', path: 'routes', arrive: editPort, isWindow: true },
  {
    name: 'route-new-no-route',
    path: 'routes/new',
    alone: ({ host }) => {
      host.kernel.hostRoutes = [fakeRoute('192.0.2.0/24', 'eth0')]
    },
    arrive: review,
  },
]
