// The endpoints of the section Diagnostics.
import { PING_COUNT_MAX } from '@panel/shared/api/diagnostics.ts'
import type { Logger } from 'pino'
import { command, query, stream } from '../../platform/http/endpoint.ts'
import { analyzeTunnel } from './analyze.ts'
import { showCounters } from './counters.ts'
import { probeMtu } from './mtu.ts'
import { pingTunnel } from './ping.ts'
import type { Runs } from './runs.ts'
import { getRun, listRuns, removeRun } from './stored-runs.ts'
import { traceroute } from './trace.ts'

const tag = 'diagnostics'

export function diagnosticEndpoints(runs: Runs, logger: Logger) {
  return [
    stream(
      'POST /tunnels/{id}/diagnostics/ping',
      {
        tag,
        summary:
          'Ping through a tunnel: "run", a "packet" for each as it is decided, "summary"; "error" where it fails after its beginning.',
        statuses: [409],
        gathersProblems: true,
        queue: PING_COUNT_MAX + 2,
        audit: 'DiagnosticRun',
      },
      pingTunnel(runs, logger),
    ),
    command(
      'POST /tunnels/{id}/diagnostics/mtu-probe',
      {
        tag,
        summary:
          'The largest packet that the path under a tunnel, or inside it, carries unfragmented, and the request that gives the tunnel the MTU for it.',
        statuses: [409],
        gathersProblems: true,
        audit: 'DiagnosticRun',
      },
      probeMtu(runs),
    ),
    command(
      'POST /tunnels/{id}/diagnostics/traceroute',
      {
        tag,
        summary: 'The routers on the path under a tunnel, or inside it, hop by hop.',
        statuses: [409],
        gathersProblems: true,
        audit: 'DiagnosticRun',
      },
      traceroute(runs),
    ),
    command(
      'POST /tunnels/{id}/diagnostics/analyze',
      {
        tag,
        summary: 'Why a tunnel does or does not carry packets: verdict, evidence, and what to do, in order.',
        statuses: [409],
        audit: 'DiagnosticRun',
      },
      analyzeTunnel(runs),
    ),
    query(
      'GET /tunnels/{id}/counters',
      {
        tag,
        summary: 'The counters of the interface of a tunnel, and how they move.',
        statuses: [409],
      },
      showCounters,
    ),
    query('GET /diagnostics/runs', { tag, summary: 'The stored runs, the newest first.' }, listRuns(runs)),
    query('GET /diagnostics/runs/{id}', { tag, summary: 'One stored run.' }, getRun(runs)),
    command(
      'DELETE /diagnostics/runs/{id}',
      {
        tag,
        summary: 'Delete a stored run; one that is still running is stopped first.',
        audit: 'DiagnosticDelete',
      },
      removeRun(runs),
    ),
  ]
}
