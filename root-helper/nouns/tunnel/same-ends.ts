// The kernel takes no second link between the same ends with the same key, and does not name the first: often the
// tunnel itself, after an administrator renamed it.
import { message } from '@panel/shared/messages/message.ts'
import type { TunnelFound } from '@panel/shared/tunnel/observed.ts'
import { isBetweenSameEnds } from '@panel/shared/tunnel/same-ends.ts'
import type { TunnelStep } from '@panel/shared/tunnel/step.ts'
import type { Links } from '../../kernel/facilities.ts'
import { RefusedError } from '../../refused.ts'

interface SameEnds {
  /** The tunnel that gets the ends. */
  readonly name: string
  /** The link that has them. */
  readonly other: string
}

/** `found` is what exists under the names of the change. */
export async function linkBetweenSameEnds(
  links: Links,
  found: readonly TunnelFound[],
  steps: readonly TunnelStep[],
): Promise<SameEnds | null> {
  const given = steps.find((step) => step.kind === 'link_create' || step.kind === 'link_set')
  if (!given) return null
  const names = new Set(found.map(({ interface_name }) => interface_name))
  const existing = (await links.listUncounted(null)).find(
    ({ interface_name, link }) => !names.has(interface_name) && link && isBetweenSameEnds(link.config, given.config),
  )
  return existing ? { name: given.interface_name, other: existing.interface_name } : null
}

export async function refuseSameEnds(
  links: Links,
  found: readonly TunnelFound[],
  steps: readonly TunnelStep[],
): Promise<void> {
  const same = await linkBetweenSameEnds(links, found, steps)
  if (!same) return
  const command = `ip link set dev ${same.other} name ${same.name}`
  throw new RefusedError('stale_state', message('root.same_ends', { ...same, command }))
}
