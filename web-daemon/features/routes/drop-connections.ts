// Ends connections of a rule on request, with a change of it (decisions.md, F1).
import type { Warning } from '@panel/shared/api/base/errors.ts'
import { message } from '@panel/shared/messages/message.ts'
import type { RelayDestination } from '@panel/shared/ruleset/model.ts'
import type { CommandContext } from '../../platform/context.ts'
import { asMessage, Refusal } from '../../platform/http/refusal.ts'
import { ruleOf, type NamedRoute } from './record.ts'

interface Dropped {
  readonly connections_dropped: number | null
  readonly warnings: Warning[]
}

/**
 * Ends connections to destinations that the rule does not relay to, whenever it left them. The change stands even if
 * this fails. Call it after the change is stored.
 */
export async function dropConnections(
  { request, note }: CommandContext,
  before: NamedRoute,
  after: NamedRoute | null,
  isRequested: boolean | undefined,
): Promise<Dropped> {
  if (isRequested !== true) return { connections_dropped: null, warnings: [] }
  try {
    const kept = keptEnds(after)
    const { dropped } = await request('ruleset.disconnect', {
      route_rule_ids: [before.route_rule_id],
      destinations: [],
      kept,
    })
    note.operation(`Ended ${dropped} connections`)
    return { connections_dropped: dropped, warnings: [] }
  } catch (refused) {
    if (!(refused instanceof Refusal)) throw refused
    return {
      connections_dropped: null,
      warnings: [
        {
          code: 'CONNECTIONS_NOT_DROPPED',
          ...message('route.connections_kept', { reason: asMessage(refused) }),
          field: 'drop_connections',
        },
      ],
    }
  }
}

/** The destinations of the rule; none if it is not in force. */
export function keptEnds(after: NamedRoute | null): Pick<RelayDestination, 'address' | 'port' | 'port_range_end'>[] {
  const rule = after && ruleOf(after)
  return (rule?.destinations ?? []).map(({ address, port, port_range_end }) => ({ address, port, port_range_end }))
}
