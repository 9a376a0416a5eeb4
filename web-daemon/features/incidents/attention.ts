// What needs the operator, each with what is stored of it, and how much is known of the rest.
import type { MonitorState } from '@panel/shared/api/base/lookups.ts'
import type { AttentionAnswer } from '@panel/shared/api/incidents.ts'
import type { Proof } from '@panel/shared/api/routes/causes.ts'
import type { ReadContext } from '../../platform/context.ts'
import { ok, type Answer } from '../../platform/http/endpoint.ts'
import { enabledIds } from '../routes/store.ts'
import { currentIncidents, type AttentionDeps } from './derive.ts'
import { incidentKey, openIncidents, rowKey } from './store.ts'
import { recordView } from './view.ts'

export function showAttention(deps: AttentionDeps) {
  return async (context: ReadContext): Promise<Answer<AttentionAnswer>> => {
    await deps.monitor.settled()
    const records = new Map((await openIncidents(context.db)).map((one) => [rowKey(one), one]))
    const incidents = (await currentIncidents(context, deps)).map(({ rules: _, ...one }) => {
      const stored = records.get(incidentKey(one))
      return { ...one, record: stored ? recordView(stored, context.now()) : null }
    })
    const silenced = incidents.filter(({ record }) => record?.silenced != null).length
    return ok({
      incidents,
      total: incidents.length - silenced,
      silenced,
      checked_at: deps.watch.last()?.at ?? null,
      ...(await countKnown(context, deps)),
    })
  }
}

/** Calm is known only of what was looked at: a daemon that has just started knows of nothing that is wrong. */
async function countKnown(
  { db }: ReadContext,
  deps: AttentionDeps,
): Promise<Pick<AttentionAnswer, 'known' | 'unmeasured' | 'unmonitored' | 'proof'>> {
  const { monitor, routeWatch } = deps
  const tunnels = monitor.summary().tunnels.filter(({ tunnel_enabled }) => tunnel_enabled)
  const inState = (word: MonitorState): number => tunnels.filter(({ state }) => state === word).length
  const [unmeasured, unmonitored] = [inState('Unknown'), inState('Disabled')]
  const rules = await enabledIds(db)
  const looked = new Set(routeWatch.entries().flatMap(({ key, status }) => (status === 'disabled' ? [] : [key])))
  const knownRules = rules.filter((id) => looked.has(id)).length
  return {
    known: tunnels.length - unmeasured - unmonitored + knownRules,
    unmeasured: { tunnels: unmeasured, rules: rules.length - knownRules },
    unmonitored,
    proof: proofsOf(deps),
  }
}

/** The enabled rules by what proves that they relay. */
function proofsOf({ routeWatch, proofs }: AttentionDeps): AttentionAnswer['proof'] {
  const enabled = routeWatch.entries().filter(({ status }) => status !== 'disabled')
  const all = enabled.map(({ key, proof }) => proofs.now(key, proof))
  const many = (word: Proof['state']): number => all.filter(({ state }) => state === word).length
  const proven = all.flatMap(({ state, at }) => (state === 'proven' && at !== null ? [at] : [])).sort()
  return {
    carrying: many('carrying'),
    proven: many('proven'),
    one_way: many('one_way'),
    unproven: many('unproven'),
    oldest: proven[0] ?? null,
  }
}
