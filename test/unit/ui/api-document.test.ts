// How the page writes the types of the API (page.md).
import assert from 'node:assert/strict'
import {
  fieldsOf,
  innerOf,
  typeText,
  type ApiDocument,
  type Schema,
} from '../../../ui/src/features/system/api-document.ts'

const POOL: Schema = {
  title: 'Pool',
  type: 'object',
  required: ['cidr'],
  properties: { cidr: { type: 'string', maxLength: 45 }, parent: { $ref: '#/components/schemas/Pool' } },
}
const DOCUMENT: ApiDocument = {
  openapi: '3.0.3',
  info: { title: '', version: '', description: '' },
  servers: [],
  paths: {},
  components: { schemas: { Pool: POOL }, responses: {} },
}
const POOL_OR_NULL: Schema = {
  anyOf: [{ $ref: '#/components/schemas/Pool' }, { type: 'object', nullable: true, enum: [null] }],
}

describe('A type of the API on the page', () => {
  for (const [schema, text] of [
    [{ type: 'integer', minimum: 1, maximum: 65_535 }, 'integer 1..65535'],
    [{ type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER }, 'integer ≥ 1'],
    [{ type: 'integer', minimum: 0 }, 'integer'],
    [{ type: 'string', maxLength: 45, nullable: true }, 'string ≤ 45 | null'],
    [{ type: 'string', format: 'date-time' }, 'date-time'],
    [{ type: 'string', enum: ['tcp', 'udp'] }, '"tcp" | "udp"'],
    [{ type: 'string', enum: ['first', null], nullable: true }, '"first" | null'],
    [{ type: 'array', items: { $ref: '#/components/schemas/Pool' }, maxItems: 64 }, 'Pool[] ≤ 64'],
    [{ type: 'array', items: { type: 'string', maxLength: 50 } }, '(string ≤ 50)[]'],
    [{ type: 'object', additionalProperties: { type: 'boolean' } }, '{ [name]: boolean }'],
    [{ description: 'Its pool.', allOf: [{ $ref: '#/components/schemas/Pool' }] }, 'Pool'],
    [POOL_OR_NULL, 'Pool | null'],
    [{}, 'any'],
  ] as const satisfies readonly (readonly [Schema, string])[])
    it(`is written as ${text}`, () => assert.equal(typeText(schema), text))

  it('unfolds into the fields of the object behind a reference, an array and an alternative', () => {
    for (const schema of [POOL_OR_NULL, { type: 'array', items: POOL_OR_NULL }, { additionalProperties: POOL }])
      assert.deepEqual(innerOf(schema, DOCUMENT), [{ title: 'Pool', schema: POOL }])
    assert.deepEqual(innerOf({ type: 'string' }, DOCUMENT), [])
    assert.deepEqual(
      fieldsOf(POOL, DOCUMENT).map(({ name, isRequired, inner }) => [name, isRequired, inner.length]),
      [
        ['cidr', true, 0],
        ['parent', false, 1],
      ],
    )
  })
})
