// What the panel says of each setting, so that a page can draw it (reference.md, Settings; decisions.md, section 8).
import assert from 'node:assert/strict'
import { SETTING_CATEGORIES, SETTING_TYPES } from '@panel/shared/api/settings.ts'
import type { Client } from './support/client.ts'
import { startPanel, type TestPanel } from './support/panel.ts'
import { BOUNDS, entryOf, getSchema, LISTED, set } from './support/settings.ts'

describe('The description of the settings', () => {
  let panel: TestPanel
  let client: Client
  beforeEach(async () => {
    panel = await startPanel()
    client = await panel.setUp()
  })
  afterEach(() => panel.close())

  describe('GET /settings/schema', () => {
    it('gives one entry per setting, with exactly the documented fields', async () => {
      const { settings } = (await getSchema(client)).body
      assert.deepEqual(Object.fromEntries(settings.map(({ key, value }) => [key, value])), LISTED)
      for (const entry of settings) {
        assert.deepEqual(Object.keys(entry).sort(), [
          'category',
          'constraints',
          'default',
          'description',
          'key',
          'restart_required',
          'type',
          'unit',
          'value',
        ])
        assert.deepEqual(Object.keys(entry.constraints).sort(), [
          'enum_values',
          'json_shape',
          'lookup_table',
          'max',
          'min',
          'nullable',
          'options',
          'pattern',
        ])
        assert.deepEqual(entry.default, LISTED[entry.key])
        assert.match(entry.description, /^[A-Z].*\.$/)
        assert.ok(SETTING_TYPES.includes(entry.type), entry.type)
        assert.equal(entry.restart_required, false)
      }
    })

    it('lists the twelve categories in the order in which they first appear', async () => {
      const { settings, categories } = (await getSchema(client)).body
      assert.deepEqual(categories, [
        'tunnel',
        'addressing',
        'keepalive',
        'monitor',
        'diagnostics',
        'metrics',
        'routes',
        'display',
        'security',
        'system',
        'webhooks',
        'backup',
      ])
      assert.deepEqual(categories, [...SETTING_CATEGORIES])
      assert.deepEqual(categories, [...new Set(settings.map(({ category }) => category))])
      for (const { key, category } of settings) assert.ok(key.startsWith(`${category}.`))
    })

    it('carries non-empty options for every lookup and non-empty values for every enum', async () => {
      const { settings } = (await getSchema(client)).body
      for (const { key, type, constraints, default: byDefault } of settings) {
        assert.equal(constraints.options.length > 0, type === 'lookup', key)
        assert.equal(constraints.enum_values.length > 0, type === 'enum', key)
        assert.equal(constraints.json_shape !== '', type === 'json', key)
        if (type === 'lookup')
          assert.ok(
            constraints.options.some(({ value }) => value === byDefault),
            key,
          )
        if (type === 'enum') assert.ok(constraints.enum_values.includes(String(byDefault)), key)
      }
      assert.deepEqual((await entryOf(client, 'tunnel.default_type')).constraints.options, [
        { value: 10, label: 'GRE' },
        { value: 20, label: 'GRETAP' },
        { value: 30, label: 'IP6GRE' },
        { value: 40, label: 'IP6GRETAP' },
      ])
    })

    it('gives every number its bounds, those of the list as listed', async () => {
      const { settings } = (await getSchema(client)).body
      for (const {
        key,
        type,
        constraints: { min, max },
      } of settings) {
        assert.equal(min !== null && max !== null && min < max, type === 'int' || type === 'float', key)
        if (BOUNDS[key]) assert.deepEqual([min, max], BOUNDS[key], key)
      }
    })

    it('names display.theme with the default system and the allowed value dark, and what may be null', async () => {
      const theme = await entryOf(client, 'display.theme')
      assert.deepEqual(
        [theme.type, theme.default, theme.constraints.enum_values],
        ['enum', 'system', ['system', 'light', 'dark']],
      )
      const { settings } = (await getSchema(client)).body
      assert.deepEqual(
        settings.filter(({ constraints }) => constraints.nullable).map(({ key }) => key),
        ['tunnel.default_key', 'addressing.default_pool_id', 'monitor.degraded_rtt_ms'],
      )
    })

    it('shows the value that holds now beside the default', async () => {
      await set(client, { 'display.theme': 'dark' })
      const { value, default: byDefault } = await entryOf(client, 'display.theme')
      assert.deepEqual([value, byDefault], ['dark', 'system'])
    })
  })
})
