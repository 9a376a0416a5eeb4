// The GRE keys of a tunnel: generated if not given, and never such that two tunnels receive each other's packets
// (decisions.md, T12, R9, R15).
import { randomInt } from 'node:crypto'
import { formatIp } from '@panel/shared/address/ip.ts'
import { U32_MAX } from '@panel/shared/schema.ts'
import { kindOfType } from '@panel/shared/api/base/lookups.ts'
import { message } from '@panel/shared/messages/message.ts'
import { tunnelNamed } from '@panel/shared/messages/named.ts'
import type { ExistingTunnel } from '../store.ts'
import { farEndField, type Ends } from './ends.ts'
import { warn, type DraftContext } from './context.ts'

export interface Keys {
  readonly ikey: number | null
  readonly okey: number | null
}

/** Draws a key from 1 to 2^32-1: a key of 0 is easily mistaken for none. */
const drawKey = (): number => randomInt(1, U32_MAX + 1)

export function draftKeys(draft: DraftContext, ends: Ends, draw: () => number = drawKey): Keys {
  const sameEnds = tunnelsWithSameEnds(draft, ends)
  const keys = chosen(draft, sameEnds, draw)
  if (draft.problems.has('ikey') || draft.problems.has('okey')) return keys
  // The kernel identifies a tunnel of one kind by both addresses and the key of received packets (ip_tunnel_find,
  // net/ipv4/ip_tunnel.c).
  const duplicate = sameEnds.find(({ ikey }) => ikey === keys.ikey)
  if (duplicate) {
    draft.problems.add(
      farEndField(draft.body),
      'TUNNEL_ENDPOINT_CONFLICT',
      message('tunnel.duplicate', { tunnel: tunnelNamed(duplicate), key: keys.ikey ?? 'none' }),
      { tunnel_id: duplicate.tunnel_id },
    )
  } else advise(draft, keys)
  return keys
}

function chosen(
  { body, problems, settings }: DraftContext,
  sameEnds: readonly ExistingTunnel[],
  draw: () => number,
): Keys {
  if (body.ikey !== undefined || body.okey !== undefined || problems.has('ikey') || problems.has('okey'))
    return { ikey: body.ikey ?? null, okey: body.okey ?? null }
  const standard = settings.get('tunnel.default_key')
  if (standard !== null) return { ikey: standard, okey: standard }
  const taken = new Set(sameEnds.flatMap(({ ikey, okey }) => [ikey, okey]))
  let key = draw()
  while (taken.has(key)) key = draw()
  return { ikey: key, okey: key }
}

function tunnelsWithSameEnds({ existing, kind }: DraftContext, { local, remote }: Ends): ExistingTunnel[] {
  if (!local || !remote) return []
  const [from, to] = [formatIp(local), formatIp(remote)]
  return existing.filter(
    (n) => n.local_endpoint === from && n.remote_endpoint === to && kindOfType(n.tunnel_type_id) === kind,
  )
}

function advise(draft: DraftContext, { ikey, okey }: Keys): void {
  if (ikey === null && okey === null) {
    warn(draft, 'NO_GRE_KEY', 'ikey', message('tunnel.no_key'))
  } else if (ikey === null || okey === null) {
    warn(draft, 'GRE_KEY_ASYMMETRIC', ikey === null ? 'ikey' : 'okey', message('tunnel.key_one_way'))
  }
  const other = draft.body.ikey === undefined ? undefined : draft.existing.find((n) => ikey !== null && n.ikey === ikey)
  if (other) warn(draft, 'GRE_KEY_REUSED', 'ikey', message('tunnel.key_reused', { tunnel: tunnelNamed(other) }))
}
