// Says what a step does: a sentence for a person, and the ip command that would do the same, to be read and never run.
import { addressAddArguments, linkAddArguments, unitNameOf } from '../render/systemd-unit.ts'
import type { TunnelAddress } from '../model/tunnel.ts'
import type { TunnelStep } from './step.ts'

export interface StepDescription {
  readonly kind: TunnelStep['kind']
  readonly description: string
  readonly argv?: string[]
  /** The plain name of the file that the step writes or removes. */
  readonly file?: string
}

export function describe(step: TunnelStep): StepDescription {
  return { kind: step.kind, ...words(step) }
}

function words(step: TunnelStep): Omit<StepDescription, 'kind'> {
  const name = step.interface_name
  const unit = unitNameOf(name)
  switch (step.kind) {
    case 'link_create':
      return {
        description: `Create the ${step.config.kind} link ${name} from ${step.config.local_endpoint} to ${step.config.remote_endpoint} with MTU ${step.config.mtu}.`,
        argv: ['ip', ...linkAddArguments(name, step.config)],
      }
    case 'link_delete':
      return { description: `Delete the link ${name}.`, argv: ['ip', 'link', 'delete', 'dev', name] }
    case 'link_up':
      return { description: `Bring ${name} up.`, argv: ['ip', 'link', 'set', 'dev', name, 'up'] }
    case 'link_down':
      return { description: `Take ${name} down.`, argv: ['ip', 'link', 'set', 'dev', name, 'down'] }
    case 'link_set_mtu':
      return { description: `Set the MTU of ${name} to ${step.mtu}.`, argv: ['ip', 'link', 'set', 'dev', name, 'mtu', `${step.mtu}`] }
    case 'link_set_txqueuelen':
      return {
        description: `Set the transmit queue of ${name} to ${step.tx_queue_length} packets.`,
        argv: ['ip', 'link', 'set', 'dev', name, 'txqueuelen', `${step.tx_queue_length}`],
      }
    case 'address_add':
      return { description: `Give ${name} the address ${spelled(step.address)}.`, argv: ['ip', ...addressAddArguments(name, step.address)] }
    case 'address_remove':
      return { description: `Take the address ${spelled(step.address)} from ${name}.`, argv: ['ip', ...addressRemoveArguments(name, step.address)] }
    case 'file_write':
      return { description: `Write the ${step.by} unit ${unit}, which makes ${name} at boot.`, file: unit }
    case 'file_remove':
      return { description: `Remove the ${step.by} unit ${unit}.`, file: unit }
    case 'systemd_enable':
      return { description: `Enable ${unit}, so that ${name} comes back after a reboot.`, argv: ['systemctl', 'enable', unit] }
    case 'systemd_disable':
      return { description: `Disable ${unit}, so that ${name} does not come back after a reboot.`, argv: ['systemctl', 'disable', unit] }
  }
}

const spelled = (a: TunnelAddress): string =>
  a.peer_address === '' ? `${a.address}/${a.prefix_length}` : `${a.address}, with the peer ${a.peer_address}/${a.prefix_length}`

const addressRemoveArguments = (name: string, address: TunnelAddress): string[] => {
  const [noun = '', , ...rest] = addressAddArguments(name, address)
  return [noun, 'delete', ...rest]
}
