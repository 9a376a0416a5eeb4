// The families of the tunnels: which there are, how each is, and what went through it.
import type { InterfaceReading } from '@panel/shared/api/metrics.ts'
import { kindOfType, MONITOR_STATES, RECONCILE_STATUSES, TUNNEL_SIDES } from '@panel/shared/api/base/lookups.ts'
import type { MonitorStatus } from '@panel/shared/api/monitor.ts'
import type { ReadDb } from '../../platform/context.ts'
import { labels, type Family, type FamilyType, type LabelText } from './format.ts'
import { statesOf } from './states.ts'
import type { Bytes, TunnelTotals } from './tunnel-totals.ts'
import { everyTunnel } from '../tunnels/store.ts'

export interface TunnelSources {
  readonly db: ReadDb
  readonly totals: TunnelTotals
  readonly interfaces: () => readonly InterfaceReading[]
  /** The status that the monitor last knew. */
  readonly statusOf: (tunnel_id: number) => MonitorStatus | null
  /** How each tunnel compared with what is stored in the last pass of the background. */
  readonly agreements: () => ReadonlyMap<number, string>
}

interface Observed {
  readonly tunnel: Tunnel
  readonly own: LabelText
  readonly status: MonitorStatus | null
  readonly bytes: Bytes | undefined
  readonly agreement: string | undefined
}

export async function tunnelFamilies(sources: TunnelSources): Promise<Family[]> {
  const tunnels = await everyTunnel(sources.db)
  const bytes = sources.totals.update(tunnels, sources.interfaces())
  const agreements = sources.agreements()
  const all = tunnels.map((tunnel) => ({
    tunnel,
    own: labels({ tunnel: tunnel.tunnel_id }),
    status: sources.statusOf(tunnel.tunnel_id),
    bytes: bytes.get(tunnel.tunnel_id),
    agreement: agreements.get(tunnel.tunnel_id),
  }))
  return [...stateFamilies(all), ...MEASURES.map(([name, type, help, of]) => measured(all, { name, type, help, of }))]
}

function stateFamilies(all: readonly Observed[]): Family[] {
  const states = statesOf('tunnel', Object.keys(MONITOR_STATES))
  const agreements = statesOf('tunnel', Object.keys(RECONCILE_STATUSES))
  return [
    {
      name: 'tunnel_panel_tunnel',
      type: 'info',
      help: 'Each tunnel, with what may change while its id stays.',
      samples: all.map(({ tunnel }) => ({ labels: infoOf(tunnel), value: 1 })),
    },
    {
      name: 'tunnel_panel_tunnel_state',
      type: 'gauge',
      help: '1 for the state that the monitor gives the tunnel, 0 for the others.',
      samples: all.flatMap(({ tunnel, status }) => (status ? states(tunnel.tunnel_id, status.state) : [])),
    },
    {
      name: 'tunnel_panel_tunnel_agreement',
      type: 'gauge',
      help: '1 for how the tunnel on the host compares with what is stored, 0 for the others.',
      samples: all.flatMap(({ tunnel, agreement }) =>
        agreement === undefined ? [] : agreements(tunnel.tunnel_id, agreement),
      ),
    },
  ]
}

type Measure = (one: Observed) => number | null | undefined

const MEASURES: readonly (readonly [name: string, type: FamilyType, help: string, of: Measure])[] = [
  [
    'rtt_seconds',
    'gauge',
    'Average round trip of the last probes; absent where none was answered.',
    ({ status }) => scaled(status?.stats.rtt_avg_ms, 1000),
  ],
  [
    'loss_ratio',
    'gauge',
    'Share of the last probes that was lost, 0 to 1; absent where none was sent.',
    ({ status }) => scaled(status?.stats.loss_percent, 100),
  ],
  ['receive_bytes', 'counter', 'Bytes received over the tunnel.', ({ bytes }) => bytes?.received],
  ['transmit_bytes', 'counter', 'Bytes sent over the tunnel.', ({ bytes }) => bytes?.transmitted],
]

const measured = (
  all: readonly Observed[],
  { name, of, ...family }: Omit<Family, 'samples'> & { readonly of: Measure },
): Family => ({
  ...family,
  name: `tunnel_panel_tunnel_${name}`,
  samples: all.flatMap((one) => {
    const value = of(one)
    return value === null || value === undefined ? [] : [{ labels: one.own, value }]
  }),
})

const scaled = (value: number | null | undefined, by: number): number | null =>
  typeof value === 'number' ? value / by : null

type Tunnel = Awaited<ReturnType<typeof everyTunnel>>[number]

const SIDE_NAMES = new Map<number, string>(Object.entries(TUNNEL_SIDES).map(([name, id]) => [id, name.toLowerCase()]))

const infoOf = ({ tunnel_id, interface_name, tunnel_side_id, tunnel_type_id, remote_endpoint }: Tunnel) =>
  labels({
    tunnel: tunnel_id,
    interface: interface_name,
    side: SIDE_NAMES.get(tunnel_side_id ?? 0) ?? '',
    type: kindOfType(tunnel_type_id),
    remote: remote_endpoint,
  })
