// Requests that are foreseen each by itself and carried out one after the other: the first rule of a family has
// forwarding turned on, right after it.
import { foreseenTogether, type Foreseen, type HostChange } from '@panel/shared/impact/foreseen.ts'
import { familyOf } from '@panel/shared/ruleset/canonical.ts'
import type { ReadContext } from '../../platform/context.ts'
import { foreseeForwarding } from '../forwarding/auto.ts'

export async function foreseenInTurn(context: ReadContext, requests: readonly Foreseen[]): Promise<Foreseen> {
  const all = foreseenTogether(requests)
  return { ...all, changes: await withForwarding(context, all.changes) }
}

async function withForwarding(context: ReadContext, all: readonly HostChange[]): Promise<HostChange[]> {
  // Each request foresees it from the host as it is now.
  const changes = all.filter(({ noun }) => noun !== 'forwarding')
  const families = new Set(changes.flatMap(familiesIn))
  const toCome = await foreseeForwarding(context, [...families])
  return changes.flatMap((change) => {
    const families = familiesIn(change)
    const later = toCome.findIndex((next) => !families.some((family) => turnsOn(next, family)))
    return [change, ...toCome.splice(0, later < 0 ? toCome.length : later)]
  })
}

const familiesIn = (one: HostChange) => (one.noun === 'route' ? (one.change.after ?? []).map(familyOf) : [])

const turnsOn = (one: HostChange, family: ReturnType<typeof familyOf>): boolean => {
  const name = family === 6 ? 'ipv6' : 'ipv4'
  return one.noun === 'forwarding' && !one.change.before.live[name] && one.change.after.live[name] === true
}
