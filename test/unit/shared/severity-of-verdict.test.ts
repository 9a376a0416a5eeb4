// How bad each verdict of an analysis is.
import assert from 'node:assert/strict'
import { ROUTE_VERDICTS, severityOf } from '@panel/shared/api/analysis.ts'
import { TUNNEL_VERDICTS } from '@panel/shared/api/diagnostics.ts'

describe('The severity of a verdict', () => {
  const those = (wanted: string): string[] =>
    [...new Set([...ROUTE_VERDICTS, ...TUNNEL_VERDICTS])].filter((verdict) => severityOf(verdict, 'high') === wanted)

  it('is down where nothing gets through, and degraded where something does', () => {
    assert.deepEqual(those('degraded'), ['DESTINATIONS_PARTLY_UNREACHABLE', 'MTU_PROBLEM'])
    assert.ok(
      ['FORWARD_BLOCKED', 'TUNNEL_DOWN', 'INTERFACE_MISSING'].every((verdict) => those('down').includes(verdict)),
    )
  })

  it('is unknown where no client came yet, and where nothing proves what is found to be healthy', () => {
    assert.deepEqual(those('unknown'), ['NO_INBOUND_TRAFFIC'])
    assert.deepEqual(those('ok'), ['HEALTHY', 'RULE_DISABLED'])
    assert.equal(severityOf('HEALTHY', 'low'), 'unknown')
    assert.equal(severityOf('RULE_DISABLED', 'low'), 'ok')
  })
})
