// Schemas of ours in the words of OpenAPI 3.0.3, which has fewer than JSON Schema.
import assert from 'node:assert/strict'
import { Warning } from '@panel/shared/api/base/errors.ts'
import { described, mapOf, shape, Text } from '@panel/shared/api/base/shapes.ts'
import { nullable, strict, Type, type TSchema } from '@panel/shared/schema.ts'
import { Components } from '@panel/web-daemon/features/docs/schema.ts'

const plain = (schema: object): unknown => JSON.parse(JSON.stringify(new Components().describe(schema as TSchema)))

describe('A schema in the words of OpenAPI 3.0.3', () => {
  const cases: [what: string, schema: object, words: object][] = [
    ['a constant is an enumeration of one', Type.Literal('tcp'), { type: 'string', enum: ['tcp'] }],
    [
      'a type of null is nullable',
      { type: ['string', 'null'], maxLength: 3 },
      { type: 'string', maxLength: 3, nullable: true },
    ],
    [
      'a union with null is nullable',
      Type.Union([Type.Null(), strict({ a: Text })]),
      {
        type: 'object',
        additionalProperties: false,
        required: ['a'],
        properties: { a: { type: 'string' } },
        nullable: true,
      },
    ],
    [
      'a union of several with null is one of them, nullable',
      { anyOf: [{ type: 'string' }, { type: 'null' }, { type: 'integer' }] },
      { anyOf: [{ type: 'string' }, { type: 'integer' }], nullable: true },
    ],
    [
      'an exclusive bound is a bound with a flag',
      { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 9 },
      { type: 'number', minimum: 0, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: true },
    ],
    [
      '$id and our own notes are left out, in every depth',
      { $id: 'x', type: 'object', properties: { pin: { type: 'string', 'x-code': 'A', 'x-message': 'b' } } },
      { type: 'object', properties: { pin: { type: 'string' } } },
    ],
    ['a secret is a password', Type.String({ 'x-secret': true }), { type: 'string', format: 'password' }],
    [
      'null among the values stays there',
      nullable(Type.Unsafe({ type: 'integer', enum: [1, 2] })),
      { type: 'integer', enum: [1, 2, null], nullable: true },
    ],
    ['a map says what it holds', mapOf(Type.Integer()), { type: 'object', additionalProperties: { type: 'integer' } }],
    [
      'a schema with a title is a reference, wherever it is',
      Type.Array(Warning),
      { type: 'array', items: { $ref: '#/components/schemas/Warning' } },
    ],
    [
      'a description stands beside a reference, never in it',
      described(Warning, 'The first one.'),
      { description: 'The first one.', allOf: [{ $ref: '#/components/schemas/Warning' }] },
    ],
    [
      'what may be null is a reference or null',
      described(nullable(Warning), 'None yet.'),
      {
        description: 'None yet.',
        anyOf: [{ $ref: '#/components/schemas/Warning' }, { type: 'object', nullable: true, enum: [null] }],
      },
    ],
    [
      'a union of a schema with a title and null is the same',
      Type.Union([Warning, Type.Null()]),
      { anyOf: [{ $ref: '#/components/schemas/Warning' }, { type: 'object', nullable: true, enum: [null] }] },
    ],
  ]
  for (const [what, schema, words] of cases) it(what, () => assert.deepEqual(plain(schema), words))

  it('is a component under its title, with any description where it is used', () => {
    const components = new Components()
    const Widget = shape('Widget', { first: Warning, part: Text })
    for (const one of [Widget, nullable(Widget), described(Widget, 'Another.'), Type.Optional(Widget)])
      components.describe(one)
    assert.deepEqual(Object.keys(components.schemas), ['Warning', 'Widget'])
    assert.deepEqual(components.schemas['Widget'], {
      title: 'Widget',
      type: 'object',
      additionalProperties: false,
      required: ['first', 'part'],
      properties: { first: { $ref: '#/components/schemas/Warning' }, part: { type: 'string' } },
    })
  })

  it('fails on a title that another schema has', () => {
    const components = new Components()
    components.describe(shape('Widget', { part: Text }))
    assert.throws(() => components.describe(shape('Widget', { parts: Text })), /Two schemas have the title Widget/)
  })

  it('fails on what there is no word for', () => {
    for (const schema of [
      { patternProperties: {} },
      { type: 'object', properties: { a: { if: {} } } },
      { type: ['string', 'integer', 'null'] },
    ])
      assert.throws(() => plain(schema), /no word for/)
  })
})
