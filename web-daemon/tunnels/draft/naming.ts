// The name of a tunnel's interface: rendered from the template or given, and nobody else's (decisions.md, R4, R5, R14).
import { TUNNEL_SIDES } from '@panel/shared/api/lookups.ts'
import { INTERFACE_NAME_PATTERN, KERNEL_STUBS, LINK_KINDS, type LinkKind } from '@panel/shared/model/tunnel.ts'
import { DEFAULTS } from '../defaults.ts'
import type { Sketch } from './sketch.ts'

const VALID = new RegExp(INTERFACE_NAME_PATTERN)

export function renderName(kind: LinkKind, tunnel_side_id: number, tunnel_number: number): string {
  const side = DEFAULTS['tunnel.side_labels'][tunnel_side_id === TUNNEL_SIDES.A ? 'a' : 'b']
  return DEFAULTS['tunnel.naming_template'].replaceAll('{side}', side).replaceAll('{number}', `${tunnel_number}`).replaceAll('{type}', kind)
}

/** What the panel may call a tunnel by itself: a name that nothing in the store and nothing on the host bears. */
export function freeName({ neighbours, facts }: Sketch): (name: string) => boolean {
  const taken = new Set<string>([...KERNEL_STUBS, ...neighbours.map((n) => n.interface_name), ...facts.interfaces.map((i) => i.name)])
  return (name) => VALID.test(name) && !taken.has(name)
}

/** A name that was asked for, itself or by its number. `field` is where the operator said so. */
export function checkName(sketch: Sketch, name: string, field: 'interface_name' | 'tunnel_number'): void {
  const { problems, neighbours, facts } = sketch
  if (!VALID.test(name)) problems.add(field, 'INVALID_INTERFACE_NAME', `${name} is no name for an interface.`)
  if ((KERNEL_STUBS as readonly string[]).includes(name)) problems.add(field, 'INTERFACE_NAME_RESERVED', `${name} is a name that the kernel keeps for itself.`)
  const owner = neighbours.find((n) => n.interface_name === name)
  if (owner) problems.add(field, 'TUNNEL_NAME_CONFLICT', `There is a tunnel ${name} already.`, { tunnel_id: owner.tunnel_id })
  const there = facts.interfaces.find((i) => i.name === name)
  // A tunnel that nobody manages can be adopted, and is told of when all fields are right.
  if (there && !owner && !problems.has(field) && !(LINK_KINDS as readonly string[]).includes(there.kind)) {
    problems.add(field, 'TUNNEL_NAME_CONFLICT', `This server has an interface ${name} that is no tunnel.`)
  }
}
