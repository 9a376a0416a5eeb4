// One tunnel under watch: what forces its state, what a knock changes, what is kept of its history (decisions.md, S3,
// S4, M4).
import assert from 'node:assert/strict'
import type { MonitorState } from '@panel/shared/api/base/lookups.ts'
import type { WatchResult } from '@panel/shared/path/model.ts'
import { verbatim } from '@panel/shared/messages/message.ts'
import { makeMonitorPlan, type MonitorPlan } from '@panel/web-daemon/features/monitor/probe-target.ts'
import { toPoint } from '@panel/web-daemon/features/monitor/bucket.ts'
import { TCP_PROBE_EVERY_MS, WatchedTunnel } from '@panel/web-daemon/features/monitor/watched-tunnel.ts'
import type { SettingValues } from '@panel/web-daemon/features/settings/definitions.ts'
import type { TunnelRecord } from '@panel/web-daemon/features/tunnels/record.ts'
import { settingsWith } from '../../support/settings.ts'
import { storedTunnel } from '../../support/records.ts'
import { joinBuckets } from '../../support/intervals.ts'

const example = storedTunnel()
const plan = (fields: Partial<TunnelRecord> = {}, settings: Partial<SettingValues> = {}): MonitorPlan =>
  makeMonitorPlan(
    {
      ...example,
      tunnel_id: 7,
      interface_name: 'gre-a-7',
      addresses: [
        {
          tunnel_address_id: 1,
          address: '172.17.7.1',
          peer_address: '',
          prefix_length: 30,
          address_family_id: 10,
          is_primary: true,
          sort_order: 0,
        },
      ],
      ...fields,
    },
    settingsWith(settings),
  )

const BEGIN = Date.UTC(2026, 0, 1)

describe('A tunnel under watch', () => {
  let [at, sequence, target_id] = [BEGIN, 0, 1]
  beforeEach(() => {
    ;[at, sequence, target_id] = [BEGIN, 0, 1]
  })
  const begin = (asPlanned = plan()): WatchedTunnel => {
    const watched = new WatchedTunnel(asPlanned, null, at)
    watched.setLink('up', at)
    return watched
  }
  /** A probe a second. */
  const probe = (watched: WatchedTunnel, rtt_ms: number | null, more: Partial<WatchResult> = {}): MonitorState => {
    at += 1000
    watched.take(
      {
        target_id,
        sequence: ++sequence,
        outcome: rtt_ms === null ? 'timeout' : 'reply',
        sent_at_ms: at,
        rtt_us: rtt_ms === null ? null : rtt_ms * 1000,
        detail: '',
        pending: 0,
        ...more,
      },
      at,
    )
    return watched.verdict.state
  }
  const probes = (watched: WatchedTunnel, count: number, rtt_ms: number | null = 10): MonitorState[] =>
    Array.from({ length: count }, () => probe(watched, rtt_ms))

  it('is Unknown at first, with a reason, and Up once three samples agree', () => {
    const watched = begin()
    assert.deepEqual(
      [watched.verdict.state, watched.verdict.reason.message],
      ['Unknown', 'Nothing has been measured yet'],
    )
    assert.deepEqual(probes(watched, 6), ['Unknown', 'Unknown', 'Unknown', 'Unknown', 'Up', 'Up'])
  })

  it('is Disabled at once where it is not to be watched, and Unknown after it', () => {
    const watched = begin()
    probes(watched, 6)
    watched.replan(plan({ is_monitor_enabled: false }), at)
    assert.deepEqual([watched.verdict.state, watched.isProbed, watched.status().enabled], ['Disabled', false, false])
    watched.replan(plan(), at)
    watched.setLink('up', at)
    assert.deepEqual([watched.verdict.state, watched.isProbed, watched.status().stats.sent], ['Unknown', true, 0])
  })

  it('is Down at once, reason interface_missing, where its interface vanishes, and is not probed meanwhile', () => {
    const watched = begin()
    probes(watched, 6)
    assert.equal(watched.setLink('missing', at)?.from, 'Up')
    assert.equal(watched.verdict.state, 'Down')
    assert.match(watched.verdict.reason.message, /^interface_missing/)
    assert.equal(watched.isProbed, false)
    watched.setLink('up', at)
    assert.deepEqual(
      [watched.isProbed, watched.verdict.state, ...probes(watched, 5)],
      [true, 'Down', 'Down', 'Down', 'Down', 'Down', 'Up'],
    )
  })

  it('is Down where its interface is administratively down', () => {
    const watched = begin()
    watched.setLink('down', at)
    assert.deepEqual([watched.verdict.state, watched.isProbed], ['Down', false])
    assert.match(watched.verdict.reason.message, /administratively down/)
  })

  it('is Unknown with the reason while the prober cannot run, and goes on with what it knew', () => {
    const watched = begin()
    probes(watched, 60)
    watched.setStopped(verbatim('No probes can be sent: the helper is away'), at)
    assert.deepEqual(watched.verdict, {
      state: 'Unknown',
      reason: verbatim('No probes can be sent: the helper is away'),
    })
    watched.setStopped(null, at)
    ;[target_id, sequence] = [2, 0]
    assert.deepEqual(probes(watched, 3, null), ['Unknown', 'Unknown', 'Up'])
    assert.equal(watched.status().stats.lost, 3)
  })

  it('prefers to any other reason that it is Disabled, then that nothing can be known, then what the link says', () => {
    const watched = new WatchedTunnel(plan({ is_enabled: false }), verbatim('away'), at)
    watched.setLink('missing', at)
    assert.equal(watched.verdict.state, 'Disabled')
    watched.replan(plan(), at)
    assert.equal(watched.verdict.state, 'Unknown')
    watched.setStopped(null, at)
    watched.setLink('missing', at)
    assert.equal(watched.verdict.state, 'Down')
  })

  it('that never had a far end ends Down and is never Up', () => {
    const watched = begin(plan({}, { 'monitor.tcp_knock_enabled': false }))
    const states = probes(watched, 20, null)
    assert.deepEqual([states.at(-1), states.includes('Up')], ['Down', false])
  })

  it('is Degraded and not Down where the peer is silent and a knock finds it alive', () => {
    const watched = begin()
    assert.deepEqual(probes(watched, 10, null).at(-1), 'Unknown')
    assert.equal(watched.isTcpProbeDue(at), true)
    watched.setTcpProbe({ isAlive: true, detail: verbatim('port 22 refuses') })
    assert.equal(probes(watched, 3, null).at(-1), 'Degraded')
    assert.match(watched.verdict.reason.message, /answers TCP but not ICMP/)
  })

  it('is Down where the knock finds nobody, and knocks once a minute', () => {
    const watched = begin()
    assert.equal(watched.isTcpProbeDue(at), false)
    const knocks: number[] = []
    for (let i = 0; i < 150; i++) {
      probe(watched, null)
      if (!watched.isTcpProbeDue(at)) continue
      knocks.push(at)
      watched.setTcpProbe({ isAlive: false, detail: verbatim('port 22 is silent') })
    }
    assert.equal(watched.verdict.state, 'Down')
    assert.deepEqual(
      [knocks.length, ...knocks.slice(1).map((one, i) => one - knocks[i]!)],
      [3, TCP_PROBE_EVERY_MS, TCP_PROBE_EVERY_MS],
    )
  })

  it('tries TCP before it is Down by loss although some probes are answered, and is Degraded if that answers', () => {
    for (const isAlive of [true, false]) {
      ;[sequence, target_id] = [0, 1]
      const watched = begin(plan({}, { 'monitor.down_loss_pct': 60 }))
      const mostlyLost = (): void => {
        for (let i = 0; i < 10; i += 1) probe(watched, i % 4 === 0 ? 5 : null)
      }
      for (let i = 0; i < 5; i += 1) probe(watched, 5)
      for (let i = 0; i < 4; i += 1) mostlyLost()
      assert.deepEqual([watched.verdict.state, watched.isTcpProbeDue(at)], ['Degraded', true])
      watched.setTcpProbe({ isAlive, detail: verbatim('port 22') })
      mostlyLost()
      assert.equal(watched.verdict.state, isAlive ? 'Degraded' : 'Down')
      assert.match(watched.verdict.reason.message, /TCP: port 22/)
    }
  })

  it('does not believe a knock of an earlier silence', () => {
    const watched = begin(plan({ monitor_window_size: 5 }))
    probes(watched, 5, null)
    watched.isTcpProbeDue(at)
    watched.setTcpProbe({ isAlive: true, detail: verbatim('port 22 refuses') })
    probes(watched, 70)
    assert.equal(probes(watched, 20, null).at(-1), 'Degraded')
    assert.match(watched.verdict.reason.message, /are lost/)
    watched.isTcpProbeDue(at)
    watched.setTcpProbe({ isAlive: false, detail: verbatim('port 443 is silent') })
    assert.equal(probes(watched, 3, null).at(-1), 'Down')
  })

  it('is Down at once in a second outage within a minute, for which a TCP probe was left', () => {
    const watched = begin(plan({ monitor_window_size: 5 }))
    for (const outage of ['the first', 'the second']) {
      probes(watched, 5, null)
      assert.equal(watched.isTcpProbeDue(at), true, outage)
      watched.setTcpProbe({ isAlive: false, detail: verbatim('port 22 is silent') })
      assert.equal(probes(watched, 3, null).at(-1), 'Down', outage)
      probes(watched, 10)
      assert.equal(watched.verdict.state, 'Up', outage)
    }
  })

  it('knocks once a minute on average, however often it is lost', () => {
    const watched = begin(plan({ monitor_window_size: 5 }))
    const knocks: number[] = []
    for (const began = at; at < began + 20 * TCP_PROBE_EVERY_MS;) {
      for (let lost = 0; lost < 8; lost += 1) {
        probe(watched, null)
        if (watched.isTcpProbeDue(at)) knocks.push(at)
      }
      probes(watched, 6)
    }
    assert.ok(knocks.length > 15, `${knocks.length} knocks`)
    for (const [index, knock] of knocks.slice(2).entries())
      assert.ok(knock - (knocks[index] ?? 0) >= 2 * TCP_PROBE_EVERY_MS, 'no third one within two minutes')
  })

  it('lets no failed TCP probe count that is older than the last answer: it waits for the next one', () => {
    const watched = begin(plan({ monitor_window_size: 5 }))
    for (let outage = 0; outage < 2; outage += 1) {
      probes(watched, 5, null)
      assert.equal(watched.isTcpProbeDue(at), true)
      watched.setTcpProbe({ isAlive: false, detail: verbatim('port 22 is silent') })
      assert.equal(probes(watched, 3, null).at(-1), 'Down')
      probes(watched, 10)
    }
    assert.equal(watched.verdict.state, 'Up')
    assert.equal(probes(watched, 20, null).includes('Down'), false)
    assert.equal(watched.isTcpProbeDue(at), false)
    probes(watched, 90, null)
    assert.equal(watched.isTcpProbeDue(at), true)
    watched.setTcpProbe({ isAlive: true, detail: verbatim('port 443 refuses') })
    assert.equal(probes(watched, 3, null).at(-1), 'Degraded')
    assert.match(watched.verdict.reason.message, /answers TCP but not ICMP/)
  })

  it('lets no knock count whose result comes after an answer to a probe did', () => {
    const watched = begin(plan({ monitor_window_size: 5 }))
    probes(watched, 5, null)
    watched.isTcpProbeDue(at)
    probe(watched, 10)
    watched.setTcpProbe({ isAlive: false, detail: verbatim('port 22 is silent') })
    assert.equal(probes(watched, 20, null).includes('Down'), false)
  })

  it('does not knock where the setting says no, nor while its state is forced', () => {
    const without = begin(plan({}, { 'monitor.tcp_knock_enabled': false }))
    probes(without, 10, null)
    assert.equal(without.isTcpProbeDue(at), false)
    sequence = 0
    const forced = begin()
    probes(forced, 10, null)
    forced.setStopped(verbatim('away'), at)
    assert.equal(forced.isTcpProbeDue(at), false)
  })

  it('is judged again where its target changes, and keeps its probes where only its window does', () => {
    const watched = begin()
    probes(watched, 40)
    watched.replan(plan({ monitor_window_size: 10 }), at)
    assert.equal(watched.status().stats.received, 10)
    watched.replan(plan({ monitor_target: '172.17.7.9' }), at)
    assert.deepEqual([watched.status().stats.received, watched.status().target], [0, '172.17.7.9'])
  })

  it('takes no result of a target that it no longer has', () => {
    const watched = begin()
    probes(watched, 5)
    ;[target_id, sequence] = [5, 0]
    probe(watched, 10)
    target_id = 1
    probe(watched, null, { sequence: 5000 })
    assert.deepEqual([watched.status().stats.received, watched.status().stats.lost], [6, 0])
  })

  it('keeps each interval: what was sent, what came back, and the worst state in it', () => {
    const watched = begin(plan({}, { 'monitor.aggregate_interval_seconds': 10, 'monitor.tcp_knock_enabled': false }))
    probes(watched, 9, 20)
    probes(watched, 1, null)
    probes(watched, 9, 30)
    watched.setLink('missing', at)
    watched.note(at + 10_000)
    const points = watched.buckets.map((bucket) => toPoint(bucket, 1))
    assert.deepEqual(
      points.map(({ bucket_start, sent_count, received_count, loss_percent, rtt_avg_ms, worst_state }) => [
        bucket_start,
        sent_count,
        received_count,
        loss_percent,
        rtt_avg_ms,
        worst_state,
      ]),
      [
        ['2026-01-01T00:00:00.000Z', 9, 9, 0, 20, 'Unknown'],
        ['2026-01-01T00:00:10.000Z', 10, 9, 10, 30, 'Down'],
        ['2026-01-01T00:00:20.000Z', 0, 0, null, null, 'Down'],
      ],
    )
  })

  it('counts a late answer to the interval that its probe was sent in, even where that was stored already', () => {
    const watched = begin(plan({}, { 'monitor.aggregate_interval_seconds': 10 }))
    probes(watched, 5)
    probe(watched, null)
    const [sent_at_ms, stored] = [at, watched.takeBuckets(Number.POSITIVE_INFINITY)]
    at += 20_000
    watched.take({ target_id, sequence, outcome: 'late', sent_at_ms, rtt_us: 2_500_000, detail: '', pending: 0 }, at)
    const [late] = watched.buckets
    const whole = joinBuckets(stored[0]!, late!)
    assert.deepEqual(
      [late?.bucket_start, whole.sent_count, whole.received_count, whole.worst_severity],
      [stored[0]!.bucket_start, 6, 6, stored[0]!.worst_severity],
    )
    assert.equal(watched.status().stats.lost, 0)
  })
})
