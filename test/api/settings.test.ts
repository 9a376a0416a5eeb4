// Settings through HTTP: reading, changing and resetting them (reference.md, Settings; decisions.md, section 8).
import assert from 'node:assert/strict'
import { Settings } from '@panel/web-daemon/features/settings/settings.ts'
import type { Client } from './support/client.ts'
import { startPanel, type TestPanel } from './support/panel.ts'
import {
  getSchema,
  getSettings,
  LISTED,
  putSettings,
  refused,
  resetSettings,
  set,
  valueOf,
} from './support/settings.ts'

describe('Settings', () => {
  let panel: TestPanel
  let client: Client
  beforeEach(async () => {
    panel = await startPanel()
    client = await panel.setUp()
  })
  afterEach(() => panel.close())

  const refusedKeys = async (body: object): Promise<string[]> =>
    Object.keys(await refused(client, await putSettings(client, body)))

  describe('GET /settings', () => {
    it('gives every setting, each with its default while nobody has set it', async () => {
      const { status, body } = await getSettings(client)
      assert.equal(status, 200)
      assert.deepEqual(body, { settings: LISTED })
    })

    it('needs a session', async () => {
      assert.equal((await panel.visitor().get('/settings')).status, 401)
    })
  })

  describe('PUT /settings', () => {
    it('changes what it names, leaves the rest, and tells all settings and the keys that changed', async () => {
      const { status, body } = await putSettings(client, { 'display.theme': 'dark', 'monitor.interval_seconds': 2.5 })
      assert.equal(status, 200)
      assert.deepEqual(body, {
        settings: { ...LISTED, 'display.theme': 'dark', 'monitor.interval_seconds': 2.5 },
        changed: ['monitor.interval_seconds', 'display.theme'],
        restart_required: [],
        warnings: [],
      })
      assert.deepEqual((await getSettings(client)).body.settings, body.settings)
    })

    it('takes an equal value for no change: 200 and changed []', async () => {
      assert.deepEqual(
        (
          await set(client, {
            'display.theme': 'system',
            'tunnel.side_labels': { b: 'b', a: 'a' },
            'tunnel.default_mtu': 1500,
          })
        ).changed,
        ['tunnel.default_mtu'],
      )
      assert.deepEqual((await set(client, { 'tunnel.default_mtu': 1500 })).changed, [])
    })

    it('with an empty object is 400', async () => {
      const { status, error } = await putSettings(client, {})
      assert.deepEqual([status, error.code, error.field], [400, 'INVALID_REQUEST', ''])
    })

    it('with an unknown key is 422 keyed by it', async () => {
      assert.match(
        (await refused(client, await putSettings(client, { 'display.colour': 'red' })))['display.colour'] ?? '',
        /no setting display\.colour/,
      )
    })

    it('tells one message per key, of everything that is wrong at once, and changes nothing of the batch', async () => {
      const wrong = await refused(
        client,
        await putSettings(client, {
          'display.theme': 'dark',
          'system.reconcile_interval_seconds': 5,
          'no.such': 1,
          'tunnel.default_mtu': 100,
          'tunnel.side_labels': { a: 'a', b: '', c: 1 },
        }),
      )
      assert.deepEqual(Object.keys(wrong), [
        'tunnel.default_mtu',
        'tunnel.side_labels',
        'system.reconcile_interval_seconds',
        'no.such',
      ])
      assert.equal(wrong['system.reconcile_interval_seconds'], 'Must be a whole number from 10 to 86400.')
    })

    it('rejects 0.01 for monitor.interval_seconds', async () => {
      assert.deepEqual(await refused(client, await putSettings(client, { 'monitor.interval_seconds': 0.01 })), {
        'monitor.interval_seconds': 'Must be a number from 0.2 to 3600.',
      })
    })

    it('refuses a number as text, a float for an integer, and a number for text', async () => {
      for (const wrong of [
        { 'tunnel.default_mtu': '1400' },
        { 'tunnel.default_mtu': 1400.5 },
        { 'monitor.interval_seconds': '2' },
        { 'tunnel.default_tos': 16 },
        { 'metrics.hide_loopback': 1 },
        { 'metrics.hide_loopback': 'true' },
      ]) {
        assert.deepEqual(await refusedKeys(wrong), Object.keys(wrong))
      }
    })

    it('refuses null but where the schema says nullable', async () => {
      assert.deepEqual(
        await refusedKeys({ 'tunnel.default_mtu': null, 'display.theme': null, 'security.allowed_origins': null }),
        ['tunnel.default_mtu', 'display.theme', 'security.allowed_origins'],
      )
      assert.deepEqual((await set(client, { 'tunnel.default_key': 7, 'monitor.degraded_rtt_ms': 80 })).changed, [
        'tunnel.default_key',
        'monitor.degraded_rtt_ms',
      ])
      assert.deepEqual((await set(client, { 'tunnel.default_key': null })).changed, ['tunnel.default_key'])
    })

    it('takes both bounds of every number and nothing beyond them', async () => {
      const numbers = (await getSchema(client)).body.settings.filter(
        ({ type, key }) => (type === 'int' || type === 'float') && key !== 'addressing.default_pool_id',
      )
      const beyond = Object.fromEntries(numbers.map(({ key, constraints }) => [key, Number(constraints.max) + 1]))
      assert.deepEqual(await refusedKeys(beyond), Object.keys(beyond))
      const below = Object.fromEntries(numbers.map(({ key, constraints }) => [key, Number(constraints.min) - 0.1]))
      assert.deepEqual(await refusedKeys(below), Object.keys(below))
      const atMost = Object.fromEntries(
        numbers
          .filter(({ key }) => key !== 'security.token_ttl_minutes')
          .map(({ key, constraints }) => [key, constraints.max]),
      )
      await set(client, atMost)
      await set(client, Object.fromEntries(numbers.map(({ key, constraints }) => [key, constraints.min])))
    })

    it('takes every value of every enum and lookup', async () => {
      for (const { key, constraints } of (await getSchema(client)).body.settings) {
        for (const value of [...constraints.enum_values, ...constraints.options.map((option) => option.value)])
          await set(client, { [key]: value })
      }
    })

    it('is recorded as SettingUpdate with what each setting was and is; a refused one too', async () => {
      await set(client, { 'display.theme': 'dark' })
      await putSettings(client, { 'display.theme': 'pink' })
      const { entries } = (
        await client.get<{
          entries: {
            audit_action_id: number
            is_success: boolean
            operations: string[]
            request: object
            username: string
          }[]
        }>('/audit?action=SettingUpdate')
      ).body
      assert.deepEqual(
        entries.map(({ audit_action_id, is_success, operations, request, username }) => [
          audit_action_id,
          is_success,
          operations,
          request,
          username,
        ]),
        [
          [110, false, [], { 'display.theme': 'pink' }, 'operator'],
          [110, true, ['display.theme: "system" to "dark"'], { 'display.theme': 'dark' }, 'operator'],
        ],
      )
    })

    it('survives a restart of the panel', async () => {
      await set(client, { 'security.allowed_origins': ['https://panel.example.net'], 'tunnel.default_key': 9 })
      const again = await Settings.open(panel.db, panel.bus.publish)
      assert.deepEqual(
        [again.get('security.allowed_origins'), again.get('tunnel.default_key')],
        [['https://panel.example.net'], 9],
      )
    })

    it('tells the rest of the panel which keys changed, once they are stored', async () => {
      const received: (readonly string[])[] = []
      panel.bus.subscribe('settings.changed', ({ keys }) =>
        received.push([...keys, String(panel.settings.get('display.theme'))]),
      )
      await set(client, { 'display.theme': 'dark', 'display.digits': 'latin' })
      await set(client, { 'display.theme': 'dark' })
      await putSettings(client, { 'display.theme': 'light', 'no.such': 1 })
      assert.deepEqual(received, [['display.theme', 'dark']])
    })

    it('loses nothing of two changes at once', async () => {
      await Promise.all([
        set(client, { 'display.theme': 'dark' }),
        set(client, { 'display.digits': 'persian' }),
        set(client, { 'tunnel.default_mtu': 1400 }),
      ])
      const { settings } = (await getSettings(client)).body
      assert.deepEqual(
        [settings['display.theme'], settings['display.digits'], settings['tunnel.default_mtu']],
        ['dark', 'persian', 1400],
      )
    })
  })

  describe('POST /settings/reset', () => {
    beforeEach(() => set(client, { 'display.theme': 'dark', 'display.digits': 'persian', 'tunnel.default_mtu': 1400 }))

    it('puts the named settings back to their defaults and leaves the others', async () => {
      const { status, body } = await resetSettings(client, { keys: ['display.theme', 'display.calendar'] })
      assert.equal(status, 200)
      assert.deepEqual(body, {
        settings: { ...LISTED, 'display.digits': 'persian', 'tunnel.default_mtu': 1400 },
        changed: ['display.theme'],
        restart_required: [],
        warnings: [],
      })
      assert.equal(await valueOf(client, 'display.theme'), 'system')
    })

    it('puts all back where keys is absent or empty', async () => {
      assert.deepEqual((await resetSettings(client)).body, {
        settings: LISTED,
        changed: ['tunnel.default_mtu', 'display.theme', 'display.digits'],
        restart_required: [],
        warnings: [],
      })
      assert.deepEqual((await resetSettings(client, { keys: [] })).body.changed, [])
    })

    it('with unknown keys is 422 keyed by them, and resets nothing', async () => {
      const { status, error } = await resetSettings(client, { keys: ['display.theme', 'no.such', 'display.colour'] })
      assert.deepEqual(
        [status, error.code, error.field, Object.keys(error.details)],
        [422, 'VALIDATION_FAILED', 'no.such', ['no.such', 'display.colour', 'fields']],
      )
      assert.equal(await valueOf(client, 'display.theme'), 'dark')
    })

    it('refuses a default that is at odds with what stays', async () => {
      await set(client, { 'monitor.degraded_loss_pct': 5, 'monitor.down_loss_pct': 10 })
      const { status, error } = await resetSettings(client, { keys: ['monitor.degraded_loss_pct'] })
      assert.deepEqual([status, error.field], [422, 'monitor.degraded_loss_pct'])
    })

    it('follows the default from then on: nothing stays stored', async () => {
      await resetSettings(client)
      assert.deepEqual(await panel.db.selectFrom('setting').selectAll().execute(), [])
    })

    it('is recorded as SettingUpdate', async () => {
      await resetSettings(client, { keys: ['display.theme'] })
      const { entries } = (await client.get<{ entries: { operations: string[] }[] }>('/audit?action=110')).body
      assert.deepEqual(entries[0]?.operations, ['display.theme: "dark" to "system"'])
    })
  })

  it('reads what it cannot take any more, of another build, as not set', async () => {
    const updated_date = new Date().toISOString()
    await panel.db
      .insertInto('setting')
      .values([
        { key: 'display.theme', value: '"pink"', updated_date },
        { key: 'gone.key', value: '1', updated_date },
        { key: 'display.digits', value: '"persian"', updated_date },
      ])
      .execute()
    const again = await Settings.open(panel.db, panel.bus.publish)
    assert.deepEqual([again.get('display.theme'), again.get('display.digits')], ['system', 'persian'])
  })
})
