// The health of the relay rules as a whole: whether the kernel holds those that are enabled (decisions.md, T20).
import { ROUTE_RULE_ID_MAX } from '@panel/shared/ruleset/model.ts'
import type { ForwardingSwitches } from '@panel/shared/forwarding/model.ts'
import type { RulesetFound } from '@panel/shared/ruleset/found.ts'
import { fromRoot, message, sentences, type Message } from '@panel/shared/messages/message.ts'
import type { ReadContext } from '../../platform/context.ts'
import type { Component } from '../../platform/health.ts'
import { errorMessage } from '../../platform/http/refusal.ts'
import { countInForce, enabledIds } from '../routes/store.ts'
import type { RouteWatch } from './watch.ts'

type Watch = Pick<RouteWatch, 'entries'>

/** Root says what is wrong at this moment; the watch what differed from the store when it last compared the two. */
export async function rulesComponent(
  { db, request }: Pick<ReadContext, 'db' | 'request'>,
  watch: Watch,
): Promise<Component> {
  const name = 'rules'
  try {
    const enabled = await enabledIds(db)
    const { rule_backend } = await request('host.probe', { parts: ['rule_backend'] })
    // Also without a rule: chains that are left in another backend relay what nobody has stored.
    if (rule_backend?.trouble) return { name, status: 'error', detail: fromRoot(rule_backend.trouble) }
    if (enabled.length === 0) return { name, status: 'ok', detail: message('component.no_rules') }
    // No rule has the last id, so what comes is all that is wrong, and no list of all that is right.
    const held = await request('ruleset.probe', { route_rule_ids: [], from_id: ROUTE_RULE_ID_MAX })
    const { live } = (await request('forwarding.probe', {})).state
    const troubles =
      held.is_readable && held.backend !== 'none'
        ? [
            ...missing(enabled, held, watch),
            ...strays(held),
            ...unforwarded(await countInForce(db), live),
            ...blocked(watch),
          ]
        : [message('component.rules_unreadable', { why: fromRoot(held.detail) })]
    if (troubles.length > 0) return { name, status: 'error', detail: sentences(...troubles) }
    return { name, status: 'ok', detail: message('component.rules', { count: enabled.length }) }
  } catch (failure) {
    return { name, status: 'unknown', detail: errorMessage(failure) }
  }
}

function missing(enabled: readonly number[], held: RulesetFound, watch: Watch): Message[] {
  const differing = watch
    .entries()
    .filter(({ status, isDrifted }) => status === 'inconsistent' || (isDrifted && status !== 'impaired'))
  const wrong = new Set([
    ...(held.is_present ? held.damaged.map(({ route_rule_id }) => route_rule_id) : enabled),
    ...differing.map(({ key }) => key),
  ])
  const many = enabled.filter((id) => wrong.has(id)).length
  if (many === 0) return []
  return [message('component.rules_differ', { count: many, total: enabled.length })]
}

const strays = ({ unmanaged: [first] }: RulesetFound): Message[] =>
  first === undefined ? [] : [message('component.rules_stray', { what: first })]

/** The messages about software that drops what rules relay, with what lets it through. */
function blocked(watch: Watch): Message[] {
  const all = watch
    .entries()
    .flatMap(({ causes }) => causes.find(({ code, effect }) => code === 'FOREIGN_DROP' && effect !== 'note') ?? [])
  const [first] = all
  if (!first) return []
  const why = sentences(first.sentence, ...first.remedies, message('forwarding.foreign_left_alone'))
  return [message('component.rules_blocked', { count: all.length, why })]
}

const unforwarded = (inForce: ForwardingCounts, live: ForwardingSwitches): Message[] =>
  (['ipv4', 'ipv6'] as const).flatMap((family) =>
    inForce[family] === 0 || live[family]
      ? []
      : [message('component.rules_not_forwarded', { family: family === 'ipv4' ? 'IPv4' : 'IPv6' })],
  )

type ForwardingCounts = Awaited<ReturnType<typeof countInForce>>
