// The endpoints of IP forwarding (reference.md, System).
import {
  CONNECTION_DETAILS,
  FORWARDING,
  type ForwardingFound,
  type ForwardingState,
} from '@panel/shared/forwarding/model.ts'
import type { ForwardingAnswer, ForwardingBody, ForwardingChangeAnswer } from '@panel/shared/api/forwarding.ts'
import type { Warning } from '@panel/shared/api/base/errors.ts'
import { sameState } from '@panel/shared/change/change.ts'
import { keepingAdvertised, onHost } from '@panel/shared/forwarding/host.ts'
import { withForwarding, withoutForwarding } from '@panel/shared/forwarding/plan.ts'
import { whyNoSize, whyNotSize, withSize } from '@panel/shared/forwarding/size.ts'
import { NOTHING_FORESEEN, type Foreseen } from '@panel/shared/impact/foreseen.ts'
import { message, type Message } from '@panel/shared/messages/message.ts'
import type { CommandContext, ReadContext, ReadDb } from '../../platform/context.ts'
import { command, ok, query, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import { probeRuleBackend } from '../system/rule-backend.ts'
import { refuseLoss } from './auto.ts'
import { foreignRules, foreignView } from './foreign.ts'
import { take } from './state.ts'
import { Problems } from '../../platform/http/problems.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import { accountingWarnings, conntrackWarnings, forwardingView, sizeWarnings } from './view.ts'

/** Implemented by the relay rules, which import this feature. */
export interface ForwardingUse {
  /** How many rules in force need the forwarding of each family. */
  readonly rulesInForce: (db: ReadDb) => Promise<{ readonly ipv4: number; readonly ipv6: number }>
}

const tag = 'system'

export const forwardingEndpoints = (use: ForwardingUse) => [
  query(
    'GET /system/forwarding',
    {
      tag,
      summary: 'Whether this server forwards packets, who set that, and what other software has put into netfilter.',
    },
    showForwarding,
  ),
  command(
    'POST /system/forwarding/enable',
    {
      tag,
      summary:
        'Turn IPv4 forwarding on, now and at boot, and IPv6 forwarding where a rule needs it; with connections, have the kernel count bytes and age of each connection instead; with conntrack_max, track that many connections; with revert, put back what was set before. Safe to repeat.',
      audit: 'ForwardingEnable',
      foresee: foreseeChange(use),
    },
    changeForwarding(use),
  ),
]

async function showForwarding({ request, settings }: ReadContext): Promise<Answer<ForwardingAnswer>> {
  const [found, backend, foreign] = await Promise.all([
    request('forwarding.probe', {}),
    probeRuleBackend(request),
    foreignRules(request),
  ])
  const answer: ForwardingAnswer = {
    forwarding: forwardingView(found, backend),
    foreign: foreignView(foreign),
    backend,
    warnings: [...conntrackWarnings(found, settings), ...sizeWarnings(found), ...accountingWarnings(found)],
  }
  return ok(answer)
}

const changeForwarding =
  ({ rulesInForce }: ForwardingUse) =>
  (context: CommandContext, { body }: Incoming<ForwardingBody>): Promise<Answer<ForwardingChangeAnswer>> =>
    context.inTurn(async () => {
      const { request, db, note } = context
      const action = body.revert === true || body.conntrack_max === null ? 'revert' : 'enable'
      if (action === 'revert') note.action('ForwardingRevert')
      const [before, rules] = [await request('forwarding.probe', {}), await rulesInForce(db)]
      await take(context, before.state, wantedState(before, rules, body))
      const after = await request('forwarding.probe', {})
      const warnings: Warning[] = [...idleRules(after.state.live, rules), ...conntrackWarnings(after, context.settings)]
      const sentence = noteOf(action, body, before, after)
      const answer: ForwardingChangeAnswer = {
        action,
        forwarding: forwardingView(after, await probeRuleBackend(request)),
        warnings,
        note: sentence.message,
        note_message: sentence,
      }
      return ok(answer)
    })

const foreseeChange =
  ({ rulesInForce }: ForwardingUse) =>
  async ({ request, db, settings }: ReadContext, { body }: Incoming<ForwardingBody>): Promise<Foreseen> => {
    const found = await request('forwarding.probe', {})
    const wanted = wantedState(found, await rulesInForce(db), body)
    if (sameState(found.state, wanted)) return NOTHING_FORESEEN
    if (wanted.live.ipv6) refuseLoss(found)
    const before = onHost(found.state, found)
    const change = { before, after: keepingAdvertised(before, wanted) }
    return {
      changes: [{ noun: 'forwarding', change }],
      warnings: conntrackWarnings({ ...found, state: wanted }, settings),
    }
  }

/** What was set before the panel turned it on, or what is turned on now. */
function wantedState(
  found: ForwardingFound,
  rules: { readonly ipv6: number },
  { revert = false, connections = false, conntrack_max }: ForwardingBody,
): ForwardingState {
  const { state, missing } = found
  if (conntrack_max !== undefined && (revert || connections)) refuseSize(message('forwarding.size_alone'))
  if (conntrack_max === null) return withoutForwarding(state, ['conntrack_max'])
  if (conntrack_max !== undefined) return sized(found, conntrack_max)
  if (revert) return withoutForwarding(state, connections ? CONNECTION_DETAILS : undefined)
  if (connections) return withForwarding(state, CONNECTION_DETAILS)
  return withForwarding(state, rules.ipv6 > 0 && !missing.includes('ipv6') ? FORWARDING : ['ipv4'])
}

function sized(found: ForwardingFound, size: number): ForwardingState {
  const absent = whyNoSize(found)
  if (absent) throw new Refusal('SERVICE_UNAVAILABLE', absent)
  const why = whyNotSize(found, size)
  if (why) refuseSize(why)
  return withSize(found.state, size)
}

function refuseSize(why: Message): void {
  const problems = new Problems()
  problems.add('conntrack_max', 'INVALID_VALUE', why)
  problems.throwIfAny()
}

function idleRules(
  live: { readonly ipv4: boolean; readonly ipv6: boolean },
  rules: { readonly ipv4: number; readonly ipv6: number },
): Warning[] {
  const families = (['ipv4', 'ipv6'] as const).filter((family) => !live[family] && rules[family] > 0)
  return families.map((family) => ({
    code: 'IP_FORWARDING_OFF',
    ...message('forwarding.idle_rules', {
      family: family === 'ipv4' ? 'IPv4' : 'IPv6',
      count: rules[family],
    }),
    field: '',
  }))
}

function noteOf(
  action: 'enable' | 'revert',
  { connections, conntrack_max }: ForwardingBody,
  { state: { saved } }: ForwardingFound,
  after: ForwardingFound,
): Message {
  if (connections) return CONNECTIONS_NOTES[action]
  if (conntrack_max === undefined) return NOTES[action](saved !== null, after.state.live.ipv6)
  if (conntrack_max !== null) return message('forwarding.note_size')
  return message(saved?.conntrack_max ? 'forwarding.note_size_reverted' : 'forwarding.note_size_nothing')
}

const CONNECTIONS_NOTES = {
  enable: message('forwarding.note_connections'),
  revert: message('forwarding.note_connections_reverted'),
} as const

const NOTES = {
  enable: (_wasManaged: boolean, isIpv6: boolean) =>
    message(isIpv6 ? 'forwarding.note_enabled_ipv6' : 'forwarding.note_enabled'),
  revert: (wasManaged: boolean) => message(wasManaged ? 'forwarding.note_reverted' : 'forwarding.note_nothing'),
} as const
