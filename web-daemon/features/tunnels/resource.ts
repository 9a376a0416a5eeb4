// Tunnels as a resource of the engine: how root changes one, and how its record is stored and named.
import { tunnelNamed } from '@panel/shared/messages/named.ts'
import type { TunnelState } from '@panel/shared/tunnel/model.ts'
import type { Resource, StoredEvent } from '../../change/resource.ts'
import type { CommandContext, StoreContext } from '../../platform/context.ts'
import { applyStored } from './ownership.ts'
import { requireTunnel } from './target.ts'
import { named, type NewTunnel, type TunnelRecord } from './record.ts'
import { insertTunnel, markApplyStatus, markDeleted, replaceTunnel } from './store.ts'

export type TunnelResource = Resource<TunnelRecord, NewTunnel, TunnelState>

const EVENTS = {
  created: 'tunnel.created',
  updated: 'tunnel.updated',
  deleted: 'tunnel.deleted',
  settled: 'tunnel.updated',
} as const satisfies Record<StoredEvent, string>

/** `reviving`: the id that a tunnel which is made gets again. */
export function tunnelResource(
  context: Pick<CommandContext, 'db' | 'request' | 'publish'>,
  reviving?: number,
): TunnelResource {
  const { request } = context
  return {
    ...tunnelRecords(context, reviving),
    noun: 'tunnel',
    apply: (change) => applyStored(request, change),
    verify: (change) => request('tunnel.verify', change),
    split: (change) => [change],
    describe: (rows) => ({
      what: rows.map(tunnelNamed),
      details: rows.length === 1 && rows[0] && 'tunnel_id' in rows[0] ? { tunnel_id: rows[0].tunnel_id } : {},
    }),
    codes: { restored: 'APPLY_FAILED', stuck: 'TUNNEL_INCONSISTENT' },
  }
}

/** The part of the resource that is about their records. */
export function tunnelRecords(
  { db, publish }: Pick<StoreContext, 'db' | 'publish'>,
  reviving?: number,
): Pick<TunnelResource, 'idOf' | 'store' | 'onStored'> {
  return {
    idOf: ({ tunnel_id }) => tunnel_id,
    store: {
      insert: (transaction, draft) => insertTunnel(transaction, draft, reviving),
      replace: replaceTunnel,
      remove: markDeleted,
      markDeleted,
      mark: markApplyStatus,
      read: (tunnel_id) => requireTunnel(db, tunnel_id),
    },
    onStored: (event, rows) => {
      for (const row of rows) publish(EVENTS[event], named(row))
    },
  }
}
