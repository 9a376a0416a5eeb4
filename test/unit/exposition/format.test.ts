// The text that Prometheus reads: both formats, what is escaped in them, and which of them a client gets.
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { exposition, formatFor, labels, type Family } from '@panel/web-daemon/features/exposition/format.ts'
import { Histogram } from '@panel/web-daemon/features/exposition/histogram.ts'
import { TunnelTotals } from '@panel/web-daemon/features/exposition/tunnel-totals.ts'
import { readExposition } from '../../support/exposition.ts'

const family = (parts: Partial<Family>): Family => ({
  name: 'a_thing',
  type: 'gauge',
  help: 'What it is.',
  samples: [{ labels: '', value: 1 }],
  ...parts,
})

describe('The text for Prometheus', () => {
  it('names a counter with its ending in the older format, and without it in OpenMetrics', () => {
    const counter = family({ type: 'counter', samples: [{ labels: labels({ rule: 7 }), value: 12 }] })
    assert.equal(
      exposition([counter], 'text'),
      '# HELP a_thing_total What it is.\n# TYPE a_thing_total counter\na_thing_total{rule="7"} 12\n',
    )
    assert.equal(
      exposition([counter], 'openmetrics'),
      '# HELP a_thing What it is.\n# TYPE a_thing counter\na_thing_total{rule="7"} 12\n# EOF\n',
    )
  })

  it('has an info as an info in OpenMetrics, and as a gauge in the older format', () => {
    const info = family({ type: 'info' })
    assert.match(exposition([info], 'openmetrics'), /# TYPE a_thing info\na_thing_info 1\n/)
    assert.match(exposition([info], 'text'), /# TYPE a_thing_info gauge\na_thing_info 1\n/)
  })

  it('leaves out a family that has no samples', () => {
    assert.equal(exposition([family({ samples: [] })], 'text'), '')
  })

  it('can be read whatever a title holds', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (title) => {
        const text = exposition([family({ samples: [{ labels: labels({ title, rule: 1 }), value: 1 }] })], 'text')
        const [line = ''] = [...(readExposition(text).get('a_thing')?.samples.keys() ?? [])]
        const escaped = /^a_thing\{title="(.*)",rule="1"\}$/s.exec(line)?.[1] ?? ''
        const back = escaped.replace(/\\(.)/g, (_, char: string) => (char === 'n' ? '\n' : char))
        assert.equal(back, title)
      }),
    )
  })

  it('has buckets that add up, and the sum of what was observed', () => {
    const took = new Histogram('operation')
    took.observe('tunnel.apply', 0.02)
    took.observe('tunnel.apply', 2)
    const text = exposition([family({ type: 'histogram', samples: took.samples() })], 'openmetrics')
    const samples = readExposition(text).get('a_thing')?.samples
    const bucket = (le: string) => samples?.get(`a_thing_bucket{operation="tunnel.apply",le="${le}"}`)
    assert.equal(bucket('0.01'), 0)
    assert.equal(bucket('0.025'), 1)
    assert.equal(bucket('1.0'), 1)
    assert.equal(bucket('2.5'), 2)
    assert.equal(bucket('+Inf'), 2)
    assert.equal(samples?.get('a_thing_count{operation="tunnel.apply"}'), 2)
    assert.equal(samples?.get('a_thing_sum{operation="tunnel.apply"}'), 2.02)
  })

  const PROMETHEUS =
    'application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1'
  const newer = PROMETHEUS.replace('1.0.0', '2.0.0')
  for (const [whose, accept, format] of [
    ['Prometheus', PROMETHEUS, 'openmetrics'],
    ['Prometheus 3', 'application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,*/*;q=0.2', 'openmetrics'],
    ['a terminal', '*/*', 'text'],
    ['no header', '', 'text'],
    ['who prefers the older one', 'application/openmetrics-text;q=0.2,text/plain', 'text'],
    ['who knows another version alone', newer, 'text'],
    ['who refuses it', 'application/openmetrics-text;q=0', 'text'],
  ] as const)
    it(`is ${format} for ${whose}`, () => assert.equal(formatFor(accept), format))
})

describe('The bytes of a tunnel', () => {
  const tunnel = (interface_name: string) => [{ tunnel_id: 1, interface_name }]
  const counted = (name: string, bytes: number) => [
    { name, rx_bytes_since_install: bytes, tx_bytes_since_install: bytes },
  ]

  it('go on under its id where its interface gets another name', () => {
    const totals = new TunnelTotals()
    totals.update(tunnel('gre-a-1'), counted('gre-a-1', 500))
    totals.update(tunnel('gre-b-1'), counted('gre-b-1', 40))
    assert.equal(totals.update(tunnel('gre-b-1'), counted('gre-b-1', 50)).get(1)?.received, 510)
  })

  it('stay where its interface is gone for a while', () => {
    const totals = new TunnelTotals()
    totals.update(tunnel('gre-a-1'), counted('gre-a-1', 500))
    assert.equal(totals.update(tunnel('gre-a-1'), []).get(1)?.received, 500)
  })

  it('are unknown while its interface was never there', () => {
    assert.equal(new TunnelTotals().update(tunnel('gre-a-1'), []).get(1), undefined)
  })
})
