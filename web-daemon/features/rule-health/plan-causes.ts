// The causes that a rule will have once a change is in force, as its plan shows them (decisions.md, S25).
import { APPLY_STATUSES } from '@panel/shared/api/base/lookups.ts'
import { nothingForeign } from '@panel/shared/foreign/model.ts'
import { message, type Message } from '@panel/shared/messages/message.ts'
import type { ReadContext } from '../../platform/context.ts'
import { nullIfHelperAway } from '../../platform/helper/away.ts'
import { asMessage, Refusal } from '../../platform/http/refusal.ts'
import { foreignRules } from '../forwarding/foreign.ts'
import type { Hostnames } from '../failover/hostnames.ts'
import type { LastForeign } from '../forwarding/last-foreign.ts'
import type { KernelRules } from '../routes/kernel-rules.ts'
import { ruleOf, type RouteRecord } from '../routes/record.ts'
import type { ForeseeCauses, ToCome } from '../routes/foresee-causes.ts'
import { cause, causeView, inOrderOfPath, type Cause } from './cause.ts'
import { causesOf } from './causes.ts'
import { readFacts, type RuleFacts } from './facts.ts'
import { findShadowsOf } from './shadows.ts'

/** What the background knows already. */
interface Known {
  readonly foreign: Pick<LastForeign, 'found'>
  readonly names: Pick<Hostnames, 'of'>
}

export const makeForeseeCauses =
  (known: Known): ForeseeCauses =>
  async (context, record, toCome) => {
    if (!record.is_enabled) return []
    const causes = await causesAfter(context, known, record, toCome).catch((refused: unknown) => {
      if (refused instanceof Refusal) return [notRead(message('health.facts_unread', { why: asMessage(refused) }))]
      throw refused
    })
    return causes.filter(({ effect }) => effect !== 'note').map(causeView)
  }

async function causesAfter(
  context: ReadContext,
  { foreign: { found }, names }: Known,
  record: RouteRecord,
  toCome: ToCome | undefined,
): Promise<Cause[]> {
  const wanted = { ...record, apply_status_id: APPLY_STATUSES.Applied }
  const others = found ?? (toCome ? null : await nullIfHelperAway(foreignRules(context.request)))
  const factsOf = await readFacts(context, { ...NOTHING_NOTICED, names }, [wanted], {
    rules: heldAfter(wanted),
    foreign: others ?? nothingForeign(''),
    shadows: new Map([[wanted.route_rule_id, await findShadowsOf(context.db, wanted)]]),
  })
  const facts = withSwitches(factsOf(wanted), toCome)
  return inOrderOfPath([
    ...causesOf(wanted, facts),
    ...(others ? [] : [notRead(message('health.firewalls_unread'))]),
    ...(facts.interfaces && facts.forwarding
      ? []
      : [notRead(message('health.facts_unread', { why: message('health.helper_silent') }))]),
  ])
}

const notRead = (sentence: Message): Cause => cause('NOT_READ', 'may_stop', sentence)

/** What went before the change is no news of what comes after it. */
const NOTHING_NOTICED = {
  evidence: { isStuck: () => false, unanswered: () => ({ packets: 0, readings: 0 }) },
  monitored: { stateOf: () => 'Unknown' as const },
} as const

function heldAfter(record: RouteRecord): KernelRules {
  const rule = ruleOf(record)
  const rules = new Map(rule ? [[rule.route_rule_id, rule]] : [])
  const found = { backend: 'nftables', is_readable: true, is_present: true, detail: '' } as const
  return { ...found, rules, damaged: [], unmanaged: [], uplinks: [] }
}

/** The kernel turns IPv4 forwarding on for every interface once it is turned on as a whole. */
function withSwitches(facts: RuleFacts, toCome: ToCome | undefined): RuleFacts {
  const { forwarding, interfaces, owner, near } = facts
  const last = toCome?.switches.at(-1)
  if (!last || !forwarding || !interfaces) return facts
  const live = { ...forwarding.state.live, ...last.after.live }
  const after = { ...facts, forwarding: { ...forwarding, state: { ...forwarding.state, live } } }
  if (forwarding.state.live.ipv4 || !live.ipv4) return after
  const forwards_ipv4 = true
  return {
    ...after,
    owner: owner && { ...owner, forwards_ipv4 },
    near: near && { ...near, forwards_ipv4 },
    interfaces: new Map([...interfaces].map(([name, one]) => [name, { ...one, forwards_ipv4 }])),
  }
}
