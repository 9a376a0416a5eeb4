// From a request to the record that will be stored and the state that the host must have. It only reads.
import type { Warning } from '@panel/shared/api/base/errors.ts'
import { withDefaults } from '@panel/shared/api/base/field-list.ts'
import { ADDRESS_FAMILIES } from '@panel/shared/api/base/lookups.ts'
import type { CreateRouteBody } from '@panel/shared/api/routes/bodies.ts'
import { ROUTE_FIELDS } from '@panel/shared/api/routes/fields.ts'
import type { RuleBackendFound } from '@panel/shared/ruleset/backend.ts'
import { ROUTE_RULE_ID_MAX } from '@panel/shared/ruleset/model.ts'
import { message } from '@panel/shared/messages/message.ts'
import type { ReadContext } from '../../../platform/context.ts'
import type { Incoming } from '../../../platform/http/endpoint.ts'
import { Refusal } from '../../../platform/http/refusal.ts'
import { fastPathState } from '../fast-path.ts'
import { readPaths } from '../path/path.ts'
import type { NamedRoute, NewRoute } from '../record.ts'
import { rotationWarnings } from '../rotation-warnings.ts'
import { nextPlace } from '../store.ts'
import { checkBackend } from './backend.ts'
import { checkCheck, checkedAs } from './check.ts'
import { checkOtherRules, checkProcesses, refuseProtected } from './conflicts.ts'
import { draftDestinations, type Balanced } from './destinations.ts'
import { checkLimits } from './limits.ts'
import { draftListener, type Listening } from './listener.ts'
import { draftSource, type Source } from './nat.ts'
import { FIELD_ORDER, makeDraftContext, type DraftContext } from './context.ts'
import { refuseTooManyPorts } from './shifted.ts'
import { draftSources } from './sources.ts'
import { checkTitle, titleFor } from './titles.ts'

export interface Draft {
  readonly record: NamedRoute
  /** The request with all decisions filled in: sent again, it gives the same draft. */
  readonly resolved: CreateRouteBody
  readonly warnings: Warning[]
  readonly rule_backend: RuleBackendFound
}

/** Throws 422 with all problems at once, then 409 if the port is protected. */
export async function draftRoute(
  context: ReadContext,
  {
    body,
    problems,
    panelPorts,
    reviving,
  }: Pick<Incoming<CreateRouteBody>, 'body' | 'problems' | 'panelPorts' | 'reviving'>,
): Promise<Draft> {
  const draft = await makeDraftContext(context, body, { problems, panelPorts })
  const drafted = draftFields(draft)
  const place = await nextPlace(context.db)
  const record = drafted && {
    ...makeRecord(draft, drafted, context.now().toISOString()),
    ...(body.tunnel_id === undefined ? { tunnel_id: await onlyTunnel(context, drafted.balanced) } : {}),
    route_rule_id: reviving ?? place.route_rule_id,
    sort_order: body.sort_order ?? place.sort_order,
  }
  if (record) checkOtherRules(draft, record)
  if (record) checkBackend(draft, record)
  if (record) checkLimits(draft, record)
  if (record && problems.isEmpty) draft.warnings.push(...rotationWarnings(record))
  problems.throwIfAny(FIELD_ORDER)
  if (!drafted || !record) throw incomplete()
  await refuseTooManyPorts(context.db, record, null)
  refuseProtected(draft, drafted.listening)
  if (record.route_rule_id > ROUTE_RULE_ID_MAX) throw new Refusal('ALLOCATION_FAILED', message('route.ids_used_up'))
  const named = { ...record, route_rule_title: body.route_rule_title ?? (await titleFor(context.db, record)) }
  return {
    record: named,
    resolved: resolveRequest(body, named),
    warnings: draft.warnings,
    rule_backend: draft.facts.rule_backend,
  }
}

/** The tunnel that leads to all destinations, if there is one and the request names none. */
async function onlyTunnel(context: ReadContext, { destinations }: Balanced): Promise<number | null> {
  const rule = { destinations, tunnel_id: null, fwmark: null }
  const { hopsOf } = await readPaths(context, [rule])
  const [hop, ...others] = new Set(hopsOf(rule))
  return hop !== undefined && others.length === 0 ? hop : null
}

export function incomplete(): Error {
  return new Error('A draft without problems is incomplete')
}

export interface DraftedFields {
  readonly listening: Listening
  readonly balanced: Balanced
  readonly source: Source
  readonly allowed_sources: NewRoute['allowed_sources']
}

/** Finds every problem but conflicts with other rules; null if a problem leaves something undecided. */
export function draftFields(draft: DraftContext): DraftedFields | null {
  checkTitle(draft)
  const listening = draftListener(draft)
  const balanced = draftDestinations(draft, listening)
  const source = draftSource(draft, listening)
  const allowed_sources = draftSources(draft, listening)
  if (listening) checkCheck(draft, listening)
  const { body, problems, tunnel } = draft
  if (typeof body.tunnel_id === 'number' && tunnel === null)
    problems.add('tunnel_id', 'UNKNOWN_TUNNEL', message('tunnel.not_found', { tunnel_id: body.tunnel_id }))
  if (listening) checkProcesses(draft, listening)
  return listening && balanced && source && allowed_sources && { listening, balanced, source, allowed_sources }
}

/** The caller sets title and position. */
export function makeRecord(
  { body, settings, facts }: DraftContext,
  { listening, balanced, source, allowed_sources }: DraftedFields,
  now: string,
): NewRoute {
  const { family, ports, route_protocol_id, bind_address, bind_interface } = listening
  return {
    ...withDefaults(ROUTE_FIELDS, body),
    route_rule_title: body.route_rule_title ?? '',
    route_protocol_id,
    address_family_id: family === 6 ? ADDRESS_FAMILIES.IPv6 : ADDRESS_FAMILIES.IPv4,
    bind_address,
    bind_port: ports.first,
    bind_port_range_end: ports.last === ports.first ? null : ports.last,
    bind_interface,
    ...balanced,
    ...checkedAs(body.check ?? null, balanced.destinations),
    ...source,
    allowed_sources,
    sort_order: body.sort_order ?? 0,
    fast_path_state: fastPathState(body.is_fast_path, settings, facts.rule_backend.fast_path),
    created_date: now,
    updated_date: now,
  }
}

function resolveRequest(body: CreateRouteBody, record: NamedRoute): CreateRouteBody {
  const {
    route_rule_title,
    route_protocol_id,
    bind_address,
    load_balance_mode_id,
    nat_mode_id,
    is_clamp_mss_to_pmtu,
    tunnel_id,
    sort_order,
    destinations,
  } = record
  const { destination_address: _address, destination_port: _port, destination_port_range_end: _end, ...rest } = body
  return {
    ...rest,
    route_rule_title,
    route_protocol_id,
    bind_address,
    destinations: destinations.map(({ sort_order: _place, ...one }) => one),
    load_balance_mode_id,
    nat_mode_id,
    is_clamp_mss_to_pmtu,
    tunnel_id,
    sort_order,
  }
}
