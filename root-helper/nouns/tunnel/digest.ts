// Probes tunnels as probe.ts does, and returns a digest of each state: with a thousand tunnels that are in sync,
// nothing more is needed.
import { createHash } from 'node:crypto'
import { withoutCounters } from '@panel/shared/tunnel/observed.ts'
import type { TunnelDigest } from '@panel/shared/rpc/digest.ts'
import type { Kernel } from '../../kernel/facilities.ts'
import { probeTunnels } from './probe.ts'

/** Every link of our kinds, and every name for which there are files of ours. */
export async function digestTunnels(kernel: Kernel): Promise<TunnelDigest[]> {
  return (await probeTunnels(kernel, [])).map(({ interface_name, state, observed, unmodelled, foreign_files }) => ({
    interface_name,
    digest: createHash('sha256').update(JSON.stringify(state)).digest('hex'),
    observed: observed && withoutCounters(observed),
    unmodelled,
    foreign_files,
  }))
}
