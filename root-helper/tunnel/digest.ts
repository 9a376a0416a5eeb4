// Sees tunnels as probe.ts does, and says of each state no more than its digest: a thousand that are as stored need no more.
import { createHash } from 'node:crypto'
import type { ObservedLink } from '@panel/shared/model/observed.ts'
import type { TunnelDigest } from '@panel/shared/rpc/digest.ts'
import type { Kernel } from '../kernel/facilities.ts'
import { probeTunnels } from './probe.ts'

/** Every link of our kinds, every unit of our name, and the given names. */
export async function digestTunnels(kernel: Kernel, names: readonly string[]): Promise<TunnelDigest[]> {
  const all = await probeTunnels(kernel, [])
  const seen = new Set(all.map(({ interface_name }) => interface_name))
  const others = names.filter((name) => !seen.has(name))
  const beside = others.length > 0 ? await probeTunnels(kernel, others) : []
  return [...all, ...beside].map(({ interface_name, state, observed, unmodelled, foreign_files }) => ({
    interface_name,
    digest: createHash('sha256').update(JSON.stringify(state)).digest('hex'),
    observed: observed && withoutCounters(observed),
    unmodelled,
    foreign_files,
  }))
}

const withoutCounters = ({ statistics: _, ...seen }: ObservedLink): TunnelDigest['observed'] => seen
