// The kernel takes no second link between the same ends with the same key, and does not name the first: often the
// tunnel itself, after an administrator renamed it.
import { message } from '@panel/shared/messages/message.ts'
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
  const existing = (await links.listUncounted(null)).find(
    ({ interface_name, link }) => !names.has(interface_name) && link && isBetweenSameEnds(link.config, create.config),
  )
  if (!existing) return
  const { interface_name: other } = existing
  const name = create.interface_name
  const command = `ip link set dev ${other} name ${name}`
  throw new RefusedError('stale_state', message('root.same_ends', { other, name, command }))
}
