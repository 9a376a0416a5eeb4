// The relay rules of a backup: one whose title or listener is here already is left as it is, the others are made (decisions.md, T21, B2).
import type { FieldCode } from '@panel/shared/api/codes.ts'
import type { BackupRoute, ImportAction } from '@panel/shared/api/backup.ts'
import { CreateRouteBody } from '@panel/shared/api/routes/bodies.ts'
import type { ReadContext } from '../../platform/context.ts'
import type { Incoming } from '../../platform/http/endpoint.ts'
import type { Refusal } from '../../platform/http/refusal.ts'
import { createRoute } from '../routes/create.ts'
import { draftRoute } from '../routes/draft/draft.ts'
import { idOfTitle } from '../routes/store.ts'
import type { Traffic } from '../routes/traffic/traffic.ts'
import type { Ids } from './ids.ts'
import type { Item } from './read.ts'
import type { Coming } from './tunnels.ts'
import { spelledIp } from './spelling.ts'
import { skip, type Done, type Job, type Worker } from './worker.ts'

interface Routes {
  readonly items: readonly Item<BackupRoute>[]
  readonly context: ReadContext
  readonly force: boolean
  readonly traffic: Traffic
  readonly tunnels: Ids
  readonly coming: Coming
}

export async function importRoutes(
  worker: Worker,
  { items, context, force, ...rest }: Routes,
): Promise<ImportAction[]> {
  const actions: ImportAction[] = []
  for (const { path, item } of items) {
    actions.push(
      (await twinOf(context, item)) ??
        (await worker.do(jobOf({ ...rest, path, body: force ? { ...item, force } : item }))),
    )
  }
  return actions
}

async function twinOf({ db }: ReadContext, { route_rule_title: title }: BackupRoute): Promise<ImportAction | null> {
  const here = title === undefined ? null : await idOfTitle(db, title)
  return here === null ? null : skip('route', title ?? '', here, 'A rule of this name is here, and is left as it is.')
}

interface One extends Pick<Routes, 'traffic' | 'tunnels' | 'coming'> {
  readonly path: string
  readonly body: BackupRoute
}

function jobOf({ path, body: given, traffic, tunnels, coming }: One): Job {
  const { tunnel_id: own } = given
  const isLost = typeof own === 'number' && tunnels.here(own) === null && !tunnels.isComing(own)
  return {
    kind: 'route',
    target: given.route_rule_title ?? `${given.bind_address ?? ''}:${given.bind_port}`,
    path,
    wish: 'create',
    detail: isLost ? 'The tunnel that it relays over is not on this server: the rule names none.' : '',
    audit: 'RouteCreate',
    body: own === undefined ? given : { ...given, tunnel_id: tunnels.here(own) },
    schema: CreateRouteBody,
    needsHelper: true,
    look: leansOn(given, tunnels, coming) ? null : lookAt,
    carryOut: async (context, incoming) => {
      const { route, warnings } = (await createRoute(traffic)(context, incoming)).body
      return { target_id: route.route_rule_id, warnings, target: route.route_rule_title }
    },
    isThere: twinInRefusal,
  }
}

/** Whether it can be judged only once a tunnel is there that this import makes. */
const leansOn = (
  { tunnel_id, bind_interface, snat_address }: BackupRoute,
  tunnels: Ids,
  { names, addresses }: Coming,
): boolean =>
  tunnels.isComing(tunnel_id) ||
  (typeof bind_interface === 'string' && names.has(bind_interface)) ||
  (typeof snat_address === 'string' && addresses.has(spelledIp(snat_address)))

async function lookAt(context: ReadContext, incoming: Incoming<never>): Promise<Done> {
  const { warnings } = await draftRoute(context, incoming)
  return { target_id: null, warnings }
}

/** A rule in force that listens for just the same is this one under another name. */
function twinInRefusal({ details }: Refusal): number | null {
  const fields = (details['fields'] ?? []) as readonly {
    readonly code: FieldCode
    readonly details: { readonly route_rule_id?: number }
  }[]
  return fields.find(({ code }) => code === 'ROUTE_PORT_CONFLICT')?.details.route_rule_id ?? null
}
