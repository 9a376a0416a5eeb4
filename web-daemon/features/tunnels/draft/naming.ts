// The number of a tunnel and the name of its interface: rendered from the template or given, and nobody else's (decisions.md, R4, R5, R14).
import { TUNNEL_FIELDS } from '@panel/shared/api/tunnels/fields.ts'
import { INTERFACE_NAME_PATTERN, KERNEL_STUBS, LINK_KINDS, type LinkKind } from '@panel/shared/tunnel/model.ts'
import { Refusal } from '../../../platform/http/refusal.ts'
import { renderName } from '../../settings/naming.ts'
import { FIELD_ORDER, type Sketch } from './sketch.ts'

const VALID = new RegExp(INTERFACE_NAME_PATTERN)

export const sideOf = ({ body }: Sketch): number => body.tunnel_side_id ?? TUNNEL_FIELDS.tunnel_side_id.byDefault

export const nameOf = (sketch: Sketch, kind: LinkKind, tunnel_number: number): string =>
  renderName(sketch.settings, kind, sideOf(sketch), tunnel_number)

/** Which numbers the panel may give by itself: those that no tunnel has, nor their name anything in the store or on the host. */
export function freeNumbers(sketch: Sketch, kind: LinkKind): (number: number) => boolean {
  const { body, neighbours, facts } = sketch
  const numbers = new Set(neighbours.map((n) => n.tunnel_number))
  const names = new Set<string>([
    ...KERNEL_STUBS,
    ...neighbours.map((n) => n.interface_name),
    ...facts.interfaces.map((i) => i.name),
  ])
  const isFreeName = (name: string): boolean => VALID.test(name) && !names.has(name)
  // A tunnel with a name of its own needs none from its number.
  return (number) =>
    !numbers.has(number) && (body.interface_name !== undefined || isFreeName(nameOf(sketch, kind, number)))
}

/** Throws 409 where the template has no room for a larger number; but fields that are wrong are told first. */
export function lowestNumber(sketch: Sketch, kind: LinkKind): number {
  const isFree = freeNumbers(sketch, kind)
  for (let number = 1; hasRoom(sketch, kind, number); number += 1) if (isFree(number)) return number
  sketch.problems.throwIfAny(FIELD_ORDER)
  throw new Refusal(
    'ALLOCATION_FAILED',
    'The naming template has no free name left. Give an interface_name, or make the template shorter (setting tunnel.naming_template).',
    { field: 'interface_name' },
  )
}

const hasRoom = (sketch: Sketch, kind: LinkKind, number: number): boolean =>
  sketch.body.interface_name !== undefined || VALID.test(nameOf(sketch, kind, number))

/** A name that was asked for, itself or by its number. `field` is where the operator said so. */
export function checkName(sketch: Sketch, name: string, field: 'interface_name' | 'tunnel_number'): void {
  const { problems, neighbours, facts } = sketch
  if (!VALID.test(name)) problems.add(field, 'INVALID_INTERFACE_NAME', `${name} is no name for an interface.`)
  if ((KERNEL_STUBS as readonly string[]).includes(name))
    problems.add(field, 'INTERFACE_NAME_RESERVED', `${name} is a name that the kernel keeps for itself.`)
  const owner = neighbours.find((n) => n.interface_name === name)
  if (owner)
    problems.add(field, 'TUNNEL_NAME_CONFLICT', `There is a tunnel ${name} already.`, { tunnel_id: owner.tunnel_id })
  const there = facts.interfaces.find((i) => i.name === name)
  // A tunnel that nobody manages can be adopted, and is told of when all fields are right.
  if (there && !owner && !problems.has(field) && !(LINK_KINDS as readonly string[]).includes(there.kind)) {
    problems.add(field, 'TUNNEL_NAME_CONFLICT', `This server has an interface ${name} that is no tunnel.`)
  }
}
