// Probes tunnels as probe.ts does, and returns a digest of each state: with a thousand tunnels that are in sync,
// nothing more is needed.
import { createHash } from 'node:crypto'
import { madeOnce } from '@panel/shared/made-once.ts'
import type { TunnelState } from '@panel/shared/tunnel/model.ts'
import type { DigestsFound, TunnelDigest } from '@panel/shared/rpc/digest.ts'
import type { Kernel } from '../../kernel/facilities.ts'
import type { CarriedSysctls } from './carried-sysctls.ts'
import { newRevision } from '../../revision.ts'
import { seeAllTunnels } from './probe.ts'

/** Every link of our kinds, and every name for which there are files of ours. */
export async function digestTunnels(
  kernel: Kernel,
  known?: string,
  sysctls?: Pick<CarriedSysctls, 'look'>,
): Promise<DigestsFound> {
  const found = await seeAllTunnels(kernel)
  await sysctls?.look(found)
  const tunnels = found.map(digestOf)
  const revision = revisions('all', tunnels, newRevision)
  const is_unchanged = revision === known
  return { revision, is_unchanged, tunnels: is_unchanged ? [] : tunnels }
}

/** What is as it was is the very object of last time (probe.ts), so these are too. */
const digests = madeOnce<TunnelDigest>()
const revisions = madeOnce<string>()

function digestOf({ is_ours: _, state, ...found }: Awaited<ReturnType<typeof seeAllTunnels>>[number]): TunnelDigest {
  const { interface_name, observed, unmodelled, foreign_files } = found
  const inputs = [state, observed, unmodelled.join('\n'), foreign_files.join('\n')]
  return digests(interface_name, inputs, () => ({ ...found, digest: hashOf(state) }))
}

const hashOf = (state: TunnelState | null): string => createHash('sha256').update(JSON.stringify(state)).digest('hex')
