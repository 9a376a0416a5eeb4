// Leaves an interface out of the report, or takes it back in; on the host nothing changes (reference.md, POST
// /reconcile/ignore; decisions.md, S14).
import type { IgnoreAnswer, IgnoreBody } from '@panel/shared/api/reconcile.ts'
import { message, messageFields } from '@panel/shared/messages/message.ts'
import { tunnelNamed } from '@panel/shared/messages/named.ts'
import type { StoreContext, WriteDb } from '../../platform/context.ts'
import { ok, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import { writeInSettings } from '../settings/change.ts'
import { readValues } from '../settings/settings.ts'
import { writeSetting } from '../settings/store.ts'
import { existingTunnels } from '../tunnels/store.ts'

export async function ignoreInterface(
  context: StoreContext,
  { body }: Incoming<IgnoreBody>,
): Promise<Answer<IgnoreAnswer>> {
  const { interface_name, ignored = true } = body
  context.note.operation(`${ignored ? 'Ignore' : 'Report again'} ${interface_name}`)
  const ignored_interfaces = await writeInSettings(context, async (transaction) => {
    if (ignored) await refuseManaged(transaction, interface_name)
    return setIgnored(transaction, interface_name, ignored, context.now().toISOString())
  })
  const answer: IgnoreAnswer = {
    ignored_interfaces,
    ...messageFields('note', message(ignored ? 'drift.ignored' : 'drift.reported', { name: interface_name })),
  }
  return ok(answer)
}

/** Returns the list as it is then. Call it inside `inSettings`. */
export async function setIgnored(
  db: WriteDb,
  interface_name: string,
  ignored: boolean,
  now: string,
): Promise<string[]> {
  const before = [...(await readValues(db))['system.ignored_interfaces']]
  if (before.includes(interface_name) === ignored) return before
  const after = ignored ? [...before, interface_name].sort() : before.filter((name) => name !== interface_name)
  await writeSetting(db, 'system.ignored_interfaces', after, now)
  return after
}

async function refuseManaged(db: WriteDb, interface_name: string): Promise<void> {
  const owner = (await existingTunnels(db)).find((tunnel) => tunnel.interface_name === interface_name)
  if (!owner) return
  throw new Refusal('CONFLICT', message('adopt.always_reported', { tunnel: tunnelNamed(owner) }), {
    field: 'interface_name',
    details: { tunnel_id: owner.tunnel_id },
  })
}
