// The checks of params are generated from schemas that refer to each other. They find what the schemas of METHODS find,
// each compiled by itself.
import assert from 'node:assert/strict'
import { compileFunction } from 'node:vm'
import { Ajv } from 'ajv'
import fc from 'fast-check'
import { validatorCode } from '../../../packaging/build/plugins.ts'
import { VALIDATORS, type Validator } from '@panel/root-helper/validators.ts'
import { METHODS, type MethodName } from '@panel/shared/rpc/methods.ts'

interface Schema {
  readonly [word: string]: unknown
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
}
type Arbitrary = fc.Arbitrary<unknown>

const NAMES = Object.keys(METHODS) as MethodName[]
const EACH = 250

/** Generates mostly what the schema takes. */
function valueOf(schema: Schema): Arbitrary {
  const plain = plainValueOf(schema)
  if (schema['nullable'] !== true) return plain
  return fc.oneof({ weight: 4, arbitrary: plain }, { weight: 1, arbitrary: fc.constant(null) })
}

function plainValueOf(schema: Schema): Arbitrary {
  const { enum: values, anyOf, properties = {}, required = [], items = {} } = schema
  const { minimum = 0, maximum = 2 ** 31, minItems = 0, pattern = '^$' } = schema
  if (values) return fc.constantFrom(...(values as unknown[]))
  if (Object.hasOwn(schema, 'const')) return fc.constant(schema['const'])
  if (anyOf) return fc.oneof(...anyOf.map(valueOf))
  switch (schema['type']) {
    case 'boolean':
      return fc.boolean()
    case 'integer':
    case 'number':
      return fc.integer({ min: Math.ceil(minimum as number), max: Math.min(maximum as number, 2 ** 31) })
    case 'string':
      return fc.stringMatching(new RegExp(pattern as string, 'u'), { maxLength: 60 })
    case 'array':
      return fc.array(valueOf(items), { minLength: minItems as number, maxLength: 3 })
    default:
      return fc.record(Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, valueOf(inner)])), {
        requiredKeys: required as string[],
      })
  }
}

const ODD: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  0.5,
  1e99,
  2 ** 53,
  '',
  'a b',
  '../x',
  '::1',
  'é',
  'x'.repeat(3000),
  [],
  [null],
  {},
  { also: 1 },
]

/** Returns each object and list inside a value, and the value. */
function holders(value: unknown): Record<string, unknown>[] {
  if (typeof value !== 'object' || value === null) return []
  return [value as Record<string, unknown>, ...Object.values(value).flatMap(holders)]
}

interface Cut {
  readonly holder: number
  readonly field: number
  readonly kind: 'replace' | 'delete' | 'add' | 'repeat'
  readonly odd: unknown
}

function mutate(value: unknown, { holder, field, kind, odd }: Cut): void {
  const all = holders(value)
  const target = all[holder % Math.max(1, all.length)]
  if (!target) return
  const names = Object.keys(target)
  const name = names[field % Math.max(1, names.length)] ?? 'also'
  if (kind === 'replace') target[name] = structuredClone(odd)
  if (kind === 'delete') Reflect.deleteProperty(target, name)
  if (kind === 'add') target['also'] = structuredClone(odd)
  if (kind === 'repeat' && Array.isArray(target))
    target.push(...Array.from({ length: 2001 }, () => target[0] ?? structuredClone(odd)))
}

const cuts = fc.array(
  fc.record({
    holder: fc.nat(200),
    field: fc.nat(40),
    kind: fc.constantFrom<Cut['kind'][]>('replace', 'replace', 'replace', 'delete', 'add', 'repeat'),
    odd: fc.constantFrom(...ODD),
  }),
  { maxLength: 3 },
)

/** Returns all that root reads of a check. */
function finding(validate: Validator, params: unknown) {
  if (validate(params)) return 'valid'
  const { instancePath, message } = validate.errors?.[0] ?? { instancePath: 'none' }
  return { instancePath, message }
}

async function shipped(): Promise<Record<MethodName, Validator>> {
  const module = {} as { VALIDATORS: Record<MethodName, Validator> }
  compileFunction(await validatorCode(), ['exports'])(module)
  return module.VALIDATORS
}

describe('The checks of params', function () {
  let generated: Record<MethodName, Validator>
  before(async () => {
    generated = await shipped()
  })

  it('exist for each method, in development and in what is shipped', () => {
    assert.deepEqual(Object.keys(VALIDATORS), NAMES)
    assert.deepEqual(Object.keys(generated), NAMES)
  })

  it('come to the verdict and the first error of the schema in METHODS', () => {
    const counts = { valid: 0, refused: 0 }
    for (const name of NAMES) {
      const { params } = METHODS[name]
      const alone = new Ajv({ strict: true, strictTypes: false }).compile(params) as Validator
      const request = fc.tuple(valueOf(params), cuts).map(([value, list]) => {
        const copy: unknown = JSON.parse(JSON.stringify(value))
        for (const cut of list) mutate(copy, cut)
        return copy
      })
      fc.assert(
        fc.property(
          fc.oneof({ weight: 20, arbitrary: request }, { weight: 1, arbitrary: fc.constantFrom(...ODD) }),
          (value) => {
            const expected = finding(alone, value)
            counts[expected === 'valid' ? 'valid' : 'refused'] += 1
            assert.deepEqual(finding(VALIDATORS[name], value), expected)
            assert.deepEqual(finding(generated[name], value), expected)
          },
        ),
        { numRuns: EACH },
      )
    }
    const enough = (NAMES.length * EACH) / 5
    assert.ok(counts.valid > enough && counts.refused > enough, JSON.stringify(counts))
  })
})
