// Whether this server lets through what a rule relays: its own forwarding, and the firewalls of other software.
import type { Warning } from '@panel/shared/api/base/errors.ts'
import { sentences, type Message } from '@panel/shared/messages/message.ts'
import type { CommandContext } from '../../../platform/context.ts'
import { forwardFor } from '../../forwarding/auto.ts'
import {
  foreignInTheWay,
  foreignRules,
  NOTHING_IN_THE_WAY,
  remediesOf,
  describeTaker,
  blockMessage,
  describeWriter,
  type InTheWay,
} from '../../forwarding/foreign.ts'
import { Refusal } from '../../../platform/http/refusal.ts'
import { readPaths } from './path.ts'
import { familyOf, ruleOf, type NamedRoute, type RouteRecord } from '../record.ts'

/** Turns forwarding on for an enabled rule, and warns of foreign firewalls. Call it inside `inTurn`. */
export async function preparePath(context: CommandContext, record: RouteRecord): Promise<Warning[]> {
  if (!record.is_enabled) return []
  const warnings = await Promise.all([forwardFor(context, familyOf(record)), foreignWarnings(context, record)])
  return warnings.flat()
}

async function foreignObstacles(context: CommandContext, record: NamedRoute): Promise<InTheWay> {
  const foreign = await foreignRules(context.request)
  const rule = ruleOf({ ...record, is_enabled: true })
  if (!rule || rule.destinations.length === 0 || foreign.chains.length === 0) return NOTHING_IN_THE_WAY
  const paths = await readPaths(context, [record], { withDevices: true })
  return foreignInTheWay(context.request, foreign, rule, paths.outDevice(record))
}

/** The rule stands even if this cannot be read. Single rules that might drop packets are left to the analysis. */
async function foreignWarnings(context: CommandContext, record: RouteRecord): Promise<Warning[]> {
  try {
    const { blocks, takers, writers } = await foreignObstacles(context, record)
    const [[block], [taker], [writer]] = [blocks, takers, writers]
    return [
      ...(block && (block.is_certain || block.is_policy)
        ? [warning('FOREIGN_FORWARD_POLICY_DROP', '', sentences(blockMessage(block), remediesOf(blocks)))]
        : []),
      ...(taker ? [warning('FOREIGN_DNAT', 'bind_port', describeTaker(taker))] : []),
      ...(writer ? [warning('FOREIGN_CONNECTION_MARK', '', describeWriter(writer))] : []),
    ]
  } catch (refused) {
    if (refused instanceof Refusal) return []
    throw refused
  }
}

const warning = (code: Warning['code'], field: string, text: Message): Warning => ({ code, ...text, field })
