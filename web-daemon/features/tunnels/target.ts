// What a change of a stored tunnel starts from: its record, and what the host holds of it now.
import type { HelperFacts } from '@panel/shared/host/model.ts'
import type { TunnelFound } from '@panel/shared/tunnel/observed.ts'
import type { Reader } from '@panel/shared/rpc/methods.ts'
import type { ReadDb, StoreContext } from '../../platform/context.ts'
import { probeOne } from './draft/before.ts'
import { noSuchTunnel } from './get.ts'
import type { TunnelRecord } from './record.ts'
import { findTunnel } from './store.ts'

/** Throws 404 where there is none, or none any more. */
export async function requireTunnel(db: ReadDb, tunnel_id: number): Promise<TunnelRecord> {
  const stored = await findTunnel(db, tunnel_id)
  if (!stored || stored.isDeleted) throw noSuchTunnel(tunnel_id)
  return stored.record
}

/** The tunnel that a command is about, noted for the audit log. */
export async function targetOf(
  { db, note }: Pick<StoreContext, 'db' | 'note'>,
  tunnel_id: number,
): Promise<TunnelRecord> {
  const record = await requireTunnel(db, tunnel_id)
  note.target('tunnel', tunnel_id)
  return record
}

export async function look(
  request: Reader,
  interface_name: string,
): Promise<{ found: TunnelFound; helper: HelperFacts }> {
  const found = await probeOne(request, interface_name)
  const { helper } = await request('host.probe', { parts: ['helper'] })
  if (!helper) throw new Error('The helper left out a part of the host that was requested')
  return { found, helper }
}
