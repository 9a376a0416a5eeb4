// The relay rules of a backup: a rule whose title or listener exists already is skipped, the others are created
// (decisions.md, T21, B2).
import type { FieldCode } from '@panel/shared/api/base/codes.ts'
import type { BackupRoute, ImportAction } from '@panel/shared/api/backup.ts'
import { CreateRouteBody } from '@panel/shared/api/routes/bodies.ts'
import type { ReadContext } from '../../platform/context.ts'
import type { Incoming } from '../../platform/http/endpoint.ts'
import type { Refusal } from '../../platform/http/refusal.ts'
import { createRoute } from '../routes/create.ts'
import { WITHOUT_PLAN } from '../routes/foresee-causes.ts'
import { draftRoute } from '../routes/draft/draft.ts'
import { ruleOf } from '../routes/record.ts'
import { idOfTitle } from '../routes/store.ts'
import type { Accounting } from '../routes/accounting.ts'
import type { Ids } from './ids.ts'
import type { Item } from './read.ts'
import type { PlannedTunnels } from './tunnels.ts'
import { normalizeIp } from './normalize.ts'
import { message } from '@panel/shared/messages/message.ts'
import { skip, wrong, type ImportResult, type Job, type Worker } from './worker.ts'

interface Routes {
  readonly items: readonly Item<BackupRoute>[]
  readonly context: ReadContext
  readonly force: boolean
  readonly traffic: Accounting
  readonly tunnels: Ids
  readonly planned: PlannedTunnels
}

export async function importRoutes(
  worker: Worker,
  { items, context, force, ...rest }: Routes,
): Promise<ImportAction[]> {
  const actions: ImportAction[] = []
  for (const one of items) {
    if (one.fault) {
      actions.push(wrong(worker, 'route', one))
      continue
    }
    const { path, item } = one
    actions.push(
      (await skipExisting(context, item)) ??
        (await worker.do(importJob({ ...rest, path, body: force ? { ...item, force } : item }))),
    )
  }
  return actions
}

async function skipExisting(
  { db }: ReadContext,
  { route_rule_title: title }: BackupRoute,
): Promise<ImportAction | null> {
  const here = title === undefined ? null : await idOfTitle(db, title)
  return here === null ? null : skip('route', title ?? '', here, message('backup.rule_same_name'))
}

interface One extends Pick<Routes, 'traffic' | 'tunnels' | 'planned'> {
  readonly path: string
  readonly body: BackupRoute
}

function importJob({ path, body: given, traffic, tunnels, planned }: One): Job {
  const { tunnel_id: tunnel_id_in_backup } = given
  const isLost =
    typeof tunnel_id_in_backup === 'number' &&
    tunnels.here(tunnel_id_in_backup) === null &&
    !tunnels.isPlanned(tunnel_id_in_backup)
  return {
    kind: 'route',
    target: given.route_rule_title ?? `${given.bind_address ?? ''}:${given.bind_port}`,
    path,
    action: 'create',
    ...(isLost && { detail: message('backup.rule_no_tunnel') }),
    audit: 'RouteCreate',
    body: tunnel_id_in_backup === undefined ? given : { ...given, tunnel_id: tunnels.here(tunnel_id_in_backup) },
    schema: CreateRouteBody,
    needsHelper: true,
    dryRun: dependsOnPlanned(given, tunnels, planned) ? null : dryRunRoute,
    apply: async (context, incoming) => {
      const { route, warnings } = (await createRoute({ traffic, foreseeCauses: WITHOUT_PLAN })(context, incoming)).body
      return { target_id: route.route_rule_id, warnings, target: route.route_rule_title }
    },
    existingId: existingInRefusal,
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

async function dryRunRoute(context: ReadContext, incoming: Incoming<never>): Promise<ImportResult> {
  const { record, warnings } = await draftRoute(context, incoming)
  const rule = ruleOf(record)
  return {
    target_id: null,
    warnings,
    changes: rule ? [{ noun: 'route', change: { before: null, after: [rule] } }] : [],
  }
}

/** An enabled rule with the same listener is the same rule under another name. */
function existingInRefusal({ details }: Refusal): number | null {
  const fields = (details['fields'] ?? []) as readonly {
    readonly code: FieldCode
    readonly details: { readonly route_rule_id?: number }
  }[]
  return fields.find(({ code }) => code === 'ROUTE_PORT_CONFLICT')?.details.route_rule_id ?? null
}
