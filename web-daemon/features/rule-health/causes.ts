// Every cause by which a rule does not relay, or may not: what concerns the rule in the kernel here, what lies on the
// way of its packets beside it (decisions.md, S21).
import { APPLY_STATUSES } from '@panel/shared/api/base/lookups.ts'
import { checkMessage, failedChecks } from '@panel/shared/change/check.ts'
import { fromRoot, message } from '@panel/shared/messages/message.ts'
import { ruleNamed } from '@panel/shared/messages/named.ts'
import { checkRuleset } from '@panel/shared/ruleset/facts.ts'
import { isSameRule, type KernelRules } from '../routes/kernel-rules.ts'
import { ruleOf, type RouteRecord } from '../routes/record.ts'
import { cause, inOrderOfPath, type Cause } from './cause.ts'
import { ofForeign } from './causes-foreign.ts'
import { ofForwarding, ofListener } from './causes-host.ts'
import { ofDestinations, ofRoutes, ofTunnels } from './causes-path.ts'
import { ofClients, ofLostReplies, ofMarkedReplies } from './causes-reverse.ts'
import { ofTraffic } from './causes-traffic.ts'
import type { RuleFacts } from './facts.ts'

/** In the order of the packet's path; none of a rule that is disabled. Never throws. */
export function causesOf(record: RouteRecord, facts: RuleFacts): Cause[] {
  if (!record.is_enabled) return []
  const inKernel = [...ofLastChange(record, facts), ...ofKernel(record, facts)]
  const onPath = [
    ...ofListener(record, facts),
    ...ofForeign(facts),
    ...ofForwarding(record, facts),
    ...ofClients(record, facts),
    ...ofMarkedReplies(record, facts),
    ...ofTunnels(record, facts),
    ...ofRoutes(record, facts),
    ...ofDestinations(record, facts),
  ]
  const causes = [...inKernel, ...onPath]
  // What has stopped is no news of the packets that went before.
  return inOrderOfPath(causes.some(isStop) ? causes : [...causes, ...shownByPackets(record, facts)])
}

const isStop = ({ effect }: Cause): boolean => effect === 'stops'

/** Replies that are dropped here have not been sent in vain. */
function shownByPackets(record: RouteRecord, facts: RuleFacts): Cause[] {
  const lost = ofLostReplies(record, facts)
  return lost.some(isStop) ? lost : [...lost, ...ofTraffic(record, facts)]
}

/** A change that failed and was put back leaves in force what the kernel holds. */
function ofLastChange(record: RouteRecord, { held }: RuleFacts): Cause[] {
  const { apply_status_id: status, last_apply_error_message: error } = record
  switch (status) {
    case APPLY_STATUSES.Inconsistent: {
      const why = error.message === '' ? message('health.reason_unknown') : error
      return [cause('CHANGE_UNDONE_IN_PART', 'stops', message('health.inconsistent', { why }), REAPPLY)]
    }
    case APPLY_STATUSES.Failed: {
      const isHeld = held?.is_readable === true && held.rules.has(record.route_rule_id)
      const sentence = error.message === '' ? message('health.restored') : error
      return [cause('CHANGE_FAILED', isHeld ? 'degrades' : 'stops', sentence, REAPPLY)]
    }
    case APPLY_STATUSES.Pending:
      return [cause('CHANGE_PENDING', 'may_stop', message('health.pending'), REAPPLY)]
    default:
      return []
  }
}

const REAPPLY = { remedies: [message('health.fix_reapply')] }

function ofKernel(record: RouteRecord, { held, shadows }: RuleFacts): Cause[] {
  if (!held?.is_readable) {
    const why = held?.detail ? fromRoot(held.detail) : message('health.helper_silent')
    return [cause('RULES_UNREADABLE', 'may_stop', message('health.unreadable', { why }), { subject: 'kernel' })]
  }
  return [...ofRule(record, held), ...ofShadows(shadows), ...ofStrays(held)]
}

function ofRule(record: RouteRecord, held: KernelRules): Cause[] {
  const { route_rule_id: id } = record
  const [actual, desired] = [held.rules.get(id), ruleOf(record)]
  if (!actual && !desired) return []
  const damaged = held.damaged.find(({ route_rule_id }) => route_rule_id === id)
  if (!actual) {
    const sentence = damaged ? message('health.in_part', { why: fromRoot(damaged.detail) }) : message('health.missing')
    return [cause('RULE_MISSING', 'stops', sentence, REAPPLY)]
  }
  if (isSameRule(actual, desired)) return []
  const [first] = failedChecks(checkRuleset([id], desired && [desired], [actual]))
  const why = first ? checkMessage(first) : ''
  return [cause('RULE_DIFFERS', 'stops', message('health.otherwise', { why }), REAPPLY)]
}

function ofShadows(shadows: readonly RouteRecord[]): Cause[] {
  if (shadows.length === 0) return []
  const rules = shadows.map(ruleNamed)
  const remedies = [message('health.fix_order', { rules, count: rules.length })]
  return [cause('RULE_SHADOWED', 'stops', message('health.shadowed', { rules }), { remedies })]
}

/** Foreign pieces in the panel's table are not read; they may drop what any rule relays. */
function ofStrays({ unmanaged: [what, ...more] }: KernelRules): Cause[] {
  if (what === undefined) return []
  const sentence =
    more.length === 0 ? message('health.stray', { what }) : message('health.strays', { what, count: more.length })
  const remedies = [message('health.fix_reapply_stray')]
  return [cause('STRAY_RULES', 'degrades', sentence, { remedies, subject: 'table' })]
}
