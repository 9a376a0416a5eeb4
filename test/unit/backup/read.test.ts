// A backup that was edited, or made to do harm: every fault is reported by its place, and nothing else happens
// (reference.md, Versioning 4; decisions.md, B6, W5, W6).
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { Problems } from '@panel/web-daemon/platform/http/problems.ts'
import { fieldPath, readBackup, type Backup, type Item } from '@panel/web-daemon/features/backup/read.ts'
import { tunnelRequest } from '../../support/records.ts'

const ALL = { settings: true, networks: true, routes: true }
const TUNNEL = tunnelRequest()
const RULE = { bind_port: 443, destination_address: '10.9.0.2' }

interface Reported {
  readonly field: string
  readonly message: string
}

/** Reads a backup, and lists the faults of the whole, then of each item. */
function read(text: string): { backup: Backup; problems: Problems; reported: Reported[]; fields: string[] } {
  const problems = new Problems()
  const backup = readBackup(JSON.parse(text) as Record<string, unknown>, ALL, problems)
  const reported = [...problems.all, ...itemsOf(backup).flatMap(faultsOf)]
  return { backup, problems, reported, fields: reported.map(({ field }) => field) }
}

const itemsOf = ({ settings, pools, tunnels, routes }: Backup): Item<unknown>[] =>
  [settings, pools, tunnels, routes ?? []].flat()

function faultsOf(one: Item<unknown>): Reported[] {
  if (!one.fault) return []
  const { field, message, details } = one.fault
  const fields = (details['fields'] as Reported[] | undefined) ?? [{ field, message }]
  return fields.map((fault) => ({ ...fault, field: fieldPath(one.path, fault.field) }))
}

const fieldsOf = (members: object): string[] => read(JSON.stringify({ version: 1, ...members })).fields

describe('A backup that is read', () => {
  it('is of version 1: any other, or none, is refused, with no other problem', () => {
    for (const version of [undefined, 0, 2, 1.5, '1', null, [1], {}, true]) {
      const { fields, problems } = read(JSON.stringify({ version, tunnels: 5, nonsense: true }))
      assert.deepEqual(fields, ['backup.version'], JSON.stringify(version))
      assert.match(problems.all[0]?.message ?? '', /version 1/)
    }
  })

  it('may lack any list: that is an empty one; but relay rules that are missing differ from none', () => {
    const { backup, problems } = read('{"version":1}')
    assert.deepEqual(
      [backup, problems.isEmpty],
      [{ settings: [], pools: [], networks: [], tunnels: [], routes: null }, true],
    )
    assert.deepEqual(read('{"version":1,"routes":[]}').backup.routes, [])
  })

  it('has each fault of an item reported by its place, at that item alone', () => {
    const { backup, problems } = read(JSON.stringify({ version: 1, tunnels: [{ ...TUNNEL, mtu: 'x' }, TUNNEL, 5] }))
    assert.ok(problems.isEmpty)
    assert.deepEqual(
      backup.tunnels.map(({ fault }) => fault?.field ?? 'right'),
      ['mtu', 'right', ''],
    )
    assert.deepEqual(fieldsOf({ tunnels: [TUNNEL, TUNNEL, TUNNEL, { ...TUNNEL, mtu: 'x' }] }), [
      'backup.tunnels[3].mtu',
    ])
    assert.deepEqual(
      fieldsOf({
        tunnels: [
          {
            ...TUNNEL,
            addresses: [
              { address: '10.0.0.1', prefix_length: 30 },
              { address: 5, prefix_length: 30 },
            ],
          },
        ],
      }),
      ['backup.tunnels[0].addresses[1].address'],
    )
    assert.deepEqual(fieldsOf({ tunnels: [{ local_endpoint: '192.0.2.1' }] }), ['backup.tunnels[0].remote_endpoint'])
    assert.deepEqual(
      fieldsOf({ tunnels: [{ ...TUNNEL, nonsense: 1 }], pools: [{ address_pool_title: 'a', cidr: 5 }] }),
      ['backup.pools[0].cidr', 'backup.tunnels[0].nonsense'],
    )
    assert.deepEqual(fieldsOf({ routes: [RULE, { ...RULE, bind_port: 70_000 }] }), ['backup.routes[1].bind_port'])
    assert.deepEqual(fieldsOf({ accounts: [], user_account: {} }), ['backup.accounts', 'backup.user_account'])
  })

  it('has lists where lists belong, and objects in them', () => {
    for (const wrong of [5, 'x', null, true, {}])
      assert.deepEqual(
        fieldsOf({ tunnels: wrong, pools: wrong, routes: wrong }),
        ['backup.pools', 'backup.tunnels', 'backup.routes'],
        JSON.stringify(wrong),
      )
    for (const wrong of [5, 'x', null, true, []])
      assert.deepEqual(fieldsOf({ tunnels: [TUNNEL, wrong] }), ['backup.tunnels[1]'])
  })

  it('has settings as a list or as an object; unknown, twice or with a wrong value they are refused', () => {
    assert.deepEqual(fieldsOf({ settings: [{ key: 'display.theme', value: 'dark' }] }), [])
    assert.deepEqual(fieldsOf({ settings: { 'display.theme': 'dark' } }), [])
    assert.deepEqual(
      fieldsOf({
        settings: [
          { key: 'display.theme', value: 'pink' },
          { key: 'no.such', value: 1 },
          { key: 'display.theme', value: 'dark' },
          { key: 5, value: 1 },
          { value: 1 },
          5,
        ],
      }).sort(),
      [
        'backup.settings[0].value',
        'backup.settings[1].key',
        'backup.settings[2].value',
        'backup.settings[3].key',
        'backup.settings[4].key',
        'backup.settings[5]',
      ],
    )
    assert.deepEqual(
      fieldsOf({ settings: { 'no.such': 1, 'monitor.interval_seconds': '1', 'tunnel.side_labels': { a: 5 } } }),
      ['backup.settings.no.such', 'backup.settings.monitor.interval_seconds', 'backup.settings.tunnel.side_labels'],
    )
    for (const wrong of [5, 'x', true]) assert.deepEqual(fieldsOf({ settings: wrong }), ['backup.settings'])
  })

  it('is not looked at in what is not wanted', () => {
    const problems = new Problems()
    readBackup(
      { version: 1, settings: { nonsense: 1 }, routes: [5] },
      { settings: false, networks: false, routes: false },
      problems,
    )
    assert.ok(problems.isEmpty)
  })

  it('cannot reach into what every object has', () => {
    for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
      assert.deepEqual(read(`{"version":1,"${name}":{"polluted":1}}`).fields, [`backup.${name}`])
      assert.deepEqual(read(`{"version":1,"settings":{"${name}":{"polluted":1}}}`).fields, [`backup.settings.${name}`])
      assert.deepEqual(read(`{"version":1,"settings":[{"key":"${name}","value":1}]}`).fields, [
        'backup.settings[0].key',
      ])
      assert.deepEqual(
        read(
          `{"version":1,"tunnels":[{"local_endpoint":"192.0.2.1","remote_endpoint":"198.51.100.7","${name}":{"polluted":1}}]}`,
        ).fields,
        [`backup.tunnels[0].${name}`],
      )
    }
    assert.equal(({} as { polluted?: number }).polluted, undefined)
  })

  it('tells little more than a hundred faults however many there are, and each wrong item at least one', () => {
    const many = (item: unknown): string =>
      JSON.stringify({ version: 1, tunnels: Array.from({ length: 19_000 }, () => item) })
    const wide = `{"version":1,"tunnels":[{${Array.from({ length: 500_000 }, (_, at) => `"a${at}":1`).join(',')}}]}`
    const deep = `{"version":1,"tunnels":[${'['.repeat(100_000)}${']'.repeat(100_000)},{"tags":${'['.repeat(100_000)}${']'.repeat(100_000)}}],"settings":{"system.ignored_interfaces":${'[['.repeat(50_000)}${']]'.repeat(50_000)}}}`
    const long = JSON.stringify({
      version: 1,
      pools: Array.from({ length: 20_001 }, () => 1),
      settings: Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`k${at}`, 1])),
    })
    for (const [text, least] of [
      [many(5), 19_000],
      [many({}), 19_000],
      [many({ ...Object.fromEntries(Array.from({ length: 90 }, (_, at) => [`a${at}`, 1])) }), 19_000],
      [wide, 1],
      [deep, 3],
      [long, 2],
    ] as const) {
      const { reported, backup } = read(text)
      assert.ok(reported.length >= least && reported.length <= itemsOf(backup).length + 100, `${reported.length}`)
      for (const { field, message } of reported) assert.ok(field.length <= 220 && message.length < 500)
    }
  })

  it('never throws, and gives nothing that was refused', () => {
    const item = fc.oneof(
      fc.jsonValue({ maxDepth: 3 }),
      fc.constant(TUNNEL),
      fc.constant(RULE),
      fc.record({ ...record(TUNNEL), mtu: fc.jsonValue(), addresses: fc.jsonValue({ maxDepth: 3 }) }),
      fc.record({ ...record(RULE), destinations: fc.jsonValue({ maxDepth: 3 }) }),
    )
    const list = fc.oneof(fc.array(item, { maxLength: 5 }), fc.jsonValue({ maxDepth: 2 }))
    fc.assert(
      fc.property(
        fc.record(
          { version: fc.constant(1), settings: list, pools: list, tunnels: list, routes: list },
          { requiredKeys: ['version'] },
        ),
        (document) => {
          for (const one of itemsOf(read(JSON.stringify(document)).backup))
            assert.equal('item' in one, one.fault === null, one.path)
        },
      ),
      { numRuns: 500 },
    )
  })
})

const record = <T extends object>(fixed: T) =>
  Object.fromEntries(Object.entries(fixed).map(([name, value]) => [name, fc.constant(value as unknown)]))
