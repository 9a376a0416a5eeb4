// The relay rules of a backup: a rule whose title or listener exists already is skipped, the others are created
// (decisions.md, T21, B2).
import type { BackupRoute, ImportAction } from '@panel/shared/api/backup.ts'
import type { ReadContext } from '../../platform/context.ts'
import { idOfTitle } from '../routes/store.ts'
import type { Ids } from './ids.ts'
import type { Item } from './read.ts'
import type { PlannedTunnels } from './tunnels.ts'
import { normalizeIp } from './normalize.ts'
import { message } from '@panel/shared/messages/message.ts'
import { importTogether, skip, type Job, type Worker } from './worker.ts'

interface Routes {
  readonly items: readonly Item<BackupRoute>[]
  readonly force: boolean
  readonly tunnels: Ids
  readonly planned: PlannedTunnels
}

export const importRoutes = (
  worker: Worker,
  context: Pick<ReadContext, 'db'>,
  { items, force, ...rest }: Routes,
): Promise<ImportAction[]> =>
  importTogether(
    worker,
    'route',
    items,
    async ({ path, item }) =>
      (await skipExisting(context, item)) ??
      importJob({ ...rest, place: path, body: force ? { ...item, force } : item }),
  )

async function skipExisting(
  { db }: Pick<ReadContext, 'db'>,
  { route_rule_title: title }: BackupRoute,
): Promise<ImportAction | null> {
  const here = title === undefined ? null : await idOfTitle(db, title)
  return here === null ? null : skip('route', title ?? '', here, message('backup.rule_same_name'))
}

interface One extends Pick<Routes, 'tunnels' | 'planned'> {
  readonly place: string
  readonly body: BackupRoute
}

function importJob({ place, body: given, tunnels, planned }: One): Job {
  const { tunnel_id: id_in_backup } = given
  const isLost =
    typeof id_in_backup === 'number' && tunnels.here(id_in_backup) === null && !tunnels.isPlanned(id_in_backup)
  return {
    kind: 'route',
    target: given.route_rule_title ?? `${given.bind_address ?? ''}:${given.bind_port}`,
    place,
    method: 'POST',
    path: '/routes',
    body: id_in_backup === undefined ? given : { ...given, tunnel_id: tunnels.here(id_in_backup) },
    isUnforeseen: dependsOnPlanned(given, tunnels, planned),
    ...(isLost && { detail: message('backup.rule_no_tunnel') }),
  }
}

/** Whether a dry run cannot check the rule, because it needs a tunnel that the import would create. */
const dependsOnPlanned = (
  { tunnel_id, snat_address, ...body }: BackupRoute,
  tunnels: Ids,
  { names, addresses }: PlannedTunnels,
): boolean =>
  tunnels.isPlanned(tunnel_id) ||
  [body.bind_interface, body.bind_address_interface, body.snat_address_interface].some((name) =>
    names.has(name ?? ''),
  ) ||
  (typeof snat_address === 'string' && addresses.has(normalizeIp(snat_address)))
