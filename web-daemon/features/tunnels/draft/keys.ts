// The GRE keys of a tunnel: drawn where none is given, and never such that two tunnels take each other's packets (decisions.md, T12, R9, R15).
import { randomInt } from 'node:crypto'
import { formatIp } from '@panel/shared/address/ip.ts'
import { U32_MAX } from '@panel/shared/schema.ts'
import { kindOfType } from '@panel/shared/api/lookups.ts'
import type { Neighbour } from '../store.ts'
import type { Ends } from './ends.ts'
import { warn, type Sketch } from './sketch.ts'

export interface Keys {
  readonly ikey: number | null
  readonly okey: number | null
}

/** From 1 to 2^32-1: a key of 0 looks like none to many an eye. */
const drawKey = (): number => randomInt(1, U32_MAX + 1)

export function draftKeys(sketch: Sketch, ends: Ends, draw: () => number = drawKey): Keys {
  const twins = twinsOf(sketch, ends)
  const keys = chosen(sketch, twins, draw)
  if (sketch.problems.has('ikey') || sketch.problems.has('okey')) return keys
  // The kernel tells tunnels of one kind apart by both addresses and the key of what comes in (ip_tunnel_find, net/ipv4/ip_tunnel.c).
  const twin = twins.find(({ ikey }) => ikey === keys.ikey)
  if (twin) {
    const key = keys.ikey === null ? 'no key' : `the key ${keys.ikey}`
    sketch.problems.add(
      'remote_endpoint',
      'TUNNEL_ENDPOINT_CONFLICT',
      `${twin.interface_name} already runs between these endpoints with ${key}.`,
      { tunnel_id: twin.tunnel_id },
    )
  } else advise(sketch, keys)
  return keys
}

function chosen({ body, problems, settings }: Sketch, twins: readonly Neighbour[], draw: () => number): Keys {
  if (body.ikey !== undefined || body.okey !== undefined || problems.has('ikey') || problems.has('okey'))
    return { ikey: body.ikey ?? null, okey: body.okey ?? null }
  const standard = settings.get('tunnel.default_key')
  if (standard !== null) return { ikey: standard, okey: standard }
  const taken = new Set(twins.flatMap(({ ikey, okey }) => [ikey, okey]))
  let key = draw()
  while (taken.has(key)) key = draw()
  return { ikey: key, okey: key }
}

function twinsOf({ neighbours, kind }: Sketch, { local, remote }: Ends): Neighbour[] {
  if (!local || !remote) return []
  const [from, to] = [formatIp(local), formatIp(remote)]
  return neighbours.filter(
    (n) => n.local_endpoint === from && n.remote_endpoint === to && kindOfType(n.tunnel_type_id) === kind,
  )
}

function advise(sketch: Sketch, { ikey, okey }: Keys): void {
  if (ikey === null && okey === null) {
    warn(
      sketch,
      'NO_GRE_KEY',
      'ikey',
      'Without a key this is the only tunnel of its kind between these endpoints, and any GRE packet between them enters it.',
    )
  } else if (ikey === null || okey === null) {
    warn(
      sketch,
      'GRE_KEY_ASYMMETRIC',
      ikey === null ? 'ikey' : 'okey',
      'Only one direction has a key: the other end must be set up the other way round, or nothing passes.',
    )
  }
  const other =
    sketch.body.ikey === undefined ? undefined : sketch.neighbours.find((n) => ikey !== null && n.ikey === ikey)
  if (other)
    warn(
      sketch,
      'GRE_KEY_REUSED',
      'ikey',
      `${other.interface_name} has the same key. That works, and a key of its own is easier to tell apart.`,
    )
}
