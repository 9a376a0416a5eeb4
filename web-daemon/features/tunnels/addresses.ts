// The addresses of one tunnel, one at a time: each is a change of the whole list, and goes the way of every change
// (reference.md, /tunnels/{id}/addresses; decisions.md, R25).
import type { AddressesAnswer, ChangeAddressesAnswer, UpdateTunnelAnswer } from '@panel/shared/api/tunnels/answers.ts'
import { MAX_ADDRESSES, type TunnelAddressBody } from '@panel/shared/api/tunnels/addresses.ts'
import type { AddAddressBody, RemoveAddressBody } from '@panel/shared/api/tunnels/bodies.ts'
import { canonicalIp, parseIp } from '@panel/shared/address/ip.ts'
import type { Foreseen } from '@panel/shared/impact/foreseen.ts'
import { message } from '@panel/shared/messages/message.ts'
import { tunnelNamed } from '@panel/shared/messages/named.ts'
import type { CommandContext, ReadContext } from '../../platform/context.ts'
import { ok, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import { idIn } from './get.ts'
import { requireTunnel, targetOf } from './target.ts'
import type { AddressRecord, TunnelRecord } from './record.ts'
import type { UpdateRequest } from './draft/update.ts'
import { amend, foreseeAmendment } from './update.ts'
import { observe } from './view.ts'

export async function listAddresses(
  { db, request }: ReadContext,
  { params }: Incoming,
): Promise<Answer<AddressesAnswer>> {
  const { addresses, interface_name } = await requireTunnel(db, idIn(params))
  const answer: AddressesAnswer = {
    addresses,
    observed: (await observe(request, [interface_name]))(interface_name).addresses,
  }
  return ok(answer)
}

export function addAddress(
  context: CommandContext,
  incoming: Incoming<AddAddressBody>,
): Promise<Answer<ChangeAddressesAnswer>> {
  return context.inTurn(async () => {
    const stored = await targetOf(context, idIn(incoming.params))
    return ok(await amendAddresses(context, stored, addition(stored, incoming)))
  })
}

export async function foreseeAddition(context: ReadContext, incoming: Incoming<AddAddressBody>): Promise<Foreseen> {
  const stored = await requireTunnel(context.db, idIn(incoming.params))
  return foreseeAmendment(context, stored, addition(stored, incoming))
}

function addition(stored: TunnelRecord, incoming: Incoming<AddAddressBody>): AddressRequest {
  const { force: _force, i_understand_i_may_lose_access: _accepts, ...added } = incoming.body
  const others = stored.addresses.map((address) => bodyOf(address, added.is_primary !== true && address.is_primary))
  if (others.length >= MAX_ADDRESSES)
    incoming.problems.add(
      'address',
      'INVALID_ADDRESS',
      message('tunnel.too_many_addresses', { tunnel: tunnelNamed(stored), count: MAX_ADDRESSES }),
    )
  const field = `addresses.${others.length}.`
  return requestFor(incoming, [...others, added], (name) => (name.startsWith(field) ? name.slice(field.length) : name))
}

export function removeAddress(
  context: CommandContext,
  incoming: Incoming<RemoveAddressBody>,
): Promise<Answer<ChangeAddressesAnswer>> {
  return context.inTurn(async () => {
    const stored = await targetOf(context, idIn(incoming.params))
    return ok(await amendAddresses(context, stored, removal(stored, incoming)))
  })
}

export async function foreseeRemoval(context: ReadContext, incoming: Incoming<RemoveAddressBody>): Promise<Foreseen> {
  const stored = await requireTunnel(context.db, idIn(incoming.params))
  return foreseeAmendment(context, stored, removal(stored, incoming))
}

function removal(stored: TunnelRecord, incoming: Incoming<RemoveAddressBody>): AddressRequest {
  const removed = meantBy(incoming, stored)
  const left = stored.addresses
    .filter((address) => address !== removed)
    .map((address) => bodyOf(address, address.is_primary))
  return requestFor(incoming, left, (name) => (name === 'addresses' ? 'address' : name))
}

type AddressRequest = UpdateRequest & Pick<Incoming, 'client_ip' | 'server_ip'>

function requestFor(
  { body, problems, client_ip, server_ip }: Incoming<AddAddressBody | RemoveAddressBody>,
  addresses: TunnelAddressBody[],
  mapField: (field: string) => string,
): AddressRequest {
  const { force = false, i_understand_i_may_lose_access = false } = body
  return { body: { addresses, force, i_understand_i_may_lose_access }, problems, client_ip, server_ip, mapField }
}

async function amendAddresses(
  context: CommandContext,
  stored: TunnelRecord,
  request: AddressRequest,
): Promise<ChangeAddressesAnswer> {
  const answer: UpdateTunnelAnswer = await amend(context, stored, request)
  return { addresses: answer.tunnel.addresses, observed: answer.tunnel.observed.addresses, ...answer }
}

const bodyOf = ({ address, peer_address, prefix_length }: AddressRecord, is_primary: boolean): TunnelAddressBody => ({
  address,
  peer_address,
  prefix_length,
  is_primary,
})

/** 422 where it is no address, 404 where the tunnel has no such. A peer is compared only where one is named. */
function meantBy({ body, problems }: Incoming<RemoveAddressBody>, stored: TunnelRecord): AddressRecord {
  for (const field of ['address', 'peer_address'] as const) {
    const text = body[field] ?? ''
    if (text !== '' && !parseIp(text))
      problems.add(field, 'INVALID_ADDRESS', message('tunnel.is', { name: text, reason: message('tunnel.not_ip') }))
  }
  problems.throwIfAny()
  const address = canonicalIp(body.address)
  const peer = body.peer_address ? canonicalIp(body.peer_address) : body.peer_address
  const found = stored.addresses.find(
    (a) =>
      a.address === address &&
      a.prefix_length === body.prefix_length &&
      (peer === undefined || a.peer_address === peer),
  )
  if (!found)
    throw new Refusal(
      'NOT_FOUND',
      message('tunnel.no_such_address', {
        tunnel: tunnelNamed(stored),
        address: `${address}/${body.prefix_length}`,
      }),
      {
        field: 'address',
      },
    )
  return found
}
