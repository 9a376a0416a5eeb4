// The endpoints of relay rules: what changes them, and what they consist of.
import type { ReadImpact } from '../../platform/impact.ts'
import { command, preview, query } from '../../platform/http/endpoint.ts'
import {
  addAllowedSource,
  foreseeAddition as foreseeSourceAdded,
  foreseeRemoval as foreseeSourceRemoved,
  listAllowedSources,
  removeAllowedSource,
} from './allowed-sources.ts'
import { applyAll, foreseeAll } from './apply-all.ts'
import { createRoute, foreseeCreation } from './create.ts'
import { deleteRoute, foreseeDeletion } from './delete.ts'
import {
  addDestination,
  foreseeAddition as foreseeDestinationAdded,
  foreseeRemoval as foreseeDestinationRemoved,
  listDestinations,
  removeDestination,
} from './destinations.ts'
import { duplicateRoute } from './duplicate.ts'
import { disableRoute, enableRoute, foreseeDisable, foreseeEnable, foreseeReapply, reapplyRoute } from './life.ts'
import { pathTo } from './path/path-to.ts'
import { previewRoute } from './preview.ts'
import { foreseeOrder, reorderRoutes } from './reorder.ts'
import { createRoutes, deleteRoutes } from './together.ts'
import type { ChangeDeps } from './foresee-causes.ts'
import { foreseeUpdate, updateRoute } from './update.ts'

const tag = 'routes'

export const routeEndpoints = (deps: ChangeDeps, readImpact: ReadImpact) => [
  command(
    'POST /routes',
    {
      tag,
      summary:
        'Create a rule: checked, applied in one transaction, read back from the kernel, and put back if anything differs.',
      statuses: [201],
      gathersProblems: true,
      audit: 'RouteCreate',
      foresee: foreseeCreation,
      isCreating: true,
      together: createRoutes(deps.traffic),
    },
    createRoute(deps),
  ),
  preview(
    'POST /routes/preview',
    {
      tag,
      summary: 'Show the exact netfilter text that creating or changing a rule would submit, and do nothing.',
      statuses: [409],
      gathersProblems: true,
    },
    previewRoute(readImpact, deps.foreseeCauses),
  ),
  command(
    'POST /routes/reorder',
    {
      tag,
      summary:
        'Set the order of the rules: of two that match a connection the first gets it. Rules that are left out follow in the order that they have.',
      audit: 'RouteReorder',
      foresee: foreseeOrder,
    },
    reorderRoutes(deps.traffic),
  ),
  command(
    'POST /routes/apply-all',
    {
      tag,
      summary: 'Put into the kernel all rules that are enabled, as they are stored, and take out any other.',
      audit: 'RouteReapply',
      foresee: foreseeAll,
    },
    applyAll(deps.traffic),
  ),
  query(
    'GET /routes/path',
    {
      tag,
      summary: 'Which tunnel leads to an address, by the routing table and the subnets of the tunnels.',
    },
    pathTo,
  ),
  command(
    'PATCH /routes/{id}',
    {
      tag,
      summary: 'Change a rule: absent fields keep their value, null is a value of its own.',
      gathersProblems: true,
      audit: 'RouteUpdate',
      foresee: foreseeUpdate,
      isVersioned: true,
    },
    updateRoute(deps),
  ),
  command(
    'DELETE /routes/{id}',
    {
      tag,
      summary: 'Delete a rule, in the kernel and in the panel. IP forwarding stays as it is.',
      audit: 'RouteDelete',
      foresee: foreseeDeletion,
      together: deleteRoutes(deps.traffic),
    },
    deleteRoute(deps.traffic),
  ),
  command(
    'POST /routes/{id}/enable',
    {
      tag,
      summary: 'Enable a rule.',
      audit: 'RouteEnable',
      foresee: foreseeEnable,
    },
    enableRoute(deps),
  ),
  command(
    'POST /routes/{id}/disable',
    {
      tag,
      summary: 'Disable a rule; it stays stored.',
      audit: 'RouteDisable',
      foresee: foreseeDisable,
    },
    disableRoute(deps),
  ),
  command(
    'POST /routes/{id}/reapply',
    {
      tag,
      summary: 'Put a rule into the kernel as it is stored: the remedy where somebody changed it there.',
      audit: 'RouteReapply',
      foresee: foreseeReapply,
    },
    reapplyRoute(deps),
  ),
  command(
    'POST /routes/{id}/duplicate',
    {
      tag,
      summary: 'Copy a rule under a free name, disabled.',
      statuses: [201],
      audit: 'RouteCreate',
      isCreating: true,
    },
    duplicateRoute,
  ),
  query('GET /routes/{id}/destinations', { tag, summary: 'Where a rule relays to.' }, listDestinations),
  command(
    'POST /routes/{id}/destinations',
    {
      tag,
      summary: 'Add a destination to a rule.',
      audit: 'RouteUpdate',
      foresee: foreseeDestinationAdded,
    },
    addDestination(deps),
  ),
  command(
    'DELETE /routes/{id}/destinations',
    {
      tag,
      summary: 'Remove a destination from a rule, by address and port or by id; not its last.',
      audit: 'RouteUpdate',
      foresee: foreseeDestinationRemoved,
    },
    removeDestination(deps),
  ),
  query(
    'GET /routes/{id}/allowed-sources',
    { tag, summary: 'Who may use a rule. None named: anybody.' },
    listAllowedSources,
  ),
  command(
    'POST /routes/{id}/allowed-sources',
    {
      tag,
      summary: 'Allow a network to use a rule.',
      audit: 'RouteUpdate',
      foresee: foreseeSourceAdded,
    },
    addAllowedSource(deps),
  ),
  command(
    'DELETE /routes/{id}/allowed-sources',
    {
      tag,
      summary: 'Remove an allowed network from a rule. Without the last one anybody may use it.',
      audit: 'RouteUpdate',
      foresee: foreseeSourceRemoved,
    },
    removeAllowedSource(deps),
  ),
]
