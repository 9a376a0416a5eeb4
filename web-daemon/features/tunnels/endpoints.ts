// The endpoints of tunnels.
import type { ReadImpact } from '../../platform/impact.ts'
import { command, preview, query } from '../../platform/http/endpoint.ts'
import { addAddress, foreseeAddition, foreseeRemoval, listAddresses, removeAddress } from './addresses.ts'
import { createTunnel, foreseeCreation } from './create.ts'
import { deleteTunnel, foreseeDeletion } from './delete.ts'
import { listDependants, type DependentRoutes } from './dependants.ts'
import { getTunnel } from './get.ts'
import {
  downTunnel,
  foreseeDown,
  foreseeReapply,
  foreseeRestart,
  foreseeUp,
  reapplyTunnel,
  restartTunnel,
  upTunnel,
} from './life.ts'
import { listAllTunnels, type InState } from './list.ts'
import type { PathUse } from './path-use.ts'
import { previewTunnel } from './preview.ts'
import { foreseeUpdate, updateTunnel } from './update.ts'

const tag = 'tunnels'

interface Deps {
  readonly dependants: DependentRoutes
  readonly inState: InState
  readonly paths: PathUse
  readonly readImpact: ReadImpact
}

export const tunnelEndpoints = ({ dependants, inState, paths, readImpact }: Deps) => [
  query(
    'GET /tunnels',
    {
      tag,
      summary: 'List the tunnels, each with what the host shows of it.',
    },
    listAllTunnels(inState),
  ),
  command(
    'POST /tunnels',
    {
      tag,
      summary: 'Create a tunnel: checked, applied, read back from the kernel, and put back if anything differs.',
      statuses: [201],
      gathersProblems: true,
      audit: 'TunnelCreate',
      foresee: foreseeCreation,
      isCreating: true,
    },
    createTunnel,
  ),
  preview(
    'POST /tunnels/preview',
    {
      tag,
      summary:
        'Show what creating a tunnel would do, and do nothing. Its "resolved" is the request with name, number, keys, MTU and addresses decided: posted to /tunnels, it makes exactly what the plan shows.',
      statuses: [409],
      gathersProblems: true,
    },
    previewTunnel(readImpact),
  ),
  query('GET /tunnels/{id}', { tag, summary: 'One tunnel with what the host shows of it.' }, getTunnel),
  command(
    'PATCH /tunnels/{id}',
    {
      tag,
      summary:
        'Change a tunnel: absent fields keep their value, null is a value of its own. What only a new link can have, and what the other end has to follow at the same time, needs confirm_recreate; without it the answer is 409 with the reasons.',
      gathersProblems: true,
      audit: 'TunnelUpdate',
      foresee: foreseeUpdate(paths),
      isVersioned: true,
    },
    updateTunnel(dependants, paths),
  ),
  command(
    'DELETE /tunnels/{id}',
    {
      tag,
      summary:
        'Delete a tunnel, on the host and in the panel; safe to repeat. Refused where the request itself comes through the tunnel, unless i_understand_i_may_lose_access is set, and where it is a path of networks, unless force is set and each has another path.',
      audit: 'TunnelDelete',
      foresee: foreseeDeletion(paths),
    },
    deleteTunnel(dependants, paths),
  ),
  command(
    'POST /tunnels/{id}/up',
    {
      tag,
      summary: 'Bring a tunnel up, now and after every reboot.',
      audit: 'TunnelEnable',
      foresee: foreseeUp(paths),
    },
    upTunnel(paths),
  ),
  command(
    'POST /tunnels/{id}/down',
    {
      tag,
      summary: 'Take a tunnel down: the interface is kept, and does not come back after a reboot.',
      audit: 'TunnelDisable',
      foresee: foreseeDown(paths),
    },
    downTunnel(dependants, paths),
  ),
  command(
    'POST /tunnels/{id}/restart',
    {
      tag,
      summary: 'Take the link down and bring it up again as stored.',
      audit: 'TunnelReapply',
      foresee: foreseeRestart,
    },
    restartTunnel(dependants),
  ),
  command(
    'POST /tunnels/{id}/reapply',
    {
      tag,
      summary: 'Put right whatever on the host differs from what is stored: the remedy for drift.',
      audit: 'TunnelReapply',
      foresee: foreseeReapply,
    },
    reapplyTunnel,
  ),
  query(
    'GET /tunnels/{id}/routes',
    {
      tag,
      summary: 'The relay rules that use a tunnel, and what taking it down means for them.',
    },
    listDependants(dependants),
  ),
  query(
    'GET /tunnels/{id}/addresses',
    { tag, summary: 'The addresses inside a tunnel, as stored and as the link shows them.' },
    listAddresses,
  ),
  command(
    'POST /tunnels/{id}/addresses',
    {
      tag,
      summary: 'Add an address to a tunnel.',
      audit: 'TunnelUpdate',
      foresee: foreseeAddition,
    },
    addAddress,
  ),
  command(
    'DELETE /tunnels/{id}/addresses',
    {
      tag,
      summary: 'Remove an address from a tunnel; the last one only with force.',
      audit: 'TunnelUpdate',
      foresee: foreseeRemoval,
    },
    removeAddress,
  ),
]
