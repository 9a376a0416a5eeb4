// What the host has under the name of a new tunnel: nothing, a leftover of the panel, or something foreign.
import type { ObservedLink, TunnelFound } from '@panel/shared/tunnel/observed.ts'
import type { TunnelState } from '@panel/shared/tunnel/model.ts'
import { foreignInTheWay } from '@panel/shared/tunnel/foreign-files.ts'
import { planTunnel } from '@panel/shared/tunnel/plan.ts'
import type { Reader } from '@panel/shared/rpc/methods.ts'
import { message } from '@panel/shared/messages/message.ts'
import type { ReadContext } from '../../../platform/context.ts'
import { apiPath } from '../../../platform/http/ready.ts'
import { Refusal } from '../../../platform/http/refusal.ts'

export async function stateBefore(
  { request }: Pick<ReadContext, 'request'>,
  desired: TunnelState,
): Promise<TunnelState | null> {
  const { interface_name } = desired
  const found = await probeOne(request, interface_name)
  if (found.observed) throw adoptable(interface_name, found.observed)
  const files = foreignInTheWay(interface_name, found.foreign_files, planTunnel(found.state, desired).steps)
  if (files.length > 0)
    throw new Refusal('FOREIGN_UNIT_FILE', message('tunnel.files_of_others', { files: files.join(', ') }), {
      field: 'interface_name',
      details: { files },
    })
  return found.state
}

/** The state of a tunnel to be changed. Its new name, if any, must be free. */
export async function stateToChange(
  host: Pick<ReadContext, 'request'>,
  interface_name: string,
  desired: TunnelState,
): Promise<TunnelState | null> {
  const isRenamed = desired.interface_name !== interface_name
  if (isRenamed && (await stateBefore(host, desired))) {
    throw new Refusal('CONFLICT', message('tunnel.unit_left', { name: desired.interface_name }), {
      field: 'interface_name',
      details: { interface_name: desired.interface_name },
    })
  }
  return (await probeOne(host.request, interface_name)).state
}

export async function probeOne(request: Reader, interface_name: string): Promise<TunnelFound> {
  const { tunnels } = await request('tunnel.probe', { interface_names: [interface_name] })
  const [found] = tunnels
  if (!found) throw new Error(`The helper did not say what it found under ${interface_name}`)
  return found
}

/** The panel never takes over a link without a request (decisions.md, R14). */
function adoptable(interface_name: string, { statistics: _, ...observed }: ObservedLink): Refusal {
  return new Refusal('ADOPTABLE', message('tunnel.adoptable', { name: interface_name }), {
    field: 'interface_name',
    details: { interface_name, adopt_path: apiPath('POST /reconcile/adopt'), observed },
  })
}
