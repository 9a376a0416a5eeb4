// Says what a step does: a sentence for a person, and the ip command that would do the same, to be read and never run.
import { fileNameOf } from './saved-file.ts'
import { addressAddArguments, linkAddArguments } from './systemd-unit.ts'
import type { FileKind, TunnelAddress } from './model.ts'
import type { TunnelStep, UnitKind } from './step.ts'

export interface StepDescription {
  readonly kind: TunnelStep['kind']
  readonly description: string
  readonly argv?: string[]
  /** The kind of the file that the step writes or removes. */
  readonly file?: FileKind
}

export function describe(step: TunnelStep): StepDescription {
  return { kind: step.kind, ...words(step) }
}

function words(step: TunnelStep): Omit<StepDescription, 'kind'> {
  const name = step.interface_name
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
      return {
        description: `Set the MTU of ${name} to ${step.mtu}.`,
        argv: ['ip', 'link', 'set', 'dev', name, 'mtu', `${step.mtu}`],
      }
    case 'link_set_txqueuelen':
      return {
        description: `Set the transmit queue of ${name} to ${step.tx_queue_length} packets.`,
        argv: ['ip', 'link', 'set', 'dev', name, 'txqueuelen', `${step.tx_queue_length}`],
      }
    case 'address_add':
      return {
        description: `Give ${name} the address ${spelled(step.address)}.`,
        argv: ['ip', ...addressAddArguments(name, step.address)],
      }
    case 'address_remove':
      return {
        description: `Take the address ${spelled(step.address)} from ${name}.`,
        argv: ['ip', ...addressRemoveArguments(name, step.address)],
      }
    case 'file_write':
      return {
        description: `Write ${fileNameOf(step.saved.file, name)}, ${PURPOSES[step.saved.file](name)}${step.saved.is_enabled || step.saved.file.startsWith('systemd') ? '' : ', as disabled'}.`,
        file: step.saved.file,
      }
    case 'file_remove':
      return { description: `Remove ${fileNameOf(step.file, name)}, ${PURPOSES[step.file](name)}.`, file: step.file }
    case 'systemd_enable':
      return {
        description: `Enable ${fileNameOf(step.file, name)}, ${ENABLED[step.file](name)}.`,
        argv: ['systemctl', 'enable', fileNameOf(step.file, name)],
      }
    case 'systemd_disable':
      return {
        description: `Disable ${fileNameOf(step.file, name)}, ${DISABLED[step.file](name)}.`,
        argv: ['systemctl', 'disable', fileNameOf(step.file, name)],
      }
    case 'networkd_reload':
      return { description: 'Have systemd-networkd read its files again, if it runs.', argv: ['networkctl', 'reload'] }
  }
}

type Say = (interface_name: string) => string

const PURPOSES: Readonly<Record<FileKind, Say>> = {
  systemd_unit: (name) => `the systemd unit that makes ${name} at boot`,
  systemd_keepalive_unit: (name) => `the systemd unit that pings the far end through ${name}`,
  networkd_netdev: (name) => `the file by which systemd-networkd makes ${name} at boot`,
  networkd_network: (name) => `the file by which systemd-networkd gives ${name} its addresses`,
}

const ENABLED: Readonly<Record<UnitKind, Say>> = {
  systemd_unit: (name) => `so that ${name} comes back after a reboot`,
  systemd_keepalive_unit: (name) => `so that the far end of ${name} is pinged from now on`,
}

const DISABLED: Readonly<Record<UnitKind, Say>> = {
  systemd_unit: (name) => `so that ${name} does not come back after a reboot`,
  systemd_keepalive_unit: (name) => `so that the far end of ${name} is no longer pinged`,
}

const spelled = (a: TunnelAddress): string =>
  a.peer_address === ''
    ? `${a.address}/${a.prefix_length}`
    : `${a.address}, with the peer ${a.peer_address}/${a.prefix_length}`

const addressRemoveArguments = (name: string, address: TunnelAddress): string[] => {
  const [noun = '', , ...rest] = addressAddArguments(name, address)
  return [noun, 'delete', ...rest]
}
