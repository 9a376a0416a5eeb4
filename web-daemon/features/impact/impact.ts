// What a foreseen change would do to what goes on now (reference.md, Impact; decisions.md, I1-I5).
import type { Impact } from '@panel/shared/api/impact/impact.ts'
import { impactOf } from '@panel/shared/impact/impact.ts'
import { RULES_PER_CHANGE_MAX } from '@panel/shared/ruleset/model.ts'
import type { ReadContext } from '../../platform/context.ts'
import type { ReadImpact } from '../../platform/impact.ts'
import { gatherFacts, type ImpactDeps } from './facts.ts'
import { countOthers } from './others.ts'
import { nullIfUnreadable } from './unreadable.ts'

export const makeImpact =
  (deps: ImpactDeps): ReadImpact =>
  async (context, foreseen, requester) => {
    const facts = await gatherFacts(context, deps, foreseen, requester)
    const impact = impactOf(foreseen, facts)
    if (requester.with_sources !== true) return impact
    const [top_sources, others] = await Promise.all([
      topSources(context, impact),
      countOthers(context, foreseen, facts),
    ])
    return { ...impact, connections: { ...impact.connections, top_sources, others } }
  }

const TOP_SOURCES = 10

/** The top sources of the rules that are concerned; all of their connections are looked at. */
async function topSources({ request }: ReadContext, { rules }: Impact): Promise<Impact['connections']['top_sources']> {
  const route_rule_ids = rules.map((rule) => rule.route_rule_id)
  if (route_rule_ids.length === 0 || route_rule_ids.length > RULES_PER_CHANGE_MAX) return null
  const found = await nullIfUnreadable(request('ruleset.connections', { route_rule_ids, limit: 1 }))
  return found?.is_readable === true ? found.sources.slice(0, TOP_SOURCES) : null
}
