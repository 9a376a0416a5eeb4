// The form of a check. The page loads no schema, so it has the defaults of the API once more.
import assert from 'node:assert/strict'
import { CHECK_DEFAULTS } from '@panel/shared/api/routes/check.ts'
import { checkValues } from '../../../ui/src/features/routes/check-values.ts'

describe('The form of a check', () => {
  it('begins with what the daemon takes where a request leaves it open', () => {
    assert.deepEqual(checkValues(null), CHECK_DEFAULTS)
  })
})
