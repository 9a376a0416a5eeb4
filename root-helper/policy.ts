// What root refuses whoever asks: a web daemon taken over by somebody else gets no further than this page.
import type { TunnelFound } from '@panel/shared/model/observed.ts'
import { isIpv6Kind, KERNEL_STUBS, LINK_KINDS, type LinkKind, type TunnelState } from '@panel/shared/model/tunnel.ts'
import { bitsOf, parseIp } from '@panel/shared/address/ip.ts'
import type { Change } from '@panel/shared/plan/change.ts'
import type { TunnelStep } from '@panel/shared/plan/step.ts'
import { namesOf, type TunnelStates } from '@panel/shared/plan/tunnels.ts'
import type { Links } from './kernel/facilities.ts'
import { RefusedError } from './refused.ts'

const FILE_STEPS: ReadonlySet<TunnelStep['kind']> = new Set(['file_write', 'file_remove', 'systemd_enable', 'systemd_disable'])

/** The names that a change is about: one, or two where it gives a tunnel another name. */
export function namesIn(change: Change<TunnelStates>): string[] {
  const names = namesOf(change)
  if (names.length === 0) throw new RefusedError('malformed', 'The change has neither a state before nor a state after')
  const stub = names.find((name) => (KERNEL_STUBS as readonly string[]).includes(name))
  if (stub !== undefined) throw new RefusedError('protected_interface', `${stub} belongs to the kernel`)
  return names
}

/** A schema cannot say it: endpoints must be of the kind's family, and a prefix no longer than its address. */
export function sound(state: TunnelState): void {
  for (const config of [state.link?.config, state.saved?.config]) {
    if (!config) continue
    const family = isIpv6Kind(config.kind) ? 6 : 4
    if (parseIp(config.local_endpoint)?.family !== family || parseIp(config.remote_endpoint)?.family !== family) throw new RefusedError('malformed', `A ${config.kind} link takes IPv${family} endpoints`)
    for (const a of config.addresses) soundAddress(a.address, a.peer_address, a.prefix_length)
  }
}

function soundAddress(address: string, peer: string, prefix_length: number): void {
  const family = parseIp(address)?.family
  if (!family || prefix_length > bitsOf(family)) throw new RefusedError('malformed', `${address}/${prefix_length} is not an address with a prefix length`)
  if (peer && parseIp(peer)?.family !== family) throw new RefusedError('malformed', `${peer} is not of the same family as ${address}`)
}

/** `found` is what stands under each name of the change. */
export async function allowTunnels(links: Links, found: readonly TunnelFound[], steps: readonly TunnelStep[]): Promise<void> {
  const creates = steps.find((step) => step.kind === 'link_create')
  for (const one of found) {
    allowName(one, steps)
    if (creates && one.observed && one.unmodelled.length > 0) throw new RefusedError('unmodelled_state', `Making ${one.interface_name} anew would lose what it carries: ${one.unmodelled.join(', ')}`)
  }
  if (creates) await supported(links, creates.config.kind)
}

function allowName({ interface_name, observed, foreign_files }: TunnelFound, steps: readonly TunnelStep[]): void {
  const kind = observed?.kind
  if (kind !== undefined && !(LINK_KINDS as readonly string[]).includes(kind)) throw new RefusedError('protected_interface', `${interface_name} is ${kind || 'a physical link'}, not a tunnel of ours`)
  if (foreign_files.length > 0 && steps.some((step) => step.interface_name === interface_name && FILE_STEPS.has(step.kind))) {
    throw new RefusedError('foreign_unit_file', `The unit file ${foreign_files.join(', ')} was not written by the panel, or was edited since: move it aside first`)
  }
}

async function supported(links: Links, kind: LinkKind): Promise<void> {
  const { supported: can, detail } = await links.supports(kind)
  if (!can) throw new RefusedError('unsupported', `This kernel cannot make links of kind ${kind}: ${detail}`)
}
