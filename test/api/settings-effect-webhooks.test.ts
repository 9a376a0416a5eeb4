// The settings of notifications take effect at once (decisions.md, section 8).
import assert from 'node:assert/strict'
import { effectsOf } from './support/effects.ts'
import { OPERATOR } from './support/panel.ts'
import { set } from './support/settings.ts'

effectsOf('webhooks', {
  'webhooks.allow_private': {
    does: 'lets notifications go into the networks of this host, and over plain HTTP',
    test: async (client) => {
      const add = async (): Promise<number> =>
        (await client.post('/webhooks', { title: 'a', kind: 'json', url: 'http://127.0.0.1/', events: ['disk'] }))
          .status
      assert.equal(await add(), 422)
      await set(client, { 'webhooks.allow_private': true })
      assert.equal(await add(), 201)
    },
  },
  'webhooks.sign_in_failures': {
    does: 'is how many failed sign-ins are reported',
    test: async (client, panel) => {
      panel.notifications.start(async () => [])
      await client.post('/webhooks', {
        title: 'a',
        kind: 'json',
        url: 'https://hooks.example/',
        events: ['sign_in_failed'],
      })
      const stored = async (): Promise<number> => {
        await panel.visitor().post('/auth/login', { ...OPERATOR, password: 'a wrong one' })
        return (await client.get<{ total: number }>('/webhooks/1/deliveries')).body.total
      }
      assert.equal(await stored(), 0)
      await set(client, { 'webhooks.sign_in_failures': 2 })
      assert.equal(await stored(), 1)
    },
  },
})
