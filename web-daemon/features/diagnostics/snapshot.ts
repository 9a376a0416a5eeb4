// Everything that the analysis of a tunnel needs, gathered at once: the interface, pings inside and around the tunnel
// with its counters meanwhile, and firewalls.
import { setTimeout as sleep } from 'node:timers/promises'
import type { CountersAnswer } from '@panel/shared/api/diagnostics.ts'
import { drawnBy } from '@panel/shared/limits/judge.ts'
import type { Drawn } from '@panel/shared/limits/model.ts'
import { ADDRESS_FAMILIES } from '@panel/shared/api/base/lookups.ts'
import type { ForeignFound } from '@panel/shared/foreign/model.ts'
import type { HostInterface, ObservedLink } from '@panel/shared/tunnel/observed.ts'
import type { PingPacket, PingParams } from '@panel/shared/path/model.ts'
import { verbatim, type Message } from '@panel/shared/messages/message.ts'
import type { ReadContext } from '../../platform/context.ts'
import { foreignRules } from '../forwarding/foreign.ts'
import { Problems } from '../../platform/http/problems.ts'
import type { Host } from '../metrics/host.ts'
import { probeOne } from '../tunnels/draft/before.ts'
import { familyIdOf, type TunnelRecord } from '../tunnels/record.ts'
import { sampleCounters } from './counters.ts'
import { pathEnds, type Ends } from './ends.ts'
import { asMessage } from '../../platform/http/refusal.ts'
import { refusalsSent } from './refusals.ts'
import type { Run } from './runs.ts'

const PACKETS = 4
const SMALL = 56
/** Bytes of the IP and ICMP headers. */
const headersFor = (address: string): number => (familyIdOf(address) === ADDRESS_FAMILIES.IPv6 ? 48 : 28)

export interface PingSample {
  readonly source: string
  readonly target: string
  readonly packets: readonly PingPacket[]
}

export interface TunnelSnapshot {
  readonly link: ObservedLink | null
  readonly sample: Omit<CountersAnswer, 'sampled_at'> | null
  /** Null if it could not be tried; `reason` says why. */
  readonly inside: PingSample | null
  readonly reason: Message
  readonly around: PingSample
  /** Packets of the size of the MTU; null if small ones do not arrive either. */
  readonly large: PingSample | null
  readonly foreign: ForeignFound
  /** The interface with the local endpoint's address; null if there is none. */
  readonly device: string | null
  /** What it draws to this host of what is nobody's own; null if it draws nothing of it. */
  readonly drawn: Drawn | null
  /** How many packets this server rejected meanwhile, unrelated ones included. */
  readonly refused: number
}

export function isAnswered(pinged: PingSample | null): boolean {
  return pinged !== null && pinged.packets.some(({ outcome }) => outcome === 'reply')
}

export async function takeSnapshot(
  { request, settings, host }: Pick<ReadContext, 'request' | 'settings'> & { readonly host: Host },
  record: TunnelRecord,
  run: Run,
  seconds: number,
): Promise<TunnelSnapshot> {
  const timeout_ms = Math.round(1000 * settings.get('diagnostics.manual_ping_timeout'))
  const interval_ms = Math.max(10, Math.round((1000 * seconds) / PACKETS))
  const ping = (ends: Ends, packet_size = SMALL, is_dont_fragment = false): Promise<PingSample> =>
    pingSample(run, { ...ends, count: PACKETS, interval_ms, timeout_ms, packet_size, is_dont_fragment })
  const problems = new Problems()
  const ends = pathEnds(record, 'tunnel', {}, problems)
  const link = (await probeOne(request, record.interface_name)).observed
  const refusedBefore = refusalsSent(host)
  const underlay = ping(pathEnds(record, 'underlay', {}, new Problems()))
  let inside: PingSample | null = null
  const [sample, around, foreign, { interfaces, limits }] = await Promise.all([
    sampleCounters(request, record.interface_name, async () => {
      const pings = link && problems.isEmpty ? ping(ends) : null
      ;[inside] = await Promise.all([pings, sleep(1000 * seconds, undefined, { signal: run.signal })])
    }),
    underlay,
    foreignRules(request),
    request('host.probe', { parts: ['interfaces', 'limits'] }),
  ])
  const room = (link?.mtu ?? 0) - headersFor(ends.target_address)
  const large = isAnswered(inside) && room > SMALL ? await ping(ends, room, true) : null
  const refused = refusalsSent(host) - refusedBefore
  const reason = problems.all[0] ? asMessage(problems.all[0]) : verbatim('')
  const device = deviceWith(record.local_endpoint, interfaces ?? [])
  const own = new Map([[record.interface_name, record.addresses]])
  const [drawn = null] = limits ? drawnBy(limits.limits, own) : []
  return { link, sample, inside, reason, around, large, foreign, device, drawn, refused }
}

const deviceWith = (address: string, interfaces: readonly HostInterface[]): string | null =>
  interfaces.find(({ addresses }) => addresses.some((cidr) => cidr.split('/')[0] === address))?.name ?? null

async function pingSample({ stream, signal }: Run, params: PingParams): Promise<PingSample> {
  const packets: PingPacket[] = []
  await stream(
    'path.ping',
    params,
    (item) => void packets.push(...item.packets.filter(({ outcome }) => outcome !== 'late')),
    signal,
  )
  return { source: params.source_address, target: params.target_address, packets }
}
