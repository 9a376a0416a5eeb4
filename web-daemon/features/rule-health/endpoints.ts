// The endpoints that show how relay rules are: as a list, one by one, and why one does not relay.
import { command, query } from '../../platform/http/endpoint.ts'
import { analyzeRoute } from './analyze.ts'
import { getRoute } from './get.ts'
import type { RuleDeps } from './items.ts'
import { listRoutes } from './list.ts'
import { reachabilityEndpoints } from './reachability.ts'

const tag = 'routes'

export const ruleHealthEndpoints = (deps: RuleDeps) => [
  query(
    'GET /routes',
    {
      tag,
      summary: 'List the rules in their order, each with its health and traffic.',
    },
    listRoutes(deps),
  ),
  query(
    'GET /routes/{id}',
    { tag, summary: 'One rule with its health, its traffic and the rules that shadow it.' },
    getRoute(deps),
  ),
  command(
    'POST /routes/{id}/diagnostics/analyze',
    {
      tag,
      summary: 'Why a rule does or does not relay: verdict, evidence, and what to do, in order.',
      audit: 'DiagnosticRun',
    },
    analyzeRoute(deps),
  ),
  ...reachabilityEndpoints(),
]
