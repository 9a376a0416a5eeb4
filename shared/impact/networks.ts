// Networks behind tunnels that a foreseen change leaves without a route. One that goes on over other paths goes on
// without an interruption: its route is replaced as a whole. Pure.
import { carrying } from '../network/canonical.ts'
import type { NetworkStates } from '../network/model.ts'
import type { Foreseen } from './foreseen.ts'

/** The destinations that are routed before and not afterwards. */
export function goneNetworks({ changes }: Pick<Foreseen, 'changes'>): string[] {
  const [had, has] = [new Set<string>(), new Set<string>()]
  for (const one of changes) {
    if (one.noun !== 'network') continue
    for (const destination of routed(one.change.before)) if (!has.delete(destination)) had.add(destination)
    for (const destination of routed(one.change.after)) has.add(destination)
  }
  return [...had].filter((destination) => !has.has(destination))
}

const routed = (states: NetworkStates | null): string[] =>
  (states ?? []).filter(({ paths }) => carrying(paths).length > 0).map(({ destination }) => destination)
