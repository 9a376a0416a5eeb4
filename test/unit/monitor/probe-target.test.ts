// Where probes go, from where, and why a tunnel is not watched at all (decisions.md, S3, R1).
import assert from 'node:assert/strict'
import { makeMonitorPlan } from '@panel/web-daemon/features/monitor/probe-target.ts'
import type { SettingValues } from '@panel/web-daemon/features/settings/definitions.ts'
import type { AddressRecord, TunnelRecord } from '@panel/web-daemon/features/tunnels/record.ts'
import { settingsWith } from '../../support/settings.ts'
import { storedAddress, storedTunnel } from '../../support/records.ts'

const address = (text: string, peer_address = '', prefix_length = 30, is_primary = false): AddressRecord =>
  storedAddress(text, { peer_address, prefix_length, is_primary })
const example = storedTunnel()
const record = (fields: Partial<TunnelRecord> = {}): TunnelRecord => ({
  ...example,
  addresses: [address('172.17.1.1')],
  ...fields,
})
const plan = (fields: Partial<TunnelRecord> = {}, settings: Partial<SettingValues> = {}) =>
  makeMonitorPlan(record(fields), settingsWith(settings))
const way = (fields: Partial<TunnelRecord>): string => {
  const { probeTarget: aim, disabled } = plan(fields)
  return aim ? `${aim.source} to ${aim.target}` : `${disabled?.state}: ${disabled?.reason.message}`
}

describe('The probes of a tunnel', () => {
  it('go from its address to the peer of it', () => {
    assert.equal(way({}), '172.17.1.1 to 172.17.1.2')
    assert.equal(way({ addresses: [address('10.0.0.1', '10.9.9.9', 24)] }), '10.0.0.1 to 10.9.9.9')
  })

  it('go by the primary address, or by the first that knows of a peer', () => {
    const [first, second] = [address('10.0.0.1', '', 24), address('10.1.0.1')]
    assert.equal(way({ addresses: [first, second] }), '10.1.0.1 to 10.1.0.2')
    assert.equal(way({ addresses: [address('10.2.0.1'), address('fd00::1', '', 127, true)] }), 'fd00::1 to fd00::')
  })

  it('go to monitor_target from an address of its family', () => {
    assert.equal(way({ monitor_target: '198.51.100.9' }), '172.17.1.1 to 198.51.100.9')
    assert.equal(
      way({ monitor_target: 'fd07::9', addresses: [address('172.17.1.1'), address('fd00::1', '', 64)] }),
      'fd00::1 to fd07::9',
    )
  })

  it("are none without an address, without a peer, and where no address is of the target's family", () => {
    assert.equal(way({ addresses: [] }), 'Disabled: The tunnel has no address to probe from')
    assert.match(way({ addresses: [address('10.0.0.1', '', 24)] }), /^Disabled: No peer address is known/)
    assert.match(way({ monitor_target: 'fd07::9' }), /^Disabled: monitor_target fd07::9 is of another family/)
    assert.match(
      way({ addresses: [address('10.0.0.1', 'fd00::2', 24)] }),
      /^Disabled: The peer fd00::2 is of another family/,
    )
  })

  it('are none where the tunnel is disabled or its override says no, and where there is no override and the setting says no', () => {
    assert.match(way({ is_enabled: false }), /^Disabled: The tunnel is disabled/)
    const wanted = (is_monitor_enabled: boolean | null, setting: boolean): [boolean, boolean] => {
      const { isEnabled: isWanted, probeTarget: aim } = plan({ is_monitor_enabled }, { 'monitor.enabled': setting })
      return [isWanted, aim !== null]
    }
    assert.deepEqual(
      [wanted(null, true), wanted(null, false), wanted(true, false), wanted(false, true)],
      [
        [true, true],
        [false, false],
        [true, true],
        [false, false],
      ],
    )
  })

  it('say something in a window that is smaller than the samples that a change takes', () => {
    const { state_change_samples, decided_least } = plan({ monitor_window_size: 2 }).thresholds
    assert.deepEqual([state_change_samples, decided_least], [3, 2])
  })

  it('go by the settings, and by each override before them', () => {
    const { probeTarget: aim, thresholds, window_size } = plan()
    assert.deepEqual(
      [aim?.interval_ms, aim?.timeout_ms, aim?.packet_size, window_size, thresholds],
      [
        1000,
        2000,
        56,
        60,
        {
          state_change_samples: 3,
          decided_least: 3,
          degraded_loss_percent: 20,
          down_loss_percent: 100,
          degraded_rtt_ms: null,
        },
      ],
    )
    const overridden = plan({
      monitor_interval_seconds: 0.2,
      monitor_timeout_seconds: 0.5,
      monitor_packet_size: 100,
      monitor_window_size: 9,
      monitor_degraded_loss_percent: 5,
      monitor_down_loss_percent: 50,
      monitor_degraded_rtt_ms: 150,
      monitor_state_change_samples: 1,
    })
    assert.deepEqual(
      [
        overridden.probeTarget?.interval_ms,
        overridden.probeTarget?.timeout_ms,
        overridden.probeTarget?.packet_size,
        overridden.window_size,
        overridden.thresholds,
      ],
      [
        200,
        500,
        100,
        9,
        {
          state_change_samples: 1,
          decided_least: 1,
          degraded_loss_percent: 5,
          down_loss_percent: 50,
          degraded_rtt_ms: 150,
        },
      ],
    )
  })
})
