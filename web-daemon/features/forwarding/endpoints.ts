// The endpoints of IP forwarding (reference.md, System).
import { CONNECTION_DETAILS, FORWARDING } from '@panel/shared/forwarding/model.ts'
import { ForwardingAnswer, ForwardingBody, ForwardingChangeAnswer } from '@panel/shared/api/forwarding.ts'
import type { Warning } from '@panel/shared/api/base/errors.ts'
import { verbatim } from '@panel/shared/messages/message.ts'
import type { CommandContext, ReadContext, ReadDb } from '../../platform/context.ts'
import { command, ok, query, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import { probeRuleBackend } from '../system/rule-backend.ts'
import { foreignRules, foreignView } from './foreign.ts'
import { putBack, turnOn } from './state.ts'
import { accountingWarnings, conntrackWarnings, forwardingView } from './view.ts'

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
      answer: ForwardingAnswer,
    },
    showForwarding,
  ),
  command(
    'POST /system/forwarding/enable',
    {
      tag,
      summary:
        'Turn IPv4 forwarding on, now and at boot, and IPv6 forwarding where a rule needs it; with connections, have the kernel count bytes and age of each connection instead; with revert, put back what was set before. Safe to repeat.',
      answer: ForwardingChangeAnswer,
      body: ForwardingBody,
      audit: 'ForwardingEnable',
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
    warnings: [...conntrackWarnings(found, settings), ...accountingWarnings(found)],
  }
  return ok(answer)
}

const changeForwarding =
  ({ rulesInForce }: ForwardingUse) =>
  (context: CommandContext, { body }: Incoming<ForwardingBody>): Promise<Answer<ForwardingChangeAnswer>> =>
    context.inTurn(async () => {
      const { request, db, note } = context
      const action = body.revert === true ? 'revert' : 'enable'
      if (action === 'revert') note.action('ForwardingRevert')
      const [before, rules] = [await request('forwarding.probe', {}), await rulesInForce(db)]
      if (action === 'revert') await putBack(context, before, body.connections ? CONNECTION_DETAILS : undefined)
      else if (body.connections) await turnOn(context, before, CONNECTION_DETAILS)
      else await turnOn(context, before, rules.ipv6 > 0 && !before.missing.includes('ipv6') ? FORWARDING : ['ipv4'])
      const after = await request('forwarding.probe', {})
      const warnings: Warning[] = [...idleRules(after.state.live, rules), ...conntrackWarnings(after, context.settings)]
      const answer: ForwardingChangeAnswer = {
        action,
        forwarding: forwardingView(after, await probeRuleBackend(request)),
        warnings,
        note: body.connections
          ? CONNECTIONS_NOTES[action]
          : NOTES[action](before.state.saved !== null, after.state.live.ipv6),
      }
      return ok(answer)
    })

function idleRules(
  live: { readonly ipv4: boolean; readonly ipv6: boolean },
  rules: { readonly ipv4: number; readonly ipv6: number },
): Warning[] {
  const families = (['ipv4', 'ipv6'] as const).filter((family) => !live[family] && rules[family] > 0)
  return families.map((family) => ({
    code: 'IP_FORWARDING_OFF',
    ...verbatim(
      `${family === 'ipv4' ? 'IPv4' : 'IPv6'} forwarding is off, so ${rules[family]} of the rules in force relay nothing.`,
    ),
    field: '',
  }))
}

const CONNECTIONS_NOTES = {
  enable:
    'Connections that begin from now on have bytes and age. What was set before is recorded, and put back only when you ask for it with revert.',
  revert: 'The kernel counts connections as it did before the panel changed that.',
} as const

const NOTES = {
  enable: (_wasManaged: boolean, isIpv6: boolean) =>
    `What was set before is recorded, and put back only when you ask for it with revert.${isIpv6 ? ' With IPv6 forwarding the kernel takes no router advertisements, unless accept_ra is 2.' : ' IPv6 forwarding is turned on with the first IPv6 rule.'}`,
  revert: (wasManaged: boolean) =>
    wasManaged
      ? 'What was set before the panel turned forwarding on is set again, and its file is removed.'
      : 'The panel has not turned forwarding on, so there is nothing to put back.',
} as const
