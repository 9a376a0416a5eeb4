// The tunnels that lead to a network.
import { PATHS_MAX } from '@panel/shared/network/model.ts'
import { message } from '@panel/shared/messages/message.ts'
import { tunnelNamed } from '@panel/shared/messages/named.ts'
import type { Problems } from '../../../platform/http/problems.ts'
import { canCarry, type NewNetwork, type PathRecord, type PathTunnels } from '../record.ts'
import type { DraftContext } from './context.ts'

/** Null where there are none. A path that stays out stays so. */
export function draftPaths({ body, problems, pathTunnels, stored }: DraftContext): PathRecord[] | null {
  if (problems.has('paths')) return null
  const { paths } = body
  if (!paths) {
    const items = message('input.paths')
    problems.add('paths', 'INVALID_VALUE', message('input.some', { field: 'paths', count: PATHS_MAX, items }))
    return null
  }
  const before = new Map((stored?.paths ?? []).map((path) => [path.tunnel_id, path]))
  for (const [at, { tunnel_id }] of paths.entries()) {
    const tunnel = pathTunnels.get(tunnel_id)
    const field = `paths.${at}.tunnel_id`
    if (!tunnel || tunnel.isDeleted) problems.add(field, 'UNKNOWN_TUNNEL', message('tunnel.not_found', { tunnel_id }))
    else if (paths.findIndex((one) => one.tunnel_id === tunnel_id) < at)
      problems.add(field, 'INVALID_VALUE', message('network.path_twice', { tunnel: tunnelNamed(tunnel) }))
  }
  return paths.map(({ tunnel_id, preference = 10, weight = 1 }) => ({
    tunnel_id,
    preference,
    weight,
    taken_out_date: before.get(tunnel_id)?.taken_out_date ?? null,
    failed_date: before.get(tunnel_id)?.failed_date ?? null,
  }))
}

export function checkCarriers(record: NewNetwork, tunnels: PathTunnels, problems: Problems): void {
  if (!record.is_enabled || problems.has('paths')) return
  if (canCarry(record, tunnels)) return
  const named = record.paths.flatMap(({ tunnel_id }) => tunnels.get(tunnel_id) ?? []).map(tunnelNamed)
  problems.add('paths', 'PATHS_DOWN', message('network.paths_down', { tunnels: named }))
}
