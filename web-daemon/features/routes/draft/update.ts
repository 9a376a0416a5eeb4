// The draft of a change: what creating would look at, run over the stored rule with the request laid over it (interface.md, PATCH /routes/{id}).
import { LOAD_BALANCE_MODES } from '@panel/shared/api/lookups.ts'
import type { CreateRouteBody, UpdateRouteBody } from '@panel/shared/api/routes/bodies.ts'
import type { RouteDestinationBody } from '@panel/shared/api/routes/destinations.ts'
import type { ReadContext } from '../../../platform/context.ts'
import { Problems } from '../../../platform/http/problems.ts'
import { isNone } from '../../../platform/http/standing-problems.ts'
import { isActive, type NamedRoute, type RouteRecord } from '../record.ts'
import { checkBackend } from './backend.ts'
import { checkNeighbours, refuseProtected } from './conflicts.ts'
import { draftParts, incomplete, recordOf, type Draft } from './draft.ts'
import { refuseTooManyPorts } from './shifted.ts'
import { FIELD_ORDER, sketchOf, type Asked, type Sketch } from './sketch.ts'

export type UpdateDraft = Pick<Draft, 'record' | 'warnings' | 'rule_backend'>

export interface Wish {
  readonly body: UpdateRouteBody
  /** As far as the schema found any. */
  readonly problems: Problems
  readonly server_port: number
  /** Where the operator said what this field of the rule says, if it was not there. */
  readonly spokenOf?: (field: string) => string
}

/** Throws 422 with all problems at once, but those that the stored rule has by itself: they are not the doing of this change. */
export async function draftUpdate(
  context: ReadContext,
  stored: RouteRecord,
  { body, problems, server_port: panel_port, spokenOf = (field) => field }: Wish,
): Promise<UpdateDraft> {
  const sketch = await sketchOf(context, overlaid(stored, body), { problems, panel_port, stored })
  const record = drafted(sketch, stored, context.now().toISOString())
  const known = await standing(context, sketch, stored)
  const fresh = new Problems()
  for (const found of problems.all.filter(isNone(known.problems.all)))
    fresh.add(spokenOf(found.field), found.code, found.message, found.details)
  fresh.throwIfAny(FIELD_ORDER)
  if (!record) throw incomplete()
  refuseTooManyPorts(record)
  const warnings = sketch.warnings
    .filter(isNone(known.warnings))
    .map((warning) => ({ ...warning, field: spokenOf(warning.field) }))
  return { record, warnings, rule_backend: sketch.facts.rule_backend }
}

/** Null where a problem leaves something undecided. A protected port is refused at once: no other field would mend that. */
function drafted(sketch: Sketch, stored: RouteRecord, now: string): NamedRoute | null {
  const parts = draftParts(sketch)
  if (!parts) return null
  const { apply_status_id, last_applied_date, last_apply_error, created_date, route_rule_id } = stored
  const record = {
    ...recordOf(sketch, parts, now),
    apply_status_id,
    last_applied_date,
    last_apply_error,
    created_date,
    route_rule_id,
  }
  checkNeighbours(sketch, record)
  checkBackend(sketch, record)
  // A rule that is out of force and stays where it is may be changed otherwise, wherever that is.
  if (record.is_enabled || !isSameListener(record, stored)) refuseProtected(sketch, parts.listening)
  return record
}

const isSameListener = (a: NamedRoute, b: NamedRoute): boolean =>
  a.bind_port === b.bind_port &&
  a.bind_port_range_end === b.bind_port_range_end &&
  a.route_protocol_id === b.route_protocol_id

/** The same without the request: what it finds was so before. It is judged as if in force only where it was. */
async function standing(context: ReadContext, { facts }: Sketch, stored: RouteRecord): Promise<Sketch> {
  const alone = await sketchOf(context, overlaid(stored, {}), {
    problems: new Problems(),
    panel_port: 0,
    stored,
    facts: { ...facts, listeners: facts.listeners.map((one) => ({ ...one, is_sshd: false })) },
  })
  drafted(alone, stored, stored.updated_date)
  return alone
}

/** The stored rule as the request that would make it. Fields of a request bear the names of the record's. */
export function askedOf(stored: NamedRoute): CreateRouteBody {
  const fields = FIELD_ORDER.filter((field) => field in stored && field !== 'address_family_id').map((field) => [
    field,
    stored[field as keyof NamedRoute],
  ])
  const allowed_sources = stored.allowed_sources.map(({ cidr, description }) => ({ cidr, description }))
  return {
    ...(Object.fromEntries(fields) as CreateRouteBody),
    destinations: stored.destinations.map(bodyOf),
    allowed_sources,
  }
}

/** The stored rule with the request laid over it. */
function overlaid(stored: RouteRecord, body: UpdateRouteBody): Asked {
  const {
    destination_address,
    destination_port,
    destination_port_range_end,
    address_family_id,
    drop_connections: _asked,
    ...named
  } = body
  const kept = askedOf(stored)
  const destinations =
    body.destinations ??
    withFirst(kept.destinations ?? [], {
      address: destination_address,
      port: destination_port,
      port_range_end: destination_port_range_end,
    })
  return {
    ...kept,
    ...named,
    ...(address_family_id === undefined ? {} : { address_family_id }),
    // Beside a list of destinations the single one must agree with it.
    ...(body.destinations && destination_address !== undefined ? { destination_address } : {}),
    ...(body.destinations && destination_port !== undefined ? { destination_port } : {}),
    destinations,
    load_balance_mode_id: body.load_balance_mode_id ?? modeAfter(stored, destinations),
  }
}

export const bodyOf = ({
  address,
  port,
  port_range_end,
  weight,
  is_enabled,
}: RouteDestinationBody): RouteDestinationBody => ({
  address,
  port,
  port_range_end: port_range_end ?? null,
  weight: weight ?? 1,
  is_enabled: is_enabled ?? true,
})

function withFirst(
  [first, ...rest]: RouteDestinationBody[],
  {
    address,
    port,
    port_range_end,
  }: { readonly [F in 'address' | 'port' | 'port_range_end']?: RouteDestinationBody[F] | undefined },
): RouteDestinationBody[] {
  if (!first) return rest
  return [
    {
      ...first,
      address: address ?? first.address,
      port: port ?? first.port,
      port_range_end: port_range_end === undefined ? (first.port_range_end ?? null) : port_range_end,
    },
    ...rest,
  ]
}

/** A mode follows the number of destinations where the operator does not say (decisions.md, F4). */
function modeAfter(
  { destinations: before, load_balance_mode_id }: RouteRecord,
  after: readonly RouteDestinationBody[],
): number {
  if (after.length === 1 && before.length > 1) return LOAD_BALANCE_MODES.None
  const active = after.filter(({ is_enabled = true, weight = 1 }) => isActive({ is_enabled, weight })).length
  return active > 1 && load_balance_mode_id === LOAD_BALANCE_MODES.None
    ? LOAD_BALANCE_MODES.RoundRobin
    : load_balance_mode_id
}
