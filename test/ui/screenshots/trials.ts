// A trial as the page shows it: before its first change, counting down, without an answer, stuck, and put back.
import type { SafeApplyAnswer } from '@panel/shared/api/safe-apply.ts'
import { fromRoot, message, messageFields } from '@panel/shared/messages/message.ts'
import type { Client } from '../../api/support/client.ts'
import { answer } from './acts.ts'
import type { Scene } from './scene.ts'

const changeInWindow = async (client: Client): Promise<void> => {
  await client.post('/safe-apply', { seconds: 3600 })
  await client.patch('/tunnels/1', { mtu: 1400 })
  await client.delete('/routes/7')
  await client.put('/settings', { 'tunnel.default_mtu': 1400 })
}

const WHY = fromRoot(
  'It was not confirmed. Undoing it failed too: set link gre-a-1 up: Operation not permitted (EPERM)',
)
const REMEDIES = [
  message('root.look', { commands: 'ip -d link show dev gre-a-1; ip address show dev gre-a-1' }),
  message('root.remove_rest'),
]
const STUCK = {
  state: 'stuck',
  ...messageFields('detail', WHY),
  remediation: REMEDIES.map((one) => one.message),
  remediation_messages: REMEDIES,
} as const

export const TRIALS: readonly Scene[] = [
  {
    name: 'trial',
    path: 'routes/1/edit',
    alone: ({ client }) => client.post('/safe-apply', { starts: 'first_change' }),
    arrive: async ({ page, say }) => {
      await page.getByText(say('safe_apply.end_empty')).waitFor()
      await page.getByRole('button', { name: say('routes.edit.review') }).click()
      await page.locator('[data-review]').waitFor()
    },
  },
  { name: 'safe-apply', path: 'tunnels/1', alone: ({ client }) => changeInWindow(client) },
  {
    name: 'safe-apply-silent',
    path: 'tunnels/1',
    alone: ({ client }) => changeInWindow(client),
    arrive: async ({ page, say }) => {
      await page.locator('main section progress').waitFor()
      await page.route('**/safe-apply', (route) => route.abort())
      await page.getByRole('button', { name: say('safe_apply.keep') }).waitFor({ state: 'detached' })
    },
  },
  {
    name: 'safe-apply-stuck',
    path: 'tunnels/1',
    alone: ({ client }) => changeInWindow(client),
    arrive: async ({ page, say }) => {
      await page.route('**/safe-apply', async (route) => {
        const { window, ...rest } = (await (await route.fetch()).json()) as SafeApplyAnswer
        await answer(route, { ...rest, window: { ...window, ...STUCK } })
      })
      await page.reload()
      await page.getByText(say('safe_apply.stuck')).waitFor()
    },
  },
  {
    name: 'safe-apply-put-back',
    path: 'routes',
    alone: async ({ client }) => {
      await changeInWindow(client)
      const { window } = (await client.get<SafeApplyAnswer>('/safe-apply')).body
      await client.post('/safe-apply/cancel', { window_id: window?.window_id })
    },
  },
]
