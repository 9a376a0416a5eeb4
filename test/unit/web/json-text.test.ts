// A long list is sent as text that never became objects: it is the very text that its objects would have made.
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { bytesOf, JsonText, jsonList, jsonObject, jsonWith } from '@panel/web-daemon/platform/http/json-text.ts'

const value = fc.jsonValue()
const object = fc.dictionary(fc.string(), value, { minKeys: 1, maxKeys: 5, noNullPrototype: true })

describe('JSON that is text already', () => {
  it('is what JSON.stringify makes of the same values', () => {
    fc.assert(
      fc.property(fc.array(object), value, (items, other) => {
        const list = jsonList(items.map((item) => new JsonText<unknown>([JSON.stringify(item)])))
        const whole = jsonObject<{ items: unknown[]; other: unknown; none?: unknown }>({
          items: list,
          other,
          none: undefined,
        })
        assert.equal(bytesOf(whole).toString(), JSON.stringify({ items, other }))
        assert.equal(bytesOf(other).toString(), JSON.stringify(other))
      }),
    )
  })

  it('has more members behind its own', () => {
    fc.assert(
      fc.property(object, value, (one, more) => {
        const text = jsonWith<{ more_of_it: unknown }, 'more_of_it'>(new JsonText([JSON.stringify(one)]), {
          more_of_it: more,
        })
        assert.equal(bytesOf(text).toString(), JSON.stringify({ ...one, more_of_it: more }))
      }),
    )
  })
})
