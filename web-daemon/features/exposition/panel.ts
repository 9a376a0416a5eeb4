// The families of the panel itself and of the table of connections.
import { gauge, labels, type Family, type Sample } from './format.ts'
import type { Histogram } from './histogram.ts'

export interface PanelSources {
  readonly version: string
  readonly isHelperUp: () => boolean
  /** How many tunnels and rules of the host are not as they are stored. */
  readonly drift: () => Readonly<Record<string, number>>
  readonly isWindowOpen: () => boolean
  /** Null where the kernel tracks none. */
  readonly conntrack: () => { readonly count: number; readonly max: number } | null
  readonly changes: Histogram
  readonly requests: () => Iterable<{ readonly route: string; readonly status: number; readonly count: number }>
}

export function panelFamilies(sources: PanelSources): Family[] {
  const conntrack = sources.conntrack()
  return [
    {
      name: 'tunnel_panel_build',
      type: 'info',
      help: 'The version of the panel.',
      samples: [{ labels: labels({ version: sources.version }), value: 1 }],
    },
    gauge('up', '1 while the panel answers.', one(1)),
    gauge('helper_up', '1 while the root helper is connected.', one(sources.isHelperUp() ? 1 : 0)),
    gauge('drift_items', 'Tunnels and relay rules that the host does not hold as they are stored.', [
      ...Object.entries(sources.drift()).map(([noun, value]) => ({ labels: labels({ noun }), value })),
    ]),
    gauge('safe_apply_open', '1 while changes wait for a confirmation.', one(sources.isWindowOpen() ? 1 : 0)),
    gauge('conntrack_entries', 'Connections that the kernel tracks.', conntrack ? one(conntrack.count) : []),
    gauge('conntrack_limit', 'Connections that the kernel can track.', conntrack ? one(conntrack.max) : []),
    {
      name: 'tunnel_panel_change_seconds',
      type: 'histogram',
      help: 'How long the root helper took for a change of the host, by operation.',
      samples: sources.changes.samples(),
    },
    {
      name: 'tunnel_panel_http_requests',
      type: 'counter',
      help: 'Requests that were answered since the panel started, by endpoint and status.',
      samples: requestSamples(sources.requests()),
    },
  ]
}

const one = (value: number): Sample[] => [{ labels: '', value }]

function* requestSamples(requests: ReturnType<PanelSources['requests']>): Iterable<Sample> {
  for (const { route, status, count } of requests) yield { labels: labels({ route, status }), value: count }
}
