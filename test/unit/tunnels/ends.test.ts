// The outer addresses of a tunnel, and what fits its kind (decisions.md, R6).
import assert from 'node:assert/strict'
import { draftEnds } from '@panel/web-daemon/features/tunnels/draft/ends.ts'
import { draftOptions, formatTrafficClass } from '@panel/web-daemon/features/tunnels/draft/options.ts'
import { draftPersistence } from '@panel/web-daemon/features/tunnels/draft/persistence.ts'
import type { RequestedTunnel } from '@panel/web-daemon/features/tunnels/draft/context.ts'
import { facts, problemsOf, sketch, warningsOf } from './draft-context.ts'

const wrong = (body: RequestedTunnel): string[] => {
  const draft = sketch(body)
  draftOptions(draft)
  draftEnds(draft)
  return problemsOf(draft)
}

describe('The endpoints of a tunnel', () => {
  it('must be addresses that one host can have', () => {
    for (const remote_endpoint of [
      'example.org',
      '1.2.3',
      '010.1.1.1',
      '0.0.0.0',
      '127.0.0.2',
      '224.0.0.5',
      '255.255.255.255',
      '240.0.0.1',
      '169.254.0.9',
      '198.51.100.7/24',
      ' 198.51.100.7',
    ]) {
      assert.deepEqual(wrong({ remote_endpoint }), ['remote_endpoint INVALID_ENDPOINT'], remote_endpoint)
    }
    for (const remote_endpoint of ['::', '::1', 'ff02::1', 'fe80::1', '::ffff:192.0.2.1', 'fe80::1%eth0']) {
      assert.deepEqual(
        wrong({ tunnel_type_id: 30, local_endpoint: '2001:db8::1', remote_endpoint }),
        ['remote_endpoint INVALID_ENDPOINT'],
        remote_endpoint,
      )
    }
  })

  it('may be link-local where a bind device says on which link', () => {
    assert.deepEqual(wrong({ remote_endpoint: '169.254.0.9', bind_device: 'eth0' }), [])
    assert.deepEqual(wrong({ bind_device: 'eth9' }), ['bind_device INTERFACE_NOT_FOUND'])
  })

  it('must be of the family of the tunnel, and differ', () => {
    assert.deepEqual(wrong({ remote_endpoint: '2001:db8::2' }), ['remote_endpoint ENDPOINT_FAMILY_MISMATCH'])
    assert.deepEqual(wrong({ tunnel_type_id: 40 }), [
      'local_endpoint ENDPOINT_FAMILY_MISMATCH',
      'remote_endpoint ENDPOINT_FAMILY_MISMATCH',
    ])
    assert.deepEqual(wrong({ remote_endpoint: '192.0.2.1' }), ['remote_endpoint ENDPOINTS_IDENTICAL'])
    assert.deepEqual(wrong({ tunnel_type_id: 30, local_endpoint: '2001:db8::1', remote_endpoint: '2001:DB8:0::1' }), [
      'remote_endpoint ENDPOINTS_IDENTICAL',
    ])
  })

  it('need not be there yet: a local one that no interface has is a warning', () => {
    const draft = sketch({ local_endpoint: '192.0.2.77' })
    draftEnds(draft)
    assert.deepEqual([problemsOf(draft), warningsOf(draft)], [[], ['local_endpoint LOCAL_ENDPOINT_NOT_FOUND']])
  })
})

describe('The options of a tunnel', () => {
  it('must fit its kind', () => {
    const overIpv6 = { tunnel_type_id: 30, local_endpoint: '2001:db8::1', remote_endpoint: '2001:db8::2' }
    assert.deepEqual(wrong({ hop_limit: 3, traffic_class: 4, encap_limit: 4, flow_label: 5 }), [
      'hop_limit INVALID_TTL',
      'traffic_class INVALID_TOS',
      'encap_limit INVALID_VALUE',
      'flow_label INVALID_VALUE',
    ])
    assert.deepEqual(wrong({ hop_limit: null, traffic_class: null, encap_limit: null, flow_label: 0 }), [])
    assert.deepEqual(wrong({ ...overIpv6, is_path_mtu_discovery: true, is_ignore_df: true }).slice(0, 2), [
      'is_path_mtu_discovery INVALID_VALUE',
      'is_ignore_df INVALID_VALUE',
    ])
    assert.deepEqual(
      wrong({
        ...overIpv6,
        is_path_mtu_discovery: false,
        hop_limit: 3,
        traffic_class: 'inherit',
        encap_limit: 4,
        flow_label: 5,
      }),
      [],
    )
    assert.deepEqual(wrong({ is_path_mtu_discovery: true, is_ignore_df: true }), ['is_ignore_df INVALID_VALUE'])
  })

  it('take a type of service as a word, a number or hexadecimal, and keep one spelling', () => {
    assert.deepEqual(['inherit', 16, '16', '0x10', '0X1f', 255].map(formatTrafficClass), [
      'inherit',
      '0x10',
      '0x10',
      '0x10',
      '0x1f',
      '0xff',
    ])
    assert.deepEqual(wrong({ tos: '256' }), ['tos INVALID_TOS'])
  })

  it('cannot call a tunnel down before it is degraded', () => {
    assert.deepEqual(wrong({ monitor_degraded_loss_percent: 60, monitor_down_loss_percent: 50 }), [
      'monitor_down_loss_percent INVALID_MONITOR_OVERRIDE',
    ])
    assert.deepEqual(wrong({ monitor_down_loss_percent: 19 }), ['monitor_down_loss_percent INVALID_MONITOR_OVERRIDE'])
    assert.deepEqual(wrong({ monitor_target: 'here' }), ['monitor_target INVALID_MONITOR_OVERRIDE'])
  })
})

describe('What brings a tunnel back after a reboot', () => {
  const without = facts({
    helper: {
      ...facts().helper,
      savers: [{ by: 'systemd', available: false, detail: 'the host was not booted with it' }],
    },
  })

  it('is systemd, and nothing where systemd is not there: then a warning says so', () => {
    assert.equal(draftPersistence(sketch()), 10)
    const draft = sketch({}, { facts: without })
    assert.equal(draftPersistence(draft), 30)
    assert.deepEqual(warningsOf(draft), ['persistence_type_id RUNTIME_ONLY_PERSISTENCE'])
  })

  it('is refused with the reason if it was requested and cannot be had', () => {
    for (const persistence_type_id of [10, 20]) {
      const draft = sketch({ persistence_type_id }, { facts: without })
      draftPersistence(draft)
      assert.deepEqual(problemsOf(draft), ['persistence_type_id INVALID_PERSISTENCE_TYPE'])
    }
    assert.equal(draftPersistence(sketch({ persistence_type_id: 30 }, { facts: without })), 30)
  })
})
