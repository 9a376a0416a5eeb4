// Objects of a locked file are changed by that file alone, until it is unlocked (decisions.md, V7).
import { isDeepStrictEqual } from 'node:util'
import type { AuditAction } from '@panel/shared/api/audit/actions.ts'
import type { LockDesiredBody, ListDesiredAnswer } from '@panel/shared/api/desired.ts'
import { message } from '@panel/shared/messages/message.ts'
import type { ReadContext, StoreContext } from '../../platform/context.ts'
import type { Answer, Endpoint, Incoming, Together } from '../../platform/http/endpoint.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import { SETTING_KEYS } from '../settings/definitions.ts'
import { readValues } from '../settings/settings.ts'
import { keysToReset } from '../settings/update.ts'
import { SECTIONS, type Kind } from './document.ts'
import { listFiles } from './list.ts'
import { lockedObject, setLocked, type Target } from './store.ts'

/** What a path with an id names. */
const KINDS = new Map<string, Kind>([
  ...SECTIONS.map(({ section, kind }) => [section, kind] as const),
  ['reconcile', 'tunnel'],
])

/** The objects that a request would change. */
type Targets = (context: ReadContext, incoming: Incoming<never>) => Target[] | Promise<Target[]>

const OF_SETTINGS: Readonly<Record<string, Targets>> = {
  'PUT /settings': async ({ db }, { body }) => {
    const stored = await readValues(db)
    return SETTING_KEYS.filter((key) => Object.hasOwn(body, key) && !isDeepStrictEqual(body[key], stored[key])).map(
      setting,
    )
  },
  'POST /settings/reset': (_context, { body }) => keysToReset(body).map(setting),
  'POST /reconcile/ignore': () => [setting('system.ignored_interfaces')],
}
const setting = (target_key: string): Target => ({ kind: 'setting', target_key })

const REORDER: Targets = (_context, { body }) =>
  (body as { readonly route_rule_ids: readonly number[] }).route_rule_ids.map((id) => ({
    kind: 'route',
    target_key: String(id),
  }))

/** Actions on the object of their path that change none of the fields which a file can set. */
const KEEPING: readonly AuditAction[] = [
  'DestinationDrain',
  'DestinationReturn',
  'DiagnosticRun',
  'NetworkPathBack',
  'NetworkPathOut',
  'RouteCreate',
  'RouteReapply',
  'TunnelReapply',
]

function targetsOf(endpoint: Endpoint): Targets | null {
  if (endpoint.kind !== 'command' || KEEPING.includes(endpoint.audit)) return null
  const { route } = endpoint
  const kind = KINDS.get(/^\w+ \/(\w+)\/\{id\}/.exec(route)?.[1] ?? '')
  if (kind) return (_context, { params }) => [{ kind, target_key: String(params['id']) }]
  return route === 'POST /routes/reorder' ? REORDER : (OF_SETTINGS[route] ?? null)
}

/** The endpoints, each of which refuses what would change an object of a locked file. */
export const withLocks = (endpoints: readonly Endpoint[]): Endpoint[] =>
  endpoints.map((endpoint) => {
    const targets = targetsOf(endpoint)
    if (endpoint.kind !== 'command' || !targets) return endpoint
    const { handle, foresee, check, together } = endpoint
    const unlocked =
      <C extends ReadContext, T>(work: (context: C, incoming: Incoming<never>) => Promise<T>) =>
      async (context: C, incoming: Incoming<never>): Promise<T> => {
        await refuseLocked(context, await targets(context, incoming), incoming.file)
        return work(context, incoming)
      }
    const statuses = [...(endpoint.statuses ?? []), 409 as const]
    return {
      ...endpoint,
      statuses,
      handle: unlocked(handle),
      ...(foresee && { foresee: unlocked(foresee) }),
      check: unlocked(check ?? (async () => undefined)),
      ...(together && { together: unlockedTogether(together, targets) }),
    }
  })

/** Requests of which one is for an object of a locked file are carried out each by itself, so that it is refused. */
const unlockedTogether =
  (together: Together, targetsOfOne: Targets): Together =>
  async (context, parts) => {
    for (const { incoming } of parts)
      if (await lockedObject(context.db, await targetsOfOne(context, incoming), incoming.file ?? null)) return null
    return together(context, parts)
  }

async function refuseLocked({ db }: ReadContext, targets: readonly Target[], file: string | undefined): Promise<void> {
  const locked = await lockedObject(db, targets, file ?? null)
  if (!locked) return
  const { kind, target_key, name } = locked
  throw new Refusal('MANAGED_BY_FILE', message('desired.locked', { file: name }), {
    field: kind === 'setting' ? target_key : '',
    details: { file: name, kind, target_key },
  })
}

/** POST /desired/lock. */
export async function lockFile(
  context: StoreContext,
  incoming: Incoming<LockDesiredBody>,
): Promise<Answer<ListDesiredAnswer>> {
  const { name, is_locked } = incoming.body
  context.note.target('desired', null)
  context.note.operation(`${is_locked ? 'Lock' : 'Unlock'} ${name}`)
  const found = await context.db.transaction().execute((transaction) => setLocked(transaction, name, is_locked))
  if (!found) throw new Refusal('NOT_FOUND', message('desired.no_file', { name }), { field: 'name' })
  return listFiles(context, incoming)
}
