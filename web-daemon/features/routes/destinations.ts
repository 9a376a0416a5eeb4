// The destinations of one rule, one at a time: each is a change of the whole list, and goes the way of every change
// (reference.md, /routes/{id}/destinations; decisions.md, F17).
import { canonicalIp, parseIp } from '@panel/shared/address/ip.ts'
import type {
  UpdateRouteAnswer,
  DestinationsAnswer,
  ChangeDestinationsAnswer,
} from '@panel/shared/api/routes/answers.ts'
import {
  MAX_DESTINATIONS,
  type AddDestinationBody,
  type RemoveDestinationBody,
} from '@panel/shared/api/routes/destinations.ts'
import type { Foreseen } from '@panel/shared/impact/foreseen.ts'
import { message } from '@panel/shared/messages/message.ts'
import { ruleNamed } from '@panel/shared/messages/named.ts'
import type { CommandContext, ReadContext } from '../../platform/context.ts'
import { ok, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import { destinationBody, type UpdateRequest } from './draft/update.ts'
import { requireRoute, targetOf } from './target.ts'
import type { DestinationRecord, RouteRecord } from './record.ts'
import type { ChangeDeps } from './foresee-causes.ts'
import { amend, foreseeAmendment } from './update.ts'

const listOf = (destinations: readonly DestinationRecord[]): DestinationsAnswer => ({
  destinations: [...destinations],
  total: destinations.length,
})
const withList = (answer: UpdateRouteAnswer): UpdateRouteAnswer & DestinationsAnswer => ({
  destinations: answer.route.destinations,
  total: answer.route.destinations.length,
  ...answer,
})

export async function listDestinations({ db }: ReadContext, { params }: Incoming): Promise<Answer<DestinationsAnswer>> {
  return ok(listOf((await requireRoute(db, params)).destinations))
}

export const addDestination =
  (deps: ChangeDeps) =>
  (context: CommandContext, incoming: Incoming<AddDestinationBody>): Promise<Answer<ChangeDestinationsAnswer>> =>
    context.inTurn(async () => {
      const stored = await targetOf(context, incoming.params)
      return ok(withList(await amend(context, deps, stored, addition(stored, incoming))))
    })

export async function foreseeAddition(context: ReadContext, incoming: Incoming<AddDestinationBody>): Promise<Foreseen> {
  const stored = await requireRoute(context.db, incoming.params)
  return foreseeAmendment(context, stored, addition(stored, incoming))
}

function addition(stored: RouteRecord, { body, problems, panelPorts }: Incoming<AddDestinationBody>): UpdateRequest {
  const { force = false, i_understand_i_may_lose_access: _accepts, ...added } = body
  const others = stored.destinations.map(destinationBody)
  if (others.length >= MAX_DESTINATIONS)
    problems.add(
      'address',
      'INVALID_DESTINATION',
      message('route.too_many_destinations', { rule: ruleNamed(stored), count: MAX_DESTINATIONS }),
    )
  const field = `destinations.${others.length}.`
  const mapField = (name: string): string => (name.startsWith(field) ? name.slice(field.length) : name)
  return { body: { destinations: [...others, added], force }, problems, panelPorts, mapField }
}

export const removeDestination =
  (deps: ChangeDeps) =>
  (context: CommandContext, incoming: Incoming<RemoveDestinationBody>): Promise<Answer<ChangeDestinationsAnswer>> =>
    context.inTurn(async () => {
      const stored = await targetOf(context, incoming.params)
      return ok(withList(await amend(context, deps, stored, removal(stored, incoming))))
    })

export async function foreseeRemoval(
  context: ReadContext,
  incoming: Incoming<RemoveDestinationBody>,
): Promise<Foreseen> {
  const stored = await requireRoute(context.db, incoming.params)
  return foreseeAmendment(context, stored, removal(stored, incoming))
}

function removal(stored: RouteRecord, { body, problems, panelPorts }: Incoming<RemoveDestinationBody>): UpdateRequest {
  const removed = meantBy(body, problems, stored)
  const left = stored.destinations.filter((one) => one !== removed && !isOfSameName(one, removed))
  if (left.length === 0)
    problems.add(
      'address',
      'INVALID_DESTINATION',
      message('route.only_destination', { address: removed.address, port: removed.port }),
    )
  problems.throwIfAny()
  const mapField = (name: string): string => (name === 'destinations' ? 'address' : name)
  const { force = false, drop_connections = false } = body
  return {
    body: { destinations: left.map(destinationBody), force, drop_connections },
    problems,
    panelPorts,
    mapField,
  }
}

/** All addresses of a name come and go together. */
const isOfSameName = (one: DestinationRecord, other: DestinationRecord): boolean =>
  one.hostname !== null && one.hostname === other.hostname && one.port === other.port

/** 422 where nothing is named, 404 where the rule has no such. */
function meantBy(
  { route_destination_id, address, port }: RemoveDestinationBody,
  problems: Incoming['problems'],
  rule: RouteRecord,
): DestinationRecord {
  if (route_destination_id === undefined && address === undefined)
    problems.add('address', 'INVALID_DESTINATION', message('route.name_destination'))
  if (route_destination_id === undefined && port === undefined)
    problems.add('port', 'INVALID_PORT', message('route.name_port'))
  if (address !== undefined && !parseIp(address))
    problems.add('address', 'INVALID_DESTINATION', message('route.not_ip', { address }))
  problems.throwIfAny()
  const spelled = address === undefined ? undefined : canonicalIp(address)
  const found = rule.destinations.find(
    (one) =>
      (route_destination_id ?? one.route_destination_id) === one.route_destination_id &&
      (spelled ?? one.address) === one.address &&
      (port ?? one.port) === one.port,
  )
  if (!found)
    throw new Refusal('NOT_FOUND', message('route.no_such_destination', { rule: ruleNamed(rule) }), {
      field: 'address',
    })
  return found
}
