// Whose a link is: root changes what the panel made or adopted, and adopting is a request of its own, which is logged.
import { message, verbatim } from '@panel/shared/messages/message.ts'
import { canonicalTunnel } from '@panel/shared/tunnel/canonical.ts'
import type { TunnelFound } from '@panel/shared/tunnel/observed.ts'
import type { TunnelState } from '@panel/shared/tunnel/model.ts'
import type { TunnelStates } from '@panel/shared/tunnel/plans.ts'
import type { Params } from '@panel/shared/rpc/methods.ts'
import { isBetweenSameEnds } from '@panel/shared/tunnel/same-ends.ts'
import { sameState, type Change } from '@panel/shared/change/change.ts'
import type { Kernel, OwnLinks } from '../../kernel/facilities.ts'
import { log } from '../../log.ts'
import { canonicalOr, refuseStubs, whatItIs } from '../../policy.ts'
import { RefusedError } from '../../refused.ts'
import type { Journal } from '../../subject.ts'
import { messageOf } from '../../text.ts'
import type { Undoable } from '../../transaction.ts'
import { probeTunnel, probeTunnels } from './probe.ts'

/**
 * `found` is what exists under each name of the change. Links that a file made are kept, since it may go before they
 * do.
 */
export async function requireOwn({ ownLinks }: Pick<Kernel, 'ownLinks'>, found: readonly TunnelFound[]): Promise<void> {
  const trouble = ownLinks.trouble()
  if (trouble !== null) throw new RefusedError('state_unusable', verbatim(trouble))
  const foreign = found.find(({ observed, is_ours }) => observed && !is_ours)
  if (foreign) throw new RefusedError('protected_interface', message('root.not_ours', { name: foreign.interface_name }))
  for (const { observed } of found) if (observed) await ownLinks.keep(observed.index)
}

/** What a change that was cut short has made: it says itself what it was to make, and what it was to leave. */
export async function recallOwn(kernel: Kernel, names: readonly string[], change: Change<TunnelStates>): Promise<void> {
  const states = [...(change.before ?? []), ...(change.after ?? [])]
  for (const { interface_name, state, observed } of await probeTunnels(kernel, names))
    if (observed && states.some((other) => other.interface_name === interface_name && isSameLink(state, other)))
      await kernel.ownLinks.keep(observed.index)
}

const isSameLink = (a: TunnelState | null, b: TunnelState): boolean =>
  a?.link != null && b.link !== null && isBetweenSameEnds(a.link.config, b.link.config)

/** Touches nothing of the host. Refused unless the link is as it was seen. */
export async function adoptLink(
  kernel: Kernel,
  journal: Journal,
  { interface_name, link }: Params<'tunnel.adopt'>,
): Promise<void> {
  refuseStubs([interface_name])
  const seen = canonicalOr({ interface_name, link, saved: null }, canonicalTunnel)?.link
  const found = await probeTunnel(kernel, interface_name)
  const { state, observed } = found
  if (observed && !state?.link) throw new RefusedError('protected_interface', whatItIs(interface_name, observed.kind))
  if (!observed || !sameState(state?.link, seen))
    throw new RefusedError('stale_state', message('root.link_changed', { name: interface_name }))
  await setOwner(kernel, journal, found, true)
}

/** Gives the link up for good, even if a file of ours made it. */
export async function releaseLink(
  kernel: Kernel,
  journal: Journal,
  { interface_name }: Params<'tunnel.release'>,
): Promise<void> {
  await setOwner(kernel, journal, await probeTunnel(kernel, interface_name), false)
}

const NOUN = 'ownership'

/** Whose the links under some names are, as a change of it is journalled. */
export interface Owner {
  readonly interface_name: string
  readonly is_ours: boolean
}

/** Sets the owner through the journal, so that a window takes it back like any other change. */
async function setOwner(
  { ownLinks }: Kernel,
  journal: Journal,
  { interface_name, observed, is_ours: was }: TunnelFound,
  is_ours: boolean,
): Promise<void> {
  if (!observed || ownLinks.isOwn(observed.index) === is_ours) return
  await journal.begin(NOUN, { before: [{ interface_name, is_ours: was }], after: [{ interface_name, is_ours }] })
  try {
    await write(ownLinks, observed.index, is_ours)
  } catch (error) {
    await journal.end(false)
    throw error
  }
  await journal.end(true)
}

const write = (ownLinks: OwnLinks, index: number, is_ours: boolean): Promise<void> =>
  is_ours ? ownLinks.keep(index) : ownLinks.release(index)

/**
 * Undoes by name, since a link that is made again has another index. Comes after the tunnels themselves, which
 * ownership identifies.
 */
export const ownershipUndo = ({ links, ownLinks }: Kernel, journal: Journal): Undoable => ({
  noun: NOUN,
  async undo({ before }) {
    for (const { interface_name, is_ours } of (before ?? []) as readonly Owner[]) {
      const [found] = await links.observe([interface_name])
      if (found) await write(ownLinks, found.observed.index, is_ours)
    }
    await journal.end(false)
    return { outcome: 'restored', steps: [], checks: [], failure: null, remediation: [] }
  },
})

/** While no helper ran links may have gone. That they are not forgotten yet is no reason to serve nothing. */
export async function forgetGone({ links, ownLinks }: Pick<Kernel, 'links' | 'ownLinks'>): Promise<void> {
  try {
    ownLinks.only(new Set((await links.listUncounted(null)).map(({ observed }) => observed.index)))
  } catch (error) {
    log('warning', 'Which links are gone cannot be seen', { detail: messageOf(error) })
  }
}
