// The health of the relay rules as a whole: whether the kernel holds those that are enabled (decisions.md, T20).
import { ROUTE_RULE_ID_MAX } from '@panel/shared/ruleset/model.ts'
import type { RulesetFound } from '@panel/shared/ruleset/found.ts'
import type { ReadContext } from '../../../platform/context.ts'
import type { Component } from '../../../platform/health.ts'
import { enabledIds } from '../store.ts'
import type { RouteWatch } from './watch.ts'

type Verdict = Omit<Component, 'name'>

/** Root says what is wrong at this moment; the watch what differed from the store when it last compared the two. */
export async function rulesComponent(
  { db, request }: Pick<ReadContext, 'db' | 'request'>,
  watch: Pick<RouteWatch, 'entries'>,
): Promise<Component> {
  try {
    const enabled = await enabledIds(db)
    // No rule has the last id, so what comes is all that is wrong, and no list of all that is right.
    const held = await request('ruleset.probe', { route_rule_ids: [], from_id: ROUTE_RULE_ID_MAX })
    return { name: 'rules', ...verdict(enabled, held, watch) }
  } catch (failure) {
    return { name: 'rules', status: 'unknown', detail: failure instanceof Error ? failure.message : String(failure) }
  }
}

function verdict(enabled: readonly number[], held: RulesetFound, watch: Pick<RouteWatch, 'entries'>): Verdict {
  if (enabled.length === 0 && held.unmanaged.length === 0) return { status: 'ok', detail: 'No relay rule is enabled' }
  if (!held.is_readable)
    return {
      status: enabled.length === 0 ? 'unknown' : 'error',
      detail: `The kernel's rules cannot be read: ${held.detail}`,
    }
  const failed = new Set([
    ...(held.is_present ? held.damaged.map(({ route_rule_id }) => route_rule_id) : enabled),
    ...watch.entries().flatMap(({ key, status, isDrifted }) => (isDrifted || status === 'inconsistent' ? [key] : [])),
  ])
  const wrong = enabled.filter((id) => failed.has(id)).length
  if (wrong > 0)
    return {
      status: 'error',
      detail: `${wrong} of ${enabled.length} enabled relay rules are not in the kernel as they are stored. POST /routes/apply-all puts them there`,
    }
  return { status: 'ok', detail: `The kernel holds the enabled relay rules: ${enabled.length}` }
}
