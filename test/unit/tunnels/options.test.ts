// The options of a tunnel's packets (decisions.md, R15).
import assert from 'node:assert/strict'
import { draftOptions } from '@panel/web-daemon/features/tunnels/draft/options.ts'
import { sketch, warningsOf } from './draft-context.ts'

describe('Sequence numbers', () => {
  it('come with a warning, whichever way they go: after a restart of an end the other one drops its packets', () => {
    for (const [body, field] of [
      [{ has_input_sequence: true, has_output_sequence: true }, 'has_input_sequence'],
      [{ has_output_sequence: true }, 'has_output_sequence'],
    ] as const) {
      const draft = sketch(body)
      draftOptions(draft)
      assert.deepEqual(warningsOf(draft), [`${field} SEQUENCE_NUMBERS`])
    }
    const plain = sketch()
    draftOptions(plain)
    assert.deepEqual(warningsOf(plain), [])
  })
})
