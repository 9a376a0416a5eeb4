// Takes the whole ruleset to what is stored (reference.md, POST /routes/apply-all; decisions.md, F14).
import type { Warning } from '@panel/shared/api/base/errors.ts'
import type { ApplyAllAnswer } from '@panel/shared/api/routes/answers.ts'
import type { Foreseen } from '@panel/shared/impact/foreseen.ts'
import type { CommandContext, ReadContext } from '../../platform/context.ts'
import { ok, type Answer } from '../../platform/http/endpoint.ts'
import { forwardFor } from '../forwarding/auto.ts'
import { readKernelRules } from './kernel-rules.ts'
import { familyOf, type RouteRecord } from './record.ts'
import { verificationView } from './plan-view.ts'
import { foreseeRules } from './foreseen.ts'
import { reapplyRules, wantedAsStored } from './change.ts'
import { allRoutes } from './store.ts'
import { message, sentences, messageFields, type Message } from '@panel/shared/messages/message.ts'
import { asMessage } from '../../platform/http/refusal.ts'
import type { Accounting } from './accounting.ts'

export const applyAll =
  (traffic: Accounting) =>
  (context: CommandContext): Promise<Answer<ApplyAllAnswer>> =>
    context.inTurn(async () => {
      const { stored, held, orphans } = await look(context)
      const { outcome, backend } = await reapplyRules(context, traffic, stored, { orphans, held })
      const rules_applied = stored.filter(({ is_enabled }) => is_enabled).length
      const warnings = await forwardAll(context, stored)
      const answer: ApplyAllAnswer = {
        action: 'apply_all',
        rules_applied,
        verification: verificationView(outcome.checks, { backend, rule_count: rules_applied }),
        ...messageFields('note', sentences(noteOf(orphans.length), ...warnings.map(asMessage))),
      }
      return ok(answer)
    })

async function look({ request, db }: ReadContext) {
  const stored = await allRoutes(db)
  const known = new Set(stored.map(({ route_rule_id }) => route_rule_id))
  const held = await readKernelRules(request)
  const orphans = [
    ...new Set([...held.rules.keys(), ...held.damaged.map(({ route_rule_id }) => route_rule_id)]),
  ].filter((id) => !known.has(id))
  return { stored, held, orphans }
}

export async function foreseeAll(context: ReadContext): Promise<Foreseen> {
  const { stored, held, orphans } = await look(context)
  return foreseeRules(context, { rules: wantedAsStored(stored, orphans), records: stored, held })
}

/** Turns on forwarding like the reapply of each rule. */
async function forwardAll(context: CommandContext, stored: readonly RouteRecord[]): Promise<Warning[]> {
  const families = new Set(stored.filter(({ is_enabled }) => is_enabled).map(familyOf))
  const warnings: Warning[] = []
  for (const family of families) warnings.push(...(await forwardFor(context, family)))
  return warnings.filter(({ code }) => code === 'IP_FORWARDING_OFF')
}

const noteOf = (count: number): Message =>
  sentences(message('note.all_applied'), count === 0 ? null : message('note.orphans_removed', { count }))
