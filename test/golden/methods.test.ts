// Everything that root can be requested to do, as a file: widening it shows in review.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { METHODS } from '@panel/shared/rpc/methods.ts'
import { sameAsFile } from './golden.ts'

interface Schema {
  type?: string
  pattern?: string
  enum?: unknown[]
  additionalProperties?: unknown
  properties?: Record<string, Schema>
  items?: Schema
}

/** Every schema inside a schema, with the path that leads to it. */
function* walk(schema: Schema, path: string): Generator<[string, Schema]> {
  yield [path, schema]
  for (const [name, inner] of Object.entries(schema.properties ?? {})) yield* walk(inner, `${path}.${name}`)
  if (schema.items) yield* walk(schema.items, `${path}[]`)
}

const everySchema = (): [string, Schema][] =>
  Object.entries(METHODS).flatMap(([name, { effect: _, ...schemas }]) => Object.entries(schemas).flatMap(([role, schema]) => [...walk(schema as Schema, `${name}(${role})`)]))

describe('The table of requests to root', () => {
  it('is the one in methods.json', () => sameAsFile(join(import.meta.dirname, 'methods.json'), `${JSON.stringify(METHODS, null, 1)}\n`))

  it('has a pattern or an enum for every string', () => {
    const open = everySchema().filter(([, s]) => s.type === 'string' && !s.pattern && !s.enum).map(([path]) => path)
    assert.deepEqual(open, [])
  })

  it('refuses properties that it does not name, everywhere', () => {
    const open = everySchema().filter(([, s]) => s.type === 'object' && s.additionalProperties !== false).map(([path]) => path)
    assert.deepEqual(open, [])
  })

  it('takes no string in params that could hold a path, a blank or a line', () => {
    const hostile = ['/etc/shadow', '../x', 'a b', 'a\nb', '$(reboot)', 'a;b', '`id`', '|sh']
    const takes = everySchema()
      .filter(([path, s]) => path.includes('(params)') && s.type === 'string')
      .filter(([, s]) => hostile.some((text) => (s.enum ? s.enum.includes(text) : new RegExp(s.pattern ?? '', 'u').test(text))))
    assert.deepEqual(takes.map(([path]) => path), [])
  })
})
