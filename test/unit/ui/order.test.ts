// Moving rules within their order, one or several at once.
import assert from 'node:assert/strict'
import { dropOn, moveTo, mergeOrder, shift } from '../../../ui/src/features/routes/order.ts'

const ids = [1, 2, 3, 4, 5]
const some = (...chosen: number[]): ReadonlySet<number> => new Set(chosen)

describe('The order of rules', () => {
  it('is changed to a place, several together in the order that they have', () => {
    assert.deepEqual(moveTo(ids, some(5, 2), 0), [2, 5, 1, 3, 4])
    assert.deepEqual(moveTo(ids, some(1), 4), [2, 3, 4, 5, 1])
    assert.deepEqual(moveTo(ids, some(1), 99), [2, 3, 4, 5, 1])
  })

  it('is changed by a step, and what is at the end stays', () => {
    assert.deepEqual(shift(ids, some(2, 3), -1), [2, 3, 1, 4, 5])
    assert.deepEqual(shift(ids, some(1, 3), -1), [1, 3, 2, 4, 5])
    assert.deepEqual(shift(ids, some(1, 2), 1), [3, 1, 2, 4, 5])
    assert.deepEqual(shift(ids, some(4, 5), 1), ids)
  })

  it('is changed by letting go on another: before it on the way up, behind it on the way down', () => {
    assert.deepEqual(dropOn(ids, some(4), 2), [1, 4, 2, 3, 5])
    assert.deepEqual(dropOn(ids, some(2), 4), [1, 3, 4, 2, 5])
    assert.deepEqual(dropOn(ids, some(2, 4), 4), ids)
  })

  it('holds over rules that came and went meanwhile', () =>
    assert.deepEqual(mergeOrder([3, 1, 2], [1, 3, 9]), [3, 1, 9]))
})
