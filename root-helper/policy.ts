// What root refuses whoever asks: a web daemon taken over by somebody else gets no further than this page.
import type { TunnelFound } from '@panel/shared/model/observed.ts'
import { isIpv6Kind, KERNEL_STUBS, LINK_KINDS, type LinkKind, type TunnelState } from '@panel/shared/model/tunnel.ts'
import { bitsOf, parseIp } from '@panel/shared/address/ip.ts'
import type { Change } from '@panel/shared/plan/change.ts'
import type { TunnelStep } from '@panel/shared/plan/step.ts'
import type { Links } from './kernel/facilities.ts'
import { RefusedError } from './refused.ts'

const FILE_STEPS: ReadonlySet<TunnelStep['kind']> = new Set(['file_write', 'file_remove', 'systemd_enable', 'systemd_disable'])

/** The name that a change is about; both its states must bear it. */
export function nameIn({ before, after }: Change<TunnelState>): string {
  const name = (after ?? before)?.interface_name
  if (name === undefined) throw new RefusedError('malformed', 'The change has neither a state before nor a state after')
  if (before && before.interface_name !== name) throw new RefusedError('malformed', 'The states before and after bear different interface names')
  if ((KERNEL_STUBS as readonly string[]).includes(name)) throw new RefusedError('protected_interface', `${name} belongs to the kernel`)
  return name
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

export async function allowTunnel(links: Links, found: TunnelFound, steps: readonly TunnelStep[]): Promise<void> {
  const name = found.interface_name
  const kind = found.observed?.kind
  if (kind !== undefined && !(LINK_KINDS as readonly string[]).includes(kind)) throw new RefusedError('protected_interface', `${name} is ${kind || 'a physical link'}, not a tunnel of ours`)
  if (found.foreign_files.length > 0 && steps.some((step) => FILE_STEPS.has(step.kind))) {
    throw new RefusedError('foreign_unit_file', `The unit file ${found.foreign_files.join(', ')} was not written by the panel, or was edited since: move it aside first`)
  }
  const creates = steps.find((step) => step.kind === 'link_create')
  if (creates && found.observed && found.unmodelled.length > 0) throw new RefusedError('unmodelled_state', `Making ${name} anew would lose what it carries: ${found.unmodelled.join(', ')}`)
  if (creates) await supported(links, creates.config.kind)
}

async function supported(links: Links, kind: LinkKind): Promise<void> {
  const { supported: can, detail } = await links.supports(kind)
  if (!can) throw new RefusedError('unsupported', `This kernel cannot make links of kind ${kind}: ${detail}`)
}
