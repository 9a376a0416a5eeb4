// Which relay rule takes what comes to a port that the panel wants to listen on itself.
import { ROUTE_PROTOCOLS } from '@panel/shared/api/base/lookups.ts'
import type { Message } from '@panel/shared/messages/message.ts'
import { ruleNamed } from '@panel/shared/messages/named.ts'
import type { ReadDb } from '../../platform/context.ts'
import { enabledOnPorts } from './store.ts'

/** Whatever its bind address: the panel's ports are kept from rules on every address too. */
export async function ruleOnTcpPort(db: ReadDb, port: number): Promise<Message | null> {
  const rule = (await enabledOnPorts(db, port, port)).find(
    ({ route_protocol_id }) => route_protocol_id !== ROUTE_PROTOCOLS.UDP,
  )
  return rule ? ruleNamed(rule) : null
}
