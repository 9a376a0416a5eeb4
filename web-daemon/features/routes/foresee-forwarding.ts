// The forwarding that rules which are made one after the other have turned on: by the first of each family, right after
// it.
import type { HostChange } from '@panel/shared/impact/foreseen.ts'
import { familyOf } from '@panel/shared/ruleset/canonical.ts'
import type { ReadContext } from '../../platform/context.ts'
import { foreseeForwarding } from '../forwarding/auto.ts'

export async function withForwarding(context: ReadContext, all: readonly HostChange[]): Promise<HostChange[]> {
  // Each request foresees it from the host as it is now.
  const changes = all.filter(({ noun }) => noun !== 'forwarding')
  const families = new Set(changes.flatMap(familiesIn))
  const toCome = await foreseeForwarding(context, [...families])
  return changes.flatMap((change) => {
    const next = toCome[0]
    return next && familiesIn(change).some((family) => turnsOn(next, family))
      ? [change, ...toCome.splice(0, 1)]
      : change
  })
}

const familiesIn = (one: HostChange) => (one.noun === 'route' ? (one.change.after ?? []).map(familyOf) : [])

const turnsOn = (one: HostChange, family: ReturnType<typeof familyOf>): boolean => {
  const name = family === 6 ? 'ipv6' : 'ipv4'
  return one.noun === 'forwarding' && !one.change.before.live[name] && one.change.after.live[name] === true
}
