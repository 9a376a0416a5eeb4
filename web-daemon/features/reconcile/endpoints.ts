// The endpoints of reconciliation: the host compared with what is stored.
import { command, query } from '../../platform/http/endpoint.ts'
import { resetHeals } from './heal.ts'
import { foreseeReapply, reapplyTunnel } from '../tunnels/life.ts'
import { adoptTunnel, foreseeAdoption } from './adopt.ts'
import { foreseeForgetting, forgetTunnel } from './forget.ts'
import { ignoreInterface } from './ignore.ts'
import { listAll } from './list.ts'
import type { Heals } from '../../change/heal.ts'
import type { TunnelWatch } from './watch.ts'

const tag = 'reconcile'

interface ReconcileDeps {
  readonly watch: TunnelWatch
  readonly heals: Heals
}

export const reconcileEndpoints = (deps: ReconcileDeps) => [
  query(
    'GET /reconcile',
    {
      tag,
      summary:
        'Compare every stored tunnel, network and relay rule with the host, now, and list the tunnels that the panel does not manage. Ignored interfaces are left out unless the query says include_ignored=true.',
    },
    listAll(deps.watch, deps.heals),
  ),
  command(
    'POST /reconcile/adopt',
    {
      tag,
      summary: 'Adopt a tunnel of the host as it is: not renamed, not interrupted, the kernel untouched.',
      statuses: [201, 404],
      audit: 'TunnelAdopt',
      foresee: foreseeAdoption,
      isCreating: true,
    },
    adoptTunnel,
  ),
  command(
    'POST /reconcile/ignore',
    {
      tag,
      summary:
        'Leave an interface that the panel does not manage out of the report; with "ignored": false, report it again.',
      statuses: [409],
      audit: 'ReconcileIgnore',
    },
    ignoreInterface,
  ),
  command(
    'POST /reconcile/heal/reset',
    {
      tag,
      summary:
        'Forget how often others have taken tunnels and relay rules away: what waits to be put back is put back at once.',
      audit: 'HealReset',
    },
    resetHeals(deps.heals),
  ),
  command(
    'POST /reconcile/{id}/reapply',
    {
      tag,
      summary: 'Put right whatever on the host differs from what is stored.',
      audit: 'TunnelReapply',
      foresee: foreseeReapply,
    },
    reapplyTunnel,
  ),
  command(
    'POST /reconcile/{id}/forget',
    {
      tag,
      summary: 'Drop the record of a tunnel; its interface and its unit file are left as they are.',
      audit: 'TunnelForget',
      foresee: foreseeForgetting,
    },
    forgetTunnel,
  ),
]
