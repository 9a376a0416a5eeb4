// Who may use one rule, one network at a time: each is a change of the whole list, and goes the way of every change
// (reference.md, /routes/{id}/allowed-sources; decisions.md, F6, F17).
import { formatCidr, parseCidr } from '@panel/shared/address/ip.ts'
import type {
  AllowedSourcesAnswer,
  UpdateRouteAnswer,
  ChangeAllowedSourcesAnswer,
} from '@panel/shared/api/routes/answers.ts'
import {
  MAX_ALLOWED_SOURCES,
  type AddAllowedSourceBody,
  type AllowedSourceBody,
  type RemoveAllowedSourceBody,
} from '@panel/shared/api/routes/allowed-sources.ts'
import type { Foreseen } from '@panel/shared/impact/foreseen.ts'
import { message, messageFields } from '@panel/shared/messages/message.ts'
import { ruleNamed } from '@panel/shared/messages/named.ts'
import type { CommandContext, ReadContext } from '../../platform/context.ts'
import { ok, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import { requireRoute, targetOf } from './target.ts'
import type { RouteRecord, SourceRecord } from './record.ts'
import type { ChangeDeps } from './foresee-causes.ts'
import type { UpdateRequest } from './draft/update.ts'
import { amend, foreseeAmendment } from './update.ts'

const listOf = (allowed_sources: SourceRecord[]): AllowedSourcesAnswer => ({
  allowed_sources,
  total: allowed_sources.length,
  ...messageFields('note', message(allowed_sources.length === 0 ? 'note.sources_everybody' : 'note.sources_some')),
})
const withList = (answer: UpdateRouteAnswer): ChangeAllowedSourcesAnswer => ({
  ...listOf(answer.route.allowed_sources),
  ...answer,
})
const bodyOf = ({ cidr, description }: SourceRecord): AllowedSourceBody => ({ cidr, description })

export async function listAllowedSources(
  { db }: ReadContext,
  { params }: Incoming,
): Promise<Answer<AllowedSourcesAnswer>> {
  return ok(listOf((await requireRoute(db, params)).allowed_sources))
}

export const addAllowedSource =
  (deps: ChangeDeps) =>
  (context: CommandContext, incoming: Incoming<AddAllowedSourceBody>): Promise<Answer<ChangeAllowedSourcesAnswer>> =>
    context.inTurn(async () => {
      const stored = await targetOf(context, incoming.params)
      return ok(withList(await amend(context, deps, stored, addition(stored, incoming))))
    })

export async function foreseeAddition(
  context: ReadContext,
  incoming: Incoming<AddAllowedSourceBody>,
): Promise<Foreseen> {
  const stored = await requireRoute(context.db, incoming.params)
  return foreseeAmendment(context, stored, addition(stored, incoming))
}

function addition(stored: RouteRecord, { body, problems, panelPorts }: Incoming<AddAllowedSourceBody>): UpdateRequest {
  const { force = false, i_understand_i_may_lose_access: _accepts, ...added } = body
  const others = stored.allowed_sources.map(bodyOf)
  if (others.length >= MAX_ALLOWED_SOURCES)
    problems.add(
      'cidr',
      'INVALID_CIDR',
      message('route.too_many_sources', { rule: ruleNamed(stored), count: MAX_ALLOWED_SOURCES }),
    )
  const field = `allowed_sources.${others.length}.`
  const mapField = (name: string): string => (name.startsWith(field) ? name.slice(field.length) : name)
  return { body: { allowed_sources: [...others, added], force }, problems, panelPorts, mapField }
}

export const removeAllowedSource =
  (deps: ChangeDeps) =>
  (context: CommandContext, incoming: Incoming<RemoveAllowedSourceBody>): Promise<Answer<ChangeAllowedSourcesAnswer>> =>
    context.inTurn(async () => {
      const stored = await targetOf(context, incoming.params)
      return ok(withList(await amend(context, deps, stored, removal(stored, incoming))))
    })

export async function foreseeRemoval(
  context: ReadContext,
  incoming: Incoming<RemoveAllowedSourceBody>,
): Promise<Foreseen> {
  const stored = await requireRoute(context.db, incoming.params)
  return foreseeAmendment(context, stored, removal(stored, incoming))
}

function removal(
  stored: RouteRecord,
  { body, problems, panelPorts }: Incoming<RemoveAllowedSourceBody>,
): UpdateRequest {
  const removed = meantBy(body, problems, stored)
  const allowed_sources = stored.allowed_sources.filter((one) => one !== removed).map(bodyOf)
  return { body: { allowed_sources, force: body.force ?? false }, problems, panelPorts }
}

/** 422 where it is no network, 404 where the rule has no such. */
function meantBy(
  { route_allowed_source_id, cidr }: RemoveAllowedSourceBody,
  problems: Incoming['problems'],
  rule: RouteRecord,
): SourceRecord {
  const network = cidr === undefined ? null : parseCidr(cidr)
  if (cidr !== undefined && !network)
    problems.add('cidr', 'INVALID_CIDR', message('route.not_network', { network: cidr }))
  if (cidr === undefined && route_allowed_source_id === undefined)
    problems.add('cidr', 'INVALID_CIDR', message('route.name_source'))
  problems.throwIfAny()
  const spelled = network && formatCidr(network)
  const found = rule.allowed_sources.find(
    (one) =>
      (route_allowed_source_id ?? one.route_allowed_source_id) === one.route_allowed_source_id &&
      (spelled ?? one.cidr) === one.cidr,
  )
  if (!found)
    throw new Refusal('NOT_FOUND', message('route.no_such_source', { rule: ruleNamed(rule) }), { field: 'cidr' })
  return found
}
