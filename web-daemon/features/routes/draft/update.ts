// The draft of a change: the checks of a creation, run over the stored rule with the requested changes (reference.md,
// PATCH /routes/{id}).
import { LOAD_BALANCE_MODES } from '@panel/shared/api/base/lookups.ts'
import type { CreateRouteBody, UpdateRouteBody } from '@panel/shared/api/routes/bodies.ts'
import type { RouteDestinationBody } from '@panel/shared/api/routes/destinations.ts'
import type { ReadContext } from '../../../platform/context.ts'
import { Problems } from '../../../platform/http/problems.ts'
import { isNewProblem } from '../../../platform/http/new-problems.ts'
import { isActive, type NamedRoute, type RouteRecord } from '../record.ts'
import { rotationWarnings } from '../rotation-warnings.ts'
import { checkBackend } from './backend.ts'
import { checkOtherRules, refuseProtected } from './conflicts.ts'
import { draftFields, incomplete, makeRecord, type Draft } from './draft.ts'
import { checkLimits } from './limits.ts'
import { refuseTooManyPorts } from './shifted.ts'
import { titleAfter } from './titles.ts'
import { FIELD_ORDER, makeDraftContext, type RequestedRoute, type DraftContext } from './context.ts'

export type UpdateDraft = Pick<Draft, 'record' | 'warnings' | 'rule_backend'>

export interface UpdateRequest {
  readonly body: UpdateRouteBody
  /** Prefilled with what the schema found. */
  readonly problems: Problems
  readonly panelPorts: () => readonly number[]
  /** Maps a field of the rule to the field of the request that it came from. */
  readonly mapField?: (field: string) => string
}

/** Throws 422 with all problems at once, except those that the stored rule has already and can be kept with. */
export async function draftUpdate(
  context: ReadContext,
  stored: RouteRecord,
  { body, problems, panelPorts, mapField = (field) => field }: UpdateRequest,
): Promise<UpdateDraft> {
  const wanted = withChanges(stored, body)
  const needsListeners = mayMeetListeners(wanted, withChanges(stored, {}))
  const draft = await makeDraftContext(context, wanted, { problems, panelPorts, stored, needsListeners })
  const record = drafted(draft, stored, context.now().toISOString())
  const existing = await draftUnchanged(context, draft, stored)
  const fresh = new Problems()
  // Where no record can be made of it, what the stored rule has already stands in the way, too.
  const inTheWay = record ? problems.all.filter(isNewProblem(existing.problems.all)) : problems.all
  for (const problem of inTheWay) fresh.add(mapField(problem.field), problem.code, problem, problem.details)
  fresh.throwIfAny(FIELD_ORDER)
  if (!record) throw incomplete()
  await refuseTooManyPorts(context.db, record, stored)
  const warnings = draft.warnings
    .filter(isNewProblem(existing.warnings))
    .map((warning) => ({ ...warning, field: mapField(warning.field) }))
  const route_rule_title = body.route_rule_title ?? (await titleAfter(context.db, stored, record))
  return { record: { ...record, route_rule_title }, warnings, rule_backend: draft.facts.rule_backend }
}

/** What a rule meets other listeners by. They conflict with it no more than they did where all of it stays. */
const LISTENS_BY = [
  'route_protocol_id',
  'address_family_id',
  'bind_address',
  'bind_port',
  'bind_port_range_end',
  'is_enabled',
  'force',
] as const

const mayMeetListeners = (wanted: RequestedRoute, stored: RequestedRoute): boolean =>
  typeof wanted.bind_address_interface === 'string' ||
  LISTENS_BY.some((field) => wanted[field] !== stored[field]) ||
  (wanted.check?.on_all_down ?? 'keep') !== (stored.check?.on_all_down ?? 'keep') ||
  (wanted.destinations ?? []).some(({ hostname }) => Boolean(hostname))

/** Null if a problem leaves something undecided. A protected port is refused at once. */
function drafted(draft: DraftContext, stored: RouteRecord, now: string): NamedRoute | null {
  const fields = draftFields(draft)
  if (!fields) return null
  const { route_rule_id, created_date } = stored
  const record = { ...makeRecord(draft, fields, now), ...howApplied(stored), created_date, route_rule_id }
  checkOtherRules(draft, record)
  checkBackend(draft, record)
  checkLimits(draft, record)
  if (draft.problems.isEmpty) draft.warnings.push(...rotationWarnings(record))
  // A disabled rule that keeps its listener may be changed whatever its port.
  if (record.is_enabled || !isSameListener(record, stored)) refuseProtected(draft, fields.listening)
  return record
}

/** How it was applied last stays until the change is applied. */
const howApplied = (stored: RouteRecord): Pick<RouteRecord, (typeof APPLIED)[number]> =>
  Object.fromEntries(APPLIED.map((name) => [name, stored[name]])) as Pick<RouteRecord, (typeof APPLIED)[number]>
const APPLIED = ['apply_status_id', 'last_applied_date', 'last_apply_error', 'last_apply_error_message'] as const

const isSameListener = (a: NamedRoute, b: NamedRoute): boolean =>
  a.bind_port === b.bind_port &&
  a.bind_port_range_end === b.bind_port_range_end &&
  a.route_protocol_id === b.route_protocol_id

/** The addresses that it has, whatever its interfaces have by now. */
const AS_IT_IS: UpdateRouteBody = { bind_address_interface: null, snat_address_interface: null }

/** The draft without the changes: its problems existed before. It is checked as enabled only if it was. */
async function draftUnchanged(
  context: ReadContext,
  { facts }: DraftContext,
  stored: RouteRecord,
): Promise<DraftContext> {
  const unchanged = await makeDraftContext(context, withChanges(stored, AS_IT_IS), {
    problems: new Problems(),
    panelPorts: () => [],
    stored,
    facts: {
      ...facts,
      listeners: facts.listeners.map((one) => ({ ...one, is_sshd: false })),
      limits: { ...facts.limits, own_ports: { sshd: [], panel: [] } },
    },
  })
  drafted(unchanged, stored, stored.updated_date)
  return unchanged
}

/** The stored rule as the request that would create it. Requests and records use the same field names. */
export function asCreateBody(stored: NamedRoute): CreateRouteBody {
  const fields = FIELD_ORDER.filter((field) => field in stored && field !== 'address_family_id').map((field) => [
    field,
    stored[field as keyof NamedRoute],
  ])
  const allowed_sources = stored.allowed_sources.map(({ cidr, description }) => ({ cidr, description }))
  return {
    ...(Object.fromEntries(fields) as CreateRouteBody),
    destinations: stored.destinations.map(destinationBody),
    allowed_sources,
  }
}

/** The stored rule with the requested changes. */
function withChanges(stored: RouteRecord, body: UpdateRouteBody): RequestedRoute {
  const {
    destination_address,
    destination_port,
    destination_port_range_end,
    address_family_id,
    drop_connections: _asked,
    ...named
  } = body
  const storedBody = asCreateBody(stored)
  const destinations =
    body.destinations ??
    withFirst(storedBody.destinations ?? [], {
      address: destination_address,
      port: destination_port,
      port_range_end: destination_port_range_end,
    })
  return {
    ...storedBody,
    // An address that is sent by itself is fixed from then on.
    ...(named.bind_address === undefined ? {} : { bind_address_interface: null }),
    ...(named.snat_address === undefined ? {} : { snat_address_interface: null }),
    ...named,
    ...(address_family_id === undefined ? {} : { address_family_id }),
    // Given beside a list of destinations, the single destination must agree with it.
    ...(body.destinations && destination_address !== undefined ? { destination_address } : {}),
    ...(body.destinations && destination_port !== undefined ? { destination_port } : {}),
    destinations,
    load_balance_mode_id: body.load_balance_mode_id ?? modeAfter(stored, destinations),
  }
}

/** A name is what it was, whatever it was resolved to. */
export function destinationBody(one: RouteDestinationBody): RouteDestinationBody {
  const { address = '', hostname, hostname_policy } = one
  return {
    ...(hostname ? { hostname, hostname_policy: hostname_policy ?? 'first' } : { address }),
    port: one.port,
    port_range_end: one.port_range_end ?? null,
    weight: one.weight ?? 1,
    is_enabled: one.is_enabled ?? true,
    is_backup: one.is_backup ?? false,
  }
}

function withFirst(
  [first, ...rest]: RouteDestinationBody[],
  {
    address,
    port,
    port_range_end,
  }: { readonly [F in 'address' | 'port' | 'port_range_end']?: RouteDestinationBody[F] | undefined },
): RouteDestinationBody[] {
  if (!first) return rest
  const { hostname: _name, hostname_policy: _policy, ...unnamed } = first
  return [
    {
      ...(address === undefined ? first : { ...unnamed, address }),
      port: port ?? first.port,
      port_range_end: port_range_end === undefined ? (first.port_range_end ?? null) : port_range_end,
    },
    ...rest,
  ]
}

/** If the request does not name a mode, it follows the number of destinations (decisions.md, F4). */
function modeAfter(
  { destinations: before, load_balance_mode_id }: RouteRecord,
  after: readonly RouteDestinationBody[],
): number {
  if (after.length === 1 && before.length > 1) return LOAD_BALANCE_MODES.None
  const active = after.filter(
    ({ is_enabled = true, weight = 1, is_backup = false }) => !is_backup && isActive({ is_enabled, weight }),
  ).length
  return active > 1 && load_balance_mode_id === LOAD_BALANCE_MODES.None
    ? LOAD_BALANCE_MODES.RoundRobin
    : load_balance_mode_id
}
