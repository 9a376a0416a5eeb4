// The endpoints of networks behind tunnels.
import { command, preview, query } from '../../platform/http/endpoint.ts'
import type { ReadImpact } from '../../platform/impact.ts'
import { createNetwork, foreseeCreation } from './create.ts'
import { deleteNetwork, foreseeDeletion } from './delete.ts'
import { getNetwork, listNetworks } from './list.ts'
import { foreseePuttingBack, foreseeTakingOut, putBack, takeOut } from './paths.ts'
import { previewNetwork } from './preview.ts'
import { foreseeUpdate, updateNetwork } from './update.ts'

const tag = 'networks'

export const networkEndpoints = (readImpact: ReadImpact) => [
  query(
    'GET /networks',
    { tag, summary: 'List the networks behind tunnels, each with the paths that carry and what the host holds of it.' },
    listNetworks,
  ),
  command(
    'POST /networks',
    {
      tag,
      summary:
        'Add a network behind tunnels: checked, applied, read back from the kernel, and put back if anything differs.',
      statuses: [201],
      gathersProblems: true,
      audit: 'NetworkCreate',
      foresee: foreseeCreation,
      isCreating: true,
    },
    createNetwork,
  ),
  preview(
    'POST /networks/preview',
    {
      tag,
      summary: 'Show what adding or changing a network would do, and do nothing.',
      gathersProblems: true,
    },
    previewNetwork(readImpact),
  ),
  query('GET /networks/{id}', { tag, summary: 'One network with what the host holds of it.' }, getNetwork),
  command(
    'PATCH /networks/{id}',
    {
      tag,
      summary:
        'Change a network: absent fields keep their value, null is a value of its own. Without fields, put right whatever on the host differs from what is stored.',
      gathersProblems: true,
      audit: 'NetworkUpdate',
      foresee: foreseeUpdate,
      isVersioned: true,
    },
    updateNetwork,
  ),
  command(
    'DELETE /networks/{id}',
    {
      tag,
      summary: 'Delete a network, with its route and its own addresses. Its tunnels stay.',
      audit: 'NetworkDelete',
      foresee: foreseeDeletion,
    },
    deleteNetwork,
  ),
  command(
    'POST /networks/{id}/paths/{tunnel_id}/take-out',
    {
      tag,
      summary: 'Take a path out by hand: it carries no longer, unless no other path can.',
      audit: 'NetworkPathOut',
      foresee: foreseeTakingOut,
    },
    takeOut,
  ),
  command(
    'POST /networks/{id}/paths/{tunnel_id}/put-back',
    {
      tag,
      summary: 'Put a path back that was taken out by hand.',
      audit: 'NetworkPathBack',
      foresee: foreseePuttingBack,
    },
    putBack,
  ),
]
