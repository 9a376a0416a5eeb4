// Drops the record of a tunnel and leaves the host as it is (reference.md, POST /reconcile/{id}/forget; decisions.md,
// S17).
import type { ForgetAnswer } from '@panel/shared/api/reconcile.ts'
import type { TunnelView } from '@panel/shared/api/tunnels/answers.ts'
import { PERSISTENCE_TYPES } from '@panel/shared/api/base/lookups.ts'
import { savedFileName } from '@panel/shared/tunnel/saved-file.ts'
import { NOTHING_FORESEEN, type Foreseen } from '@panel/shared/impact/foreseen.ts'
import type { CommandContext, ReadContext } from '../../platform/context.ts'
import { ok, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import { dropHistory } from '../monitor/store.ts'
import { dependentNetworks } from '../networks/tunnel-use.ts'
import { idIn } from '../tunnels/get.ts'
import { release } from '../tunnels/ownership.ts'
import { isPath } from '../tunnels/path-use.ts'
import type { TunnelRecord } from '../tunnels/record.ts'
import { requireTunnel, targetOf } from '../tunnels/target.ts'
import { markDeleted } from '../tunnels/store.ts'
import { message, messageFields, type Message } from '@panel/shared/messages/message.ts'
import { observe, tunnelView } from '../tunnels/view.ts'

/** Root changes nothing, and gets no further request for it. */
export async function foreseeForgetting({ db }: ReadContext, { params }: Incoming): Promise<Foreseen> {
  await refusePath(db, await requireTunnel(db, idIn(params)))
  return NOTHING_FORESEEN
}

/** A network refers to its paths by their tunnels. */
async function refusePath(db: ReadContext['db'], tunnel: TunnelRecord): Promise<void> {
  const networks = await dependentNetworks(db, tunnel.tunnel_id)
  if (networks.length > 0) throw isPath('network.tunnel_forgotten', tunnel, networks)
}

/**
 * Root is to change the interface no more, and says what is there; the record is dropped even if it does not answer.
 */
export const forgetTunnel = (context: CommandContext, { params }: Incoming): Promise<Answer<ForgetAnswer>> =>
  context.inTurn(async () => {
    const record = await targetOf(context, idIn(params))
    const { tunnel_id, interface_name } = record
    await refusePath(context.db, record)
    await context.db.transaction().execute(async (transaction) => {
      await markDeleted(transaction, tunnel_id, context.now().toISOString())
      await dropHistory(transaction, tunnel_id)
    })
    context.publish('tunnel.deleted', { tunnel_id, interface_name })
    context.note.operation(`Forgot ${interface_name}`)
    await release(context, interface_name)
    const observed = (await observe(context.request, [interface_name]))(interface_name)
    const tunnel = tunnelView({ ...record, is_managed: false }, observed)
    const answer: ForgetAnswer = { forgotten: true, tunnel, ...messageFields('note', noteOf(tunnel)) }
    return ok(answer)
  })

function noteOf({ interface_name: name, persistence_type_id, observed }: TunnelView): Message {
  const isGone = observed.is_known && !observed.exists
  return message('drift.forgotten', {
    name,
    link: message(isGone ? 'drift.forgotten_no_link' : 'drift.forgotten_link', { name }),
    files: FILE_NOTES[persistence_type_id]?.(name) ?? message('drift.forgotten_files'),
  })
}

const FILE_NOTES: Readonly<Record<number, (interface_name: string) => Message>> = {
  [PERSISTENCE_TYPES.Systemd]: (name) => message('drift.forgotten_unit', { unit: savedFileName('systemd_unit', name) }),
  [PERSISTENCE_TYPES.Networkd]: (name) =>
    message('drift.forgotten_networkd', {
      netdev: savedFileName('networkd_netdev', name),
      network: savedFileName('networkd_network', name),
    }),
  [PERSISTENCE_TYPES.Runtime]: () => message('drift.forgotten_runtime'),
}
