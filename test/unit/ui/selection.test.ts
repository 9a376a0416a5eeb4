// Which rows of a list are selected.
import assert from 'node:assert/strict'
import { clicked, NONE } from '../../../ui/src/components/list/selection.ts'

const ORDER = [5, 3, 8, 1, 9]
const after = (...clicks: readonly [key: number, isRange?: boolean][]): unknown[] => [
  ...clicks.reduce((selection, [key, isRange = false]) => clicked(selection, key, isRange, ORDER), NONE).keys,
]

describe('A selection', () => {
  it('takes and leaves single rows', () => assert.deepEqual(after([3], [8], [3]), [8]))

  it('takes the rows between, in the order shown, either way', () => {
    assert.deepEqual(after([3], [1, true]), [3, 8, 1])
    assert.deepEqual(after([1], [5, true]), [1, 5, 3, 8])
  })

  it('leaves the rows between where the first was left', () => {
    assert.deepEqual(after([5], [9, true], [3], [1, true]), [5, 9])
  })

  it('takes one row where no other was clicked, or it is not shown any more', () => {
    assert.deepEqual(after([8, true]), [8])
    assert.deepEqual([...clicked({ keys: new Set([7]), anchor: 7 }, 3, true, ORDER).keys], [7, 3])
  })
})
