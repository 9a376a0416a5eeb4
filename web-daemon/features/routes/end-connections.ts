// Ends the connections to destinations that went down, where the rule says so. UDP flows never move by themselves: each
// packet of a client keeps its flow alive.
import { ROUTE_PROTOCOLS } from '@panel/shared/api/base/lookups.ts'
import type { CommandContext } from '../../platform/context.ts'
import { errorMessage } from '../../platform/http/refusal.ts'
import type { DestinationRecord, RouteRecord } from './record.ts'

/** The number that one request names. */
const AT_ONCE = 64
/**
 * The width up to which each port of a range is a destination of its own for connection tracking. Wider ones are left
 * alone.
 */
const PORTS_MAX = 1024

type End = Pick<DestinationRecord, 'address' | 'port'>
type Context = Pick<CommandContext, 'request' | 'note'>

/** Returns how many it has ended; null where that failed: the operator finds in the audit log what stood in the way. */
export async function endConnections(
  context: Context,
  record: RouteRecord,
  fallen: readonly End[],
): Promise<number | null> {
  const { note } = context
  if (fallen.length === 0 || !areEnded(record)) return 0
  const ends = portByPort(record, fallen)
  if (ends.length === 0) {
    note.operation('The range is too wide to end its connections')
    return 0
  }
  try {
    const dropped = await disconnect(context, record, ends)
    note.operation(`Ended ${dropped} connections`)
    return dropped
  } catch (failure) {
    note.operation(`Connections could not be ended: ${errorMessage(failure).message}`)
    return null
  }
}

function portByPort({ bind_port, bind_port_range_end }: RouteRecord, fallen: readonly End[]): End[] {
  const width = (bind_port_range_end ?? bind_port) - bind_port + 1
  if (width > PORTS_MAX) return []
  return fallen.flatMap(({ address, port }) => Array.from({ length: width }, (_, at) => ({ address, port: port + at })))
}

async function disconnect({ request }: Context, record: RouteRecord, ends: readonly End[]): Promise<number> {
  const route_rule_ids = [record.route_rule_id]
  let dropped = 0
  for (let at = 0; at < ends.length; at += AT_ONCE)
    dropped += (await request('ruleset.disconnect', { route_rule_ids, destinations: ends.slice(at, at + AT_ONCE) }))
      .dropped
  return dropped
}

/** `auto`: of a rule that relays UDP, whatever else it relays. */
function areEnded({ check, route_protocol_id }: RouteRecord): boolean {
  const wanted = check?.connections_of_down ?? 'auto'
  return wanted === 'end' || (wanted === 'auto' && route_protocol_id !== ROUTE_PROTOCOLS.TCP)
}
