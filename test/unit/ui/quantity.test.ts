// Values of settings in their units.
import assert from 'node:assert/strict'
import { quantity } from '../../../ui/src/features/settings/quantity.ts'

describe('The value of a setting', () => {
  it('has its unit in the number that the language wants', () => {
    assert.deepEqual(
      [1, 2, 0.1].map((value) => quantity(value, 'seconds', 'en')),
      ['1\u00a0second', '2\u00a0seconds', '0.1\u00a0seconds'],
    )
    assert.deepEqual(
      [1, 3, 30].map((value) => quantity(value, 'days', 'ru')),
      ['1\u00a0день', '3\u00a0дня', '30\u00a0дней'],
    )
    assert.equal(quantity(1472, 'bytes', 'zh-CN'), '1,472\u00a0字节')
    assert.equal(quantity(60, 'seconds', 'zh-CN'), '60\u00a0秒')
    assert.equal(quantity(60, 'minutes', 'fa-u-nu-latn'), '60\u00a0دقیقه')
  })

  it('is a number alone where it has none', () => assert.equal(quantity(10_000, '', 'en'), '10,000'))
})
