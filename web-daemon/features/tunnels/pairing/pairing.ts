// GET /tunnels/{id}/pairing-code: the code that describes a tunnel to the other server (reference.md, GET
// /tunnels/{id}/pairing-code; decisions.md, R26, R27).
import type { PairingCodeAnswer } from '@panel/shared/api/tunnels/pairing.ts'
import { message, messageFields } from '@panel/shared/messages/message.ts'
import { tunnelNamed } from '@panel/shared/messages/named.ts'
import type { ReadContext } from '../../../platform/context.ts'
import { ok, type Answer, type Incoming } from '../../../platform/http/endpoint.ts'
import { Refusal } from '../../../platform/http/refusal.ts'
import { findPool } from '../../pools/store.ts'
import { idIn, noSuchTunnel } from '../get.ts'
import { refusalReason } from './acceptable.ts'
import { encodePairingCode } from './code.ts'
import { makeContent } from './content.ts'
import { mirroredAddresses, summarise } from './mirror.ts'
import { privateHere } from './private-end.ts'
import { findTunnel } from '../store.ts'

export async function showPairingCode(
  { db, settings }: ReadContext,
  { params }: Incoming,
): Promise<Answer<PairingCodeAnswer>> {
  const found = await findTunnel(db, idIn(params))
  if (!found || found.isDeleted) throw noSuchTunnel(idIn(params))
  const { record } = found
  const content = makeContent(
    record,
    record.address_pool_id === null ? null : await findPool(db, record.address_pool_id),
  )
  // Without an address the other end would take one from its own pool, in another subnet.
  if (mirroredAddresses(content).length === 0)
    throw new Refusal('CONFLICT', message('tunnel.no_room_for_far_end', { tunnel: tunnelNamed(record) }), {
      field: 'addresses',
    })
  const pairing_code = encodePairingCode(content)
  const reason = refusalReason(settings, content, pairing_code)
  if (reason)
    throw new Refusal(
      'CONFLICT',
      message('tunnel.code_refused', { tunnel: tunnelNamed(record), why: reason.message }),
      { field: reason.field },
    )
  const answer: PairingCodeAnswer = {
    pairing_code,
    summary: summarise(content),
    ...messageFields('note', message('note.pairing_code')),
    warnings: privateHere(content),
  }
  return ok(answer)
}
