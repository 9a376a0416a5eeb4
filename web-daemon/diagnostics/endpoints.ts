// The endpoints of the section Diagnostics.
import { AnalyzeTunnelBody, MtuProbeBody, PING_COUNT_MAX, PingBody, TracerouteBody } from '@panel/shared/api/diagnostics.ts'
import type { Logger } from 'pino'
import { command, query, stream, type Endpoint } from '../http/endpoint.ts'
import { analyzeTunnel } from './analyze.ts'
import { showCounters } from './counters.ts'
import { probeMtu } from './mtu.ts'
import { pingTunnel } from './ping.ts'
import type { Runs } from './runs.ts'
import { getRun, listRuns, removeRun } from './stored.ts'
import { traceroute } from './trace.ts'

const tag = 'diagnostics'

export const diagnosticEndpoints = (runs: Runs, logger: Logger): Endpoint[] => [
  stream('POST /tunnels/{id}/diagnostics/ping', { tag, summary: 'Ping through a tunnel: "run", a "packet" for each as it is decided, "summary"; "error" where it fails after its beginning.', body: PingBody, gathersProblems: true, queue: PING_COUNT_MAX + 2, audit: 'DiagnosticRun' }, pingTunnel(runs, logger)),
  command('POST /tunnels/{id}/diagnostics/mtu-probe', { tag, summary: 'The largest packet that the way under a tunnel, or inside it, carries whole, and the request that gives the tunnel the MTU for it.', body: MtuProbeBody, gathersProblems: true, audit: 'DiagnosticRun' }, probeMtu(runs)),
  command('POST /tunnels/{id}/diagnostics/traceroute', { tag, summary: 'Who stands on the way under a tunnel, or inside it, hop by hop.', body: TracerouteBody, gathersProblems: true, audit: 'DiagnosticRun' }, traceroute(runs)),
  command('POST /tunnels/{id}/diagnostics/analyze', { tag, summary: 'Why a tunnel does or does not carry packets: verdict, evidence, and what to do, in order.', body: AnalyzeTunnelBody, audit: 'DiagnosticRun' }, analyzeTunnel(runs)),
  query('GET /tunnels/{id}/counters', { tag, summary: 'The counters of the interface of a tunnel, and how they move. Query: sample_seconds.' }, showCounters),
  query('GET /diagnostics/runs', { tag, summary: 'The stored runs, the newest first. Query: tunnel_id, type (ping, mtu-probe, traceroute, analyze), limit, offset.' }, listRuns(runs)),
  query('GET /diagnostics/runs/{id}', { tag, summary: 'One stored run.' }, getRun(runs)),
  command('DELETE /diagnostics/runs/{id}', { tag, summary: 'Take a run out of the store; one that is under way is stopped first.', audit: 'DiagnosticDelete' }, removeRun(runs)),
]
