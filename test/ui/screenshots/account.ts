// The account halfway through what is done there: a second factor being set up and required, and a token being made.
import { message } from '@panel/shared/messages/message.ts'
import { codeOf, turnOnFactor } from '../../api/support/factor.ts'
import { OPERATOR } from '../../api/support/panel.ts'
import { scrollToEnd } from '../support/host.ts'
import { press, refuse } from './acts.ts'
import type { At, Scene } from './scene.ts'
import type { FullWorld } from './world.ts'

const STALE = { code: 'FRESH_PASSWORD_REQUIRED', ...message('panel.fresh_password') }

/** The server of the picture that has one of its own. */
let world: FullWorld | undefined

const beginFactor = async ({ page, say }: At): Promise<void> => {
  await scrollToEnd(page)
  const card = page.locator('section', { has: page.getByRole('heading', { name: say('account.factor.title') }) })
  await card.locator('[name=current_password]').fill(OPERATOR.password)
  await press(page, say('account.factor.begin'))
  await page.getByRole('img', { name: say('account.factor.qr') }).waitFor()
}

const confirmFactor = async (at: At): Promise<void> => {
  await beginFactor(at)
  if (!world) throw new Error('the picture of the recovery codes has no server')
  const secret = (await at.page.locator('main dd .key').innerText()).replaceAll(/[^A-Z2-7]/g, '')
  await at.page.locator('[name=code]').fill(codeOf(world.host, secret, -1))
  await press(at.page, at.say('account.factor.confirm'))
  await at.page.locator('pre').waitFor()
}

const openTokenForm = async ({ page, say }: At): Promise<void> => {
  await scrollToEnd(page)
  await page.getByText(say('account.tokens.new'), { exact: true }).click()
}

const newToken = async (at: At): Promise<void> => {
  await openTokenForm(at)
  const { page, say } = at
  await page.locator('[name=title]').fill('Prometheus')
  await page.getByLabel(say('account.scope.metrics'), { exact: true }).check()
}

export const ACCOUNT: readonly Scene[] = [
  { name: 'account-factor', path: 'account', alone: () => undefined, arrive: beginFactor },
  {
    name: 'account-recovery-codes',
    shows: 'account.factor.recovery',
    path: 'account',
    alone: (its) => void (world = its),
    arrive: confirmFactor,
  },
  {
    name: 'sign-in-code',
    alone: ({ host, client }) => turnOnFactor(host, client),
    arrive: async ({ page }) => {
      await page.locator('input[name=username]').fill(OPERATOR.username)
      await page.locator('input[name=password]').fill(OPERATOR.password)
      await page.keyboard.press('Enter')
      await page.locator('input[name=code]').waitFor()
    },
  },
  {
    name: 'account-password-again',
    shows: 'account.again.title',
    path: 'account',
    arrive: async (at) => {
      await newToken(at)
      await at.page.route('**/auth/tokens', (route) =>
        route.request().method() === 'POST' ? refuse(route, 403, STALE) : route.continue(),
      )
      await press(at.page, at.say('account.tokens.create'))
      await at.page.getByRole('dialog', { name: at.say('account.again.title') }).waitFor()
    },
  },
  { name: 'account-token-form', path: 'account', arrive: newToken },
  {
    name: 'account-token-refused',
    path: 'account',
    arrive: async (at) => {
      await openTokenForm(at)
      await at.page.locator('[name=allowed_networks]').fill('nonsense')
      await press(at.page, at.say('account.tokens.create'))
      await at.page.locator('[aria-invalid=true]').first().waitFor()
    },
  },
  {
    name: 'account-token-made',
    path: 'account',
    alone: () => undefined,
    arrive: async (at) => {
      await newToken(at)
      await press(at.page, at.say('account.tokens.create'))
      await at.page.getByText(/^tp_/).first().waitFor()
    },
  },
]
