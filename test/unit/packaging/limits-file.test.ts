// The limits.conf that the package brings: it says the defaults, and changes none.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isFault, parseLimits } from '@panel/shared/limits/file.ts'
import { DEFAULT_LIMITS } from '@panel/shared/limits/model.ts'

const TEXT = readFileSync(join(import.meta.dirname, '../../../packaging/debian/limits.conf'), 'utf8')

describe('The limits.conf of the package', () => {
  it('changes no default', () => assert.deepEqual(parseLimits(TEXT), DEFAULT_LIMITS))

  it('shows each key with its default, as a line that can be used', () => {
    const shown = TEXT.split('\n').filter((line) => /^#\w+ =/.test(line))
    assert.deepEqual(
      shown,
      Object.entries(DEFAULT_LIMITS).map(([key, value]) =>
        `#${key} = ${Array.isArray(value) ? value.join(' ') : value}`.trimEnd(),
      ),
    )
    for (const line of shown) assert.ok(!isFault(parseLimits(line.slice(1))), line)
  })
})
