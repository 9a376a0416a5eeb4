// The number of a tunnel and the name of its interface: rendered from the template or given, and unique (decisions.md,
// R4, R5, R14).
import { TUNNEL_FIELDS } from '@panel/shared/api/tunnels/fields.ts'
import { INTERFACE_NAME_PATTERN, LINK_KINDS, type LinkKind } from '@panel/shared/tunnel/model.ts'
import { whyNoName } from '@panel/shared/limits/judge.ts'
import { whyNoTunnelName } from '@panel/shared/tunnel/names.ts'
import { message } from '@panel/shared/messages/message.ts'
import { tunnelNamed } from '@panel/shared/messages/named.ts'
import { Refusal } from '../../../platform/http/refusal.ts'
import { renderName } from '../../settings/naming.ts'
import { FIELD_ORDER, type DraftContext } from './context.ts'

const VALID = new RegExp(INTERFACE_NAME_PATTERN)
const isName = (name: string): boolean => VALID.test(name) && whyNoTunnelName(name) === null

export function requestedSide({ body }: DraftContext): number {
  return body.tunnel_side_id ?? TUNNEL_FIELDS.tunnel_side_id.byDefault
}

export function templateName(draft: DraftContext, kind: LinkKind, tunnel_number: number): string {
  return renderName(draft.settings, kind, requestedSide(draft), tunnel_number)
}

/** Numbers that can be assigned: no tunnel has the number, and nothing in the store or on the host has the name. */
export function freeNumbers(draft: DraftContext, kind: LinkKind): (number: number) => boolean {
  const { body, existing: neighbours, facts } = draft
  const numbers = new Set(neighbours.map((n) => n.tunnel_number))
  const names = new Set<string>([...neighbours.map((n) => n.interface_name), ...facts.interfaces.map((i) => i.name)])
  const isFreeName = (name: string): boolean => isName(name) && !names.has(name)
  // A tunnel with a given name does not need one for its number.
  return (number) =>
    !numbers.has(number) && (body.interface_name !== undefined || isFreeName(templateName(draft, kind, number)))
}

/** Throws 409 if the template has no room for a larger number, after any problems of fields. */
export function lowestNumber(draft: DraftContext, kind: LinkKind): number {
  const isFree = freeNumbers(draft, kind)
  for (let number = 1; hasRoom(draft, kind, number); number += 1) if (isFree(number)) return number
  draft.problems.throwIfAny(FIELD_ORDER)
  throw new Refusal('ALLOCATION_FAILED', message('tunnel.no_name_left'), { field: 'interface_name' })
}

const hasRoom = (draft: DraftContext, kind: LinkKind, number: number): boolean =>
  draft.body.interface_name !== undefined || isName(templateName(draft, kind, number))

/** Checks a requested name, or the name of a requested number. `field` is the one in the request. */
export function checkName(draft: DraftContext, name: string, field: 'interface_name' | 'tunnel_number'): void {
  const { problems, existing: neighbours, facts } = draft
  if (!VALID.test(name)) problems.add(field, 'INVALID_INTERFACE_NAME', message('tunnel.invalid_name', { name }))
  const owner = neighbours.find((n) => n.interface_name === name)
  if (owner)
    problems.add(field, 'TUNNEL_NAME_CONFLICT', message('tunnel.name_taken', { tunnel: tunnelNamed(owner) }), {
      tunnel_id: owner.tunnel_id,
    })
  const there = facts.interfaces.find((i) => i.name === name)
  // A foreign tunnel can be adopted; that is reported once all fields are valid.
  if (there && !owner && !problems.has(field) && !(LINK_KINDS as readonly string[]).includes(there.kind)) {
    problems.add(field, 'TUNNEL_NAME_CONFLICT', message('tunnel.name_of_interface', { name }))
  }
  const reason = whyNoTunnelName(name)
  if (reason !== null && !problems.has(field))
    problems.add(field, 'INTERFACE_NAME_RESERVED', message('tunnel.is', { name, reason }))
  const limit = facts.limits && whyNoName(facts.limits, name)
  if (limit && !problems.has(field)) problems.add(field, 'INTERFACE_NAME_RESERVED', limit)
}
