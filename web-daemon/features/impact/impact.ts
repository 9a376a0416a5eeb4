// What a foreseen change would do to what goes on now (reference.md, Impact; decisions.md, I1-I5).
import type { Impact } from '@panel/shared/api/impact/impact.ts'
import { impactOf } from '@panel/shared/impact/impact.ts'
import { RULES_PER_CHANGE_MAX } from '@panel/shared/ruleset/model.ts'
import type { ReadContext } from '../../platform/context.ts'
import type { ReadImpact } from '../../platform/impact.ts'
import { gatherFacts, type ImpactDeps } from './facts.ts'
import { nullIfUnreadable } from './unreadable.ts'

export const makeImpact =
  (deps: ImpactDeps): ReadImpact =>
  async (context, foreseen, asking) => {
    const impact = impactOf(foreseen, await gatherFacts(context, deps, foreseen, asking))
    return asking.with_sources === true ? withSources(context, impact) : impact
  }

const TOP_SOURCES = 10

/** Of the rules that are concerned; all of their connections are looked at. */
async function withSources({ request }: ReadContext, impact: Impact): Promise<Impact> {
  const route_rule_ids = impact.rules.map((rule) => rule.route_rule_id)
  if (route_rule_ids.length === 0 || route_rule_ids.length > RULES_PER_CHANGE_MAX) return impact
  const found = await nullIfUnreadable(request('ruleset.connections', { route_rule_ids, limit: 1 }))
  const top_sources = found?.is_readable === true ? found.sources.slice(0, TOP_SOURCES) : null
  return { ...impact, connections: { ...impact.connections, top_sources } }
}
