// A draft's surroundings for unit tests: a host with eth0 of MTU 1500, the seeded pools and no tunnels by default.
import type { HostInterface, RoutingEntry } from '@panel/shared/tunnel/observed.ts'
import { kindOfType } from '@panel/shared/api/base/lookups.ts'
import type { HelperFacts } from '@panel/shared/host/model.ts'
import { Problems } from '@panel/web-daemon/platform/http/problems.ts'
import { Refusal } from '@panel/web-daemon/platform/http/refusal.ts'
import {
  FIELD_ORDER,
  type RequestedTunnel,
  type DraftContext,
} from '@panel/web-daemon/features/tunnels/draft/context.ts'
import { factsOf, type HostFacts } from '@panel/web-daemon/features/tunnels/facts.ts'
import type { ExistingTunnel } from '@panel/web-daemon/features/tunnels/store.ts'
import { settingsWith } from '../../support/settings.ts'
import { SMALLEST } from '../../support/records.ts'
import { NO_STATISTICS } from '../../support/fake-interfaces.ts'

export const ENDS = SMALLEST

export function sketch(body: RequestedTunnel = {}, more: Partial<DraftContext> = {}): DraftContext {
  const kind = kindOfType(body.tunnel_type_id ?? 10)
  const pools = [
    pool(10, '172.17.0.0/16'),
    pool(20, '10.10.0.0/16'),
    { ...pool(30, '109.194.0.0/16'), is_enabled: false, is_public_range: true },
  ]
  return {
    settings: settingsWith(),
    body: { ...ENDS, ...body },
    kind,
    problems: new Problems(),
    warnings: [],
    facts: facts(),
    stored: null,
    existing: [],
    pools,
    ...more,
  }
}

export const pool = (address_pool_id: number, cidr: string) => ({
  address_pool_id,
  address_pool_title: `Pool ${address_pool_id}`,
  description: '',
  cidr,
  prefix_length: 30,
  is_enabled: true,
  is_public_range: false,
})

interface Host {
  interfaces: HostInterface[]
  routing_table: RoutingEntry[]
  helper: HelperFacts
}

const HELPER: HelperFacts = {
  savers: [
    { by: 'systemd', available: true, detail: '' },
    { by: 'networkd', available: true, detail: '' },
  ],
  kernel_release: '6.12.0',
  unit_dir: '/etc/systemd/system',
  networkd_dir: '/etc/systemd/network',
  sysctl_dir: '/etc/sysctl.d',
  version: '0',
  pid: 1,
}

export function facts({ interfaces, routing_table, helper = HELPER }: Partial<Host> = {}): HostFacts {
  return factsOf(
    interfaces ?? [device('lo', ['127.0.0.1/8'], 65536), device('eth0', ['192.0.2.1/24', '2001:db8::1/64'])],
    routing_table ?? [route('0.0.0.0/0', 'eth0'), route('192.0.2.0/24', 'eth0'), route('::/0', 'eth0')],
    helper,
  )
}

export function device(name: string, addresses: string[], mtu = 1500, kind = ''): HostInterface {
  return {
    name,
    index: 1,
    mtu,
    kind,
    hardware_addr: '',
    oper_state: 'UP',
    flags: [],
    is_up: true,
    is_lower_up: true,
    addresses,
    statistics: NO_STATISTICS,
    class: 'other',
    bridge: '',
    forwards_ipv4: true,
    rp_filter: 0,
  }
}

export function route(destination: string, name: string, more: Partial<RoutingEntry> = {}): RoutingEntry {
  return {
    destination,
    gateway: '',
    device: name,
    is_default: destination.endsWith('/0'),
    source: '',
    table: 254,
    protocol: 'static',
    metric: 0,
    ...more,
  }
}

export function neighbour(more: Partial<ExistingTunnel> = {}): ExistingTunnel {
  return {
    fwmark: null,
    is_answered_through: false,
    is_enabled: true,
    tunnel_id: 1,
    interface_name: 'gre-a-1',
    display_name: '',
    tunnel_number: 1,
    tunnel_type_id: 10,
    ...ENDS,
    ikey: 7,
    okey: 7,
    addresses: [{ address: '172.17.1.1', peer_address: '172.17.1.2', prefix_length: 30 }],
    ...more,
  }
}

/** The problems so far, as "field CODE". */
export function problemsOf({ problems }: DraftContext): string[] {
  try {
    problems.throwIfAny(FIELD_ORDER)
    return []
  } catch (refused) {
    if (!(refused instanceof Refusal)) throw refused
    return (refused.details['fields'] as { field: string; code: string }[]).map(({ field, code }) => `${field} ${code}`)
  }
}

export const warningsOf = ({ warnings }: DraftContext): string[] =>
  warnings.map(({ code, field }) => `${field} ${code}`)
