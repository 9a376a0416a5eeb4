// Requests to one operation of the API description: some as described, most with one thing broken.
import fc from 'fast-check'
import type { Operation } from '@panel/web-daemon/features/docs/operation.ts'
import type { OpenApiSchema } from '@panel/web-daemon/features/docs/schema.ts'
import { ODD_NAMES, ODD_TEXTS, oddValue, valueOf } from './values.ts'

export interface FuzzRequest {
  readonly operation: string
  readonly method: string
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
  /** Without the header that proves where it comes from. */
  readonly isWithoutCsrf: boolean
}

export interface Described {
  readonly path: string
  readonly method: string
  readonly operation: Operation
}

type Body = Record<string, unknown>

/** The smallest values for what takes as long as its parameters say. */
const QUICK: Readonly<Record<string, unknown>> = {
  sample_seconds: 0.1,
  timeout_seconds: 0.1,
  interval_seconds: 0.01,
  count: 2,
  probes: 1,
  max_hops: 2,
}
const isSlow = (path: string): boolean => /diagnostics|counters/.test(path)

export const requestTo = ({ path, method, operation }: Described): fc.Arbitrary<FuzzRequest> => {
  const schema = operation.requestBody?.content['application/json']?.schema
  return fc
    .record({
      target: fc.tuple(pathOf(path), queryOf(path, operation)).map(([at, query]) => at + query),
      body:
        method === 'get'
          ? fc.oneof({ weight: 9, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: fc.constant('{"a":1}') })
          : bodyOf(schema, path),
      method: fc.oneof(
        { weight: 40, arbitrary: fc.constant(method.toUpperCase()) },
        { weight: 1, arbitrary: fc.constantFrom('HEAD', 'OPTIONS', 'PATCH', 'PUT', 'DELETE', 'PROPFIND') },
      ),
      headers: oneIn(12, fc.constant({}), headersOf),
      isWithoutCsrf: oneIn(40, fc.constant(false), fc.constant(true)),
    })
    .map((request) => ({
      ...request,
      operation: operation.operationId,
      headers: { ...(request.body !== null && { 'Content-Type': 'application/json' }), ...request.headers },
    }))
}

/** Mostly the one, and of so many once the other. */
const oneIn = <T>(many: number, usual: fc.Arbitrary<T>, odd: fc.Arbitrary<T>): fc.Arbitrary<T> =>
  fc.oneof({ weight: many - 1, arbitrary: usual }, { weight: 1, arbitrary: odd })

const ODD_IDS = [
  '0',
  '-1',
  '1.5',
  '999999999999999',
  '9007199254740993',
  '99999999999999999999',
  'abc',
  '%00',
  '%2e%2e',
  '1%2f2',
  '%D9%A3',
  '%20',
  '%zz',
  '1;2',
  '%F0%9F%A6%8A',
]
const pathOf = (path: string): fc.Arbitrary<string> =>
  oneIn(
    8,
    path.includes('/pools/') ? fc.constantFrom('10', '30', '41') : fc.constantFrom('1', '2', '3'),
    fc.constantFrom(...ODD_IDS),
  ).map((id) => path.replaceAll(/\{\w+\}/g, id))

function queryOf(path: string, { parameters }: Operation): fc.Arbitrary<string> {
  const named = parameters.filter((parameter) => parameter.in === 'query')
  const right = fc.record(Object.fromEntries(named.map(({ name, schema }) => [name, valueOf(schema, name)])), {
    requiredKeys: [],
  })
  const names = [...named.map(({ name }) => name), ...ODD_NAMES]
  const odd = fc.array(
    fc.tuple(
      fc.constantFrom(...names),
      fc.oneof(
        fc.constantFrom(...ODD_TEXTS.slice(0, -1)),
        fc.constantFrom('-1', '1e9', '99999999999999999999', 'x'.repeat(3000)),
        fc.string(),
      ),
    ),
    { maxLength: 4 },
  )
  const quick: [string, string][] = isSlow(path) && names.includes('sample_seconds') ? [['sample_seconds', '0.1']] : []
  const written = (pairs: (readonly [string, unknown])[]): string => {
    const text = [...pairs, ...quick].map(([name, value]) => `${encoded(name)}=${encoded(String(value))}`).join('&')
    return text === '' ? '' : `?${text}`
  }
  return fc.oneof(
    { weight: 4, arbitrary: right.map((pairs) => written(Object.entries(pairs))) },
    { weight: 2, arbitrary: odd.map(written) },
    {
      weight: quick.length > 0 ? 0 : 1,
      arbitrary: fc.constantFrom(
        '',
        '?',
        '?&&&',
        '?=',
        '?limit',
        '?limit[]=1',
        '?limit=%zz',
        '?%=%',
        '?limit=1&limit=2',
      ),
    },
  )
}

/** Encodes text for a URL, which cannot hold a lone half of a pair. */
const encoded = (text: string): string => encodeURIComponent(text.replaceAll(/\p{Surrogate}/gu, '?'))

const headersOf: fc.Arbitrary<Record<string, string>> = fc.oneof(
  fc
    .constantFrom(
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/json; charset=utf-16',
      'application/jsonp',
      'json',
    )
    .map((type) => ({ 'Content-Type': type })),
  fc.constantFrom('gzip', 'br', 'identity', 'x').map((coding) => ({ 'Content-Encoding': coding })),
  fc.constantFrom('again', 'x'.repeat(300), 'a\tb', '"', ' ').map((key) => ({ 'Idempotency-Key': key })),
  fc.constantFrom('x'.repeat(100), '{}', '<b>', '../').map((id) => ({ 'X-Request-Id': id })),
  fc.constantFrom('https://elsewhere.example', 'null', '').map((origin) => ({ Origin: origin })),
  fc.constantFrom('100-continue', 'something').map((expect) => ({ Expect: expect })),
)

function bodyOf(schema: OpenApiSchema | undefined, path: string): fc.Arbitrary<string | null> {
  const quick =
    isSlow(path) && schema
      ? Object.fromEntries(
          Object.entries(QUICK).filter(([name]) => Object.hasOwn(schema['properties'] as object, name)),
        )
      : {}
  const right = (schema ? valueOf(schema) : fc.constant({})).map((body) => ({ ...(body as Body), ...quick }))
  const none = Object.keys(quick).length === 0 ? fc.constantFrom(null, '') : fc.constant('[]')
  const whole = right.map((body) => JSON.stringify(body))
  return fc.oneof(
    { weight: 6, arbitrary: whole },
    {
      weight: 8,
      arbitrary: fc
        .tuple(right, fc.nat(), oddValue)
        .map(([body, where, odd]) => JSON.stringify(withOdd(body, where, odd))),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(right, fc.constantFrom(...ODD_NAMES), oddValue)
        .map(([body, name, odd]) => `{${JSON.stringify(name)}:${JSON.stringify(odd)}${inside(body)}`),
    },
    { weight: 1, arbitrary: fc.tuple(right, fc.nat(), oddValue).map(([body, which, odd]) => twice(body, which, odd)) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(right, fc.nat())
        .map(([body, which]) => JSON.stringify(without(body, which, Object.keys(quick)))),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(whole, fc.nat(), fc.constantFrom('', '"', '}', '{', '\\', ',', '\u0000', '1e999', '\\ud800'))
        .map(([text, at, insert]) => cut(text, at, insert)),
    },
    {
      weight: 1,
      arbitrary: fc.oneof(
        none,
        fc.constantFrom(
          '[]',
          'null',
          '0',
          '"text"',
          '[{}]',
          '{}{}',
          `${'['.repeat(20_000)}`,
          `{"a":${'['.repeat(5000)}${']'.repeat(5000)}}`,
          '\ufeff{}',
        ),
      ),
    },
  )
}

/** Somewhere in the depth of it, at a place that `where` chooses. */
function withOdd(value: unknown, where: number, odd: unknown): unknown {
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : []
  if (entries.length === 0) return odd
  const [name, inner] = entries[where % entries.length] as [string, unknown]
  const isDeeper = typeof inner === 'object' && inner !== null && where % 3 === 0
  const replaced = isDeeper ? withOdd(inner, Math.floor(where / 3), odd) : odd
  return Array.isArray(value) ? value.with(Number(name), replaced) : { ...(value as Body), [name]: replaced }
}

/** The rest of an object behind a first field. */
const inside = (body: Body): string => (Object.keys(body).length === 0 ? '}' : `,${JSON.stringify(body).slice(1)}`)

function twice(body: Body, which: number, odd: unknown): string {
  const names = Object.keys(body)
  return `{${JSON.stringify(names[which % Math.max(1, names.length)] ?? 'a')}:${JSON.stringify(odd)}${inside(body)}`
}

function without(body: Body, which: number, kept: readonly string[]): Body {
  const names = Object.keys(body).filter((name) => !kept.includes(name))
  const gone = names[which % Math.max(1, names.length)]
  return Object.fromEntries(Object.entries(body).filter(([name]) => name !== gone))
}

function cut(text: string, where: number, insert: string): string {
  const at = where % (text.length + 1)
  return text.slice(0, at) + insert + (where % 2 === 0 ? text.slice(at + 1) : '')
}
