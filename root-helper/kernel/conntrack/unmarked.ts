// Which flows a rule translates although their mark is not the panel's.
import { isWildcard } from '@panel/shared/ruleset/canonical.ts'
import { leadsTo } from '@panel/shared/ruleset/connection.ts'
import type { RelayRule } from '@panel/shared/ruleset/model.ts'
import { lastPort, listensOn } from '@panel/shared/ruleset/ports.ts'
import { unmarkedFlow, type UnmarkedFlow } from '../../netlink/conntrack.ts'
import type { Message } from '../../netlink/message.ts'
import { eachFlow } from './bursts.ts'

/** The mark of each such flow. */
export async function foreignMarks(flows: readonly Message[], rule: RelayRule): Promise<number[]> {
  const marks: number[] = []
  await eachFlow(flows, (message) => {
    const flow = unmarkedFlow(message)
    if (flow && isOfRule(flow, rule)) marks.push(flow.mark)
  })
  return marks
}

export const isOfRule = (flow: UnmarkedFlow, rule: RelayRule): boolean =>
  listensOn(rule, flow.protocol) &&
  (isWildcard(rule.bind_address) || rule.bind_address === flow.bind_address) &&
  flow.bind_port >= rule.bind_port &&
  flow.bind_port <= lastPort(rule) &&
  rule.destinations.some((destination) => leadsTo(destination, flow))
