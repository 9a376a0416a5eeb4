// The kernel takes no second link between the same ends with the same key, and does not say which is the first: often
// the tunnel itself, which somebody has renamed.
import type { TunnelFound } from '@panel/shared/tunnel/observed.ts'
import { isBetweenSameEnds } from '@panel/shared/tunnel/same-ends.ts'
import type { TunnelStep } from '@panel/shared/tunnel/step.ts'
import type { Links } from '../../kernel/facilities.ts'
import { RefusedError } from '../../refused.ts'

/** `found` is what exists under the names of the change. */
export async function refuseSameEnds(
  links: Links,
  found: readonly TunnelFound[],
  steps: readonly TunnelStep[],
): Promise<void> {
  const create = steps.find((step) => step.kind === 'link_create')
  if (!create) return
  const names = new Set(found.map(({ interface_name }) => interface_name))
  const existing = (await links.list(null)).find(
    ({ interface_name, link }) => !names.has(interface_name) && link && isBetweenSameEnds(link.config, create.config),
  )
  if (!existing) return
  const { interface_name: other } = existing
  throw new RefusedError(
    'stale_state',
    `The link ${other} has the ends and the key of ${create.interface_name}. If it is this tunnel under another name, set it down and rename it back with "ip link set dev ${other} name ${create.interface_name}"; otherwise delete it, or give this tunnel another key`,
  )
}
