// Reads what the checks of rules need to know: the rules, over which tunnels their destinations are reached, and what
// was known of them when the daemon ended.
import type { CommandContext, ReadDb } from '../../platform/context.ts'
import { readPaths } from '../routes/path/path.ts'
import type { DestinationRecord, RouteRecord } from '../routes/record.ts'
import { routesOf } from '../routes/store.ts'
import { flipsSince, statesOf, type StoredState } from './store.ts'
import { FLIPS_COUNT_MS } from './judge.ts'
import type { TunnelBehind } from './tracked.ts'

export interface Followed {
  readonly record: RouteRecord
  readonly tunnelOf: (destination: DestinationRecord) => TunnelBehind | null
  readonly statesOf: (route_destination_id: number) => StoredState | null
  readonly flipsOf: (route_destination_id: number) => readonly number[]
}

/** Rules with checks, with names, or with something that is drained. */
export async function checkedIds(db: ReadDb): Promise<number[]> {
  const checked = await db.selectFrom('route_check').select('route_rule_id').execute()
  const others = await db
    .selectFrom('route_destination')
    .select('route_rule_id')
    .where((e) => e.or([e('hostname', 'is not', null), e('drained_until', 'is not', null)]))
    .execute()
  return [...new Set([...checked, ...others].map(({ route_rule_id }) => route_rule_id))]
}

export async function readFollowed(
  { db, request, now }: Omit<CommandContext, 'note'>,
  ids: readonly number[],
): Promise<Followed[]> {
  const records = await routesOf(db, ids)
  const checked = records.filter(({ check, is_enabled }) => check !== null && is_enabled)
  const { hopsOf, nameOf } = await readPaths({ db, request }, checked)
  const since = new Date(now().getTime() - FLIPS_COUNT_MS).toISOString()
  return Promise.all(
    records.map(async (record) => {
      const enabled = record.destinations.filter(({ is_enabled }) => is_enabled)
      const hops = record.check ? hopsOf(record) : []
      const states = record.check ? await statesOf(db, record.route_rule_id) : new Map<number, StoredState>()
      const flips = record.check ? await flipsSince(db, record.route_rule_id, since) : new Map<number, number[]>()
      return {
        record,
        tunnelOf: (destination: DestinationRecord) => {
          const tunnel_id = hops[enabled.indexOf(destination)]
          const interface_name = nameOf(tunnel_id ?? 0)
          return tunnel_id != null && interface_name !== undefined ? { tunnel_id, interface_name } : null
        },
        statesOf: (id: number) => states.get(id) ?? null,
        flipsOf: (id: number) => flips.get(id) ?? [],
      }
    }),
  )
}
