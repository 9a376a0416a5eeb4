// Values as a schema of the API description wants them, and values that hardly anybody wants.
import fc from 'fast-check'
import type { OpenApiSchema } from '@panel/web-daemon/features/docs/schema.ts'
import { OPERATOR } from '../panel.ts'
import { tunnelRequest } from '../../../support/records.ts'

type Arbitrary = fc.Arbitrary<unknown>

/**
 * Documentation ranges, this host's own, and what the fake host knows: nothing that is sent leaves for anybody's
 * network.
 */
const USUAL_ADDRESSES = ['192.0.2.1', '192.0.2.77', '203.0.113.5', '198.51.100.9', '10.9.0.1', '10.9.0.2', '10.9.0.77']
const ADDRESSES = [
  '172.17.1.1',
  '172.17.1.2',
  '127.0.0.1',
  '0.0.0.0',
  '::',
  '::1',
  '2001:db8::1',
  '2001:db8::77',
  'fd00::2',
  '224.0.0.1',
  '255.255.255.255',
  'fe80::1',
]
const NETWORKS = [
  '10.0.0.0/8',
  '10.55.0.0/16',
  '10.9.0.0/30',
  '203.0.113.0/24',
  '192.0.2.1',
  '2001:db8::/32',
  'fd00:1::/48',
  '0.0.0.0/0',
  '10.1.2.3/16',
  '172.17.0.0/16',
]
const INTERFACES = ['gre-a-1', 'gre-a-2', 'gre-a-3', 'gre-x', 'eth0', 'lo', 'gre0', 'vx0', 'gre-ir-7']
/** Stands for a real one. */
export const PAIRING_CODE = 'v1.of-this-panel'

/** Stands for lists in lists, more than can be written by JSON.stringify. */
export const ABYSS = 'list in list in list'

/** What a field of that name is about, where its schema alone would find it once in a thousand years. */
const BY_NAME: readonly [name: RegExp, values: Arbitrary][] = [
  [/password$/, fc.constantFrom(OPERATOR.password, 'another long password', 'short')],
  [/^username$/, fc.constantFrom(OPERATOR.username, 'somebody')],
  [/cidr$/, fc.constantFrom(...NETWORKS)],
  [
    /^local_endpoint$|^bind_address$/,
    fc.oneof(
      { weight: 4, arbitrary: fc.constant('192.0.2.1') },
      { weight: 1, arbitrary: fc.constantFrom(...ADDRESSES) },
    ),
  ],
  [
    /(^|_)(address|endpoint|source|target)$/,
    fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom(...USUAL_ADDRESSES) },
      { weight: 1, arbitrary: fc.constantFrom(...ADDRESSES) },
    ),
  ],
  [/^destination_port$|^port$/, fc.oneof(fc.constantFrom(4001, 4002), fc.integer({ min: 1, max: 65_535 }))],
  [/^prefix_length$/, fc.constantFrom(24, 30, 31, 64, 128)],
  [/_range_end$/, fc.constantFrom(null, null, 5000)],
  [/^(interface_name|bind_device|bind_interface)$/, fc.constantFrom(...INTERFACES)],
  [/^address_pool_id$|default_pool_id$/, fc.constantFrom(10, 20, 30, 41, 999)],
  [/_id$/, fc.integer({ min: 1, max: 5 })],
  [
    /^pairing_code$/,
    fc.oneof(fc.constant(PAIRING_CODE), fc.constantFrom('v1.', 'v1.AAAA', 'v2.x', `${PAIRING_CODE}=`)),
  ],
  [/_ids$/, fc.uniqueArray(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 3 })],
  [/^backup$/, backupOf()],
  [/^keys$/, fc.subarray(['display.theme', 'monitor.interval_seconds', 'tunnel.default_mtu', 'no.such'])],
]

/** A backup at random. Its items are checked by the import, and no schema of the description describes them. */
function backupOf(): Arbitrary {
  const item = (needed: object) =>
    fc
      .dictionary(
        fc.constantFrom('mtu', 'note', 'bind_port', 'is_enabled', 'description', 'tunnel_id'),
        fc.jsonValue({ maxDepth: 1 }),
        { maxKeys: 2 },
      )
      .map((more) => ({ ...needed, ...more }))
  const items = (needed: object) =>
    fc.oneof(
      { weight: 5, arbitrary: fc.array(fc.oneof(fc.constant(needed), item(needed)), { maxLength: 3 }) },
      { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
    )
  return fc.record(
    {
      version: fc.oneof(
        { weight: 9, arbitrary: fc.constant(1) },
        { weight: 1, arbitrary: fc.constantFrom<unknown>(2, '1', null, 0) },
      ),
      settings: items({ key: 'display.theme', value: 'dark' }),
      pools: items({ address_pool_title: 'Brought', cidr: '10.66.0.0/16', prefix_length: 30 }),
      tunnels: items(tunnelRequest({ remote_endpoint: '203.0.113.9', address_pool_id: 10 })),
      routes: items({ bind_port: 4100, destination_address: '10.9.0.2' }),
    },
    { requiredKeys: ['version'] },
  )
}

/** `name`: of the field that it is for. */
export function valueOf(schema: OpenApiSchema, name = ''): Arbitrary {
  const plain = plainValueOf(schema, name)
  return schema['nullable'] === true
    ? fc.oneof({ weight: 4, arbitrary: plain }, { weight: 1, arbitrary: fc.constant(null) })
    : plain
}

function plainValueOf(schema: OpenApiSchema, name: string): Arbitrary {
  if (Array.isArray(schema['enum'])) return fc.constantFrom(...(schema['enum'] as unknown[]))
  if (Array.isArray(schema['anyOf']))
    return fc.oneof(...(schema['anyOf'] as OpenApiSchema[]).map((one) => valueOf(one, name)))
  const known = BY_NAME.find(([pattern]) => pattern.test(name))
  if (known) return known[1]
  switch (schema['type']) {
    case 'boolean':
      return fc.boolean()
    case 'integer':
      return fc.integer({ min: bound(schema['minimum'], 0), max: bound(schema['maximum'], 2 ** 31) })
    case 'number':
      return fc.double({ min: bound(schema['minimum'], 0), max: bound(schema['maximum'], 1e6), noNaN: true })
    case 'string':
      return textOf(schema)
    case 'array':
      return fc.array(valueOf(schema['items'] as OpenApiSchema, name), {
        minLength: Math.min(3, bound(schema['minItems'], 0)),
        maxLength: 3,
      })
    case 'object':
      return objectOf(schema)
    default:
      return fc.jsonValue({ maxDepth: 2 })
  }
}

const bound = (value: unknown, otherwise: number): number => (typeof value === 'number' ? value : otherwise)

/** Patterns that look ahead are more than fast-check can follow. */
function textOf({ pattern, minLength, maxLength }: OpenApiSchema): Arbitrary {
  const plain = fc.string({ minLength: bound(minLength, 0), maxLength: Math.min(40, bound(maxLength, 40)) })
  if (typeof pattern !== 'string' || pattern.includes('(?')) return plain
  return fc.stringMatching(new RegExp(pattern), { maxLength: 60 })
}

function objectOf({ properties, required, additionalProperties }: OpenApiSchema): Arbitrary {
  if (!properties || Object.keys(properties).length === 0)
    return additionalProperties === false
      ? fc.constant({})
      : fc.dictionary(fc.string({ maxLength: 10 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 })
  const fields = Object.entries(properties as Record<string, OpenApiSchema>)
  // A rule needs one of two, which a schema does not say.
  const needed = [
    ...((required as string[] | undefined) ?? []),
    ...(Object.hasOwn(properties, 'destination_address') ? ['destination_address'] : []),
  ]
  // Of dozens of optional fields few at a time: a request that names all of them is never one that can be done.
  const optional = fields.filter(([name]) => !needed.includes(name)).map(([name]) => name)
  return fc.subarray(optional, { maxLength: Math.min(3, optional.length) }).chain((chosen) => {
    const named = fields.filter(([name]) => needed.includes(name) || chosen.includes(name))
    return fc.record(Object.fromEntries(named.map(([name, schema]) => [name, valueOf(schema, name)])))
  })
}

const nested = (depth: number): unknown => Array.from({ length: depth }).reduce((inner) => [inner], 0 as unknown)

export const ODD_TEXTS = [
  '',
  ' ',
  '\u0000',
  '\n',
  'null',
  '0x10',
  '1e3',
  'NaN',
  '-0',
  '١٢',
  '１２',
  'é',
  'ẞ',
  '\u202e',
  '🦊',
  '\ud800',
  '%00',
  '../..',
  '__proto__',
  '$(id)',
  '"; drop table',
  '{{7*7}}',
  '::ffff:10.0.0.1',
  '10.0.0.1/33',
  '1.2.3',
  '0300.1.1.1',
  'x'.repeat(5000),
]
export const oddValue: Arbitrary = fc.oneof(
  fc.constantFrom<unknown>(...ODD_TEXTS),
  fc.constantFrom<unknown>(
    null,
    true,
    false,
    0,
    -0,
    -1,
    1.5,
    1e308,
    -1e308,
    5e-324,
    2 ** 31,
    2 ** 32,
    2 ** 53,
    2 ** 53 + 2,
    -(2 ** 53),
    65_536,
    [],
    {},
    [null],
    [[]],
    [{}],
    nested(20),
    ABYSS,
    { toString: 1 },
    { constructor: { prototype: {} } },
  ),
  fc.jsonValue({ maxDepth: 3 }),
)
export const ODD_NAMES = [
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '',
  'fields',
  'a.b',
  'a/b',
  '0',
  'length',
  'ſ',
  'x'.repeat(300),
  'idempotency_key',
  'force',
]
