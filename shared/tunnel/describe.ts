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
  return { kind: step.kind, ...description(step) }
}

type Description = Omit<StepDescription, 'kind'>
type StepOf<Kind extends TunnelStep['kind']> = Extract<TunnelStep, { kind: Kind }>

function description(step: TunnelStep): Description {
  switch (step.kind) {
    case 'link_create':
    case 'link_delete':
      return ofLink(step)
    case 'link_up':
    case 'link_down':
    case 'link_set_mtu':
    case 'link_set_txqueuelen':
      return ofLinkSetting(step)
    case 'address_add':
    case 'address_remove':
      return ofAddress(step)
    case 'file_write':
    case 'file_remove':
      return ofFile(step)
    case 'systemd_enable':
    case 'systemd_disable':
      return ofUnit(step)
    case 'networkd_reload':
      return { description: 'Have systemd-networkd read its files again, if it runs.', argv: ['networkctl', 'reload'] }
  }
}

function ofLink(step: StepOf<'link_create' | 'link_delete'>): Description {
  const name = step.interface_name
  if (step.kind === 'link_delete')
    return { description: `Delete the link ${name}.`, argv: ['ip', 'link', 'delete', 'dev', name] }
  const { kind, local_endpoint, remote_endpoint, mtu } = step.config
  return {
    description: `Create the ${kind} link ${name} from ${local_endpoint} to ${remote_endpoint} with MTU ${mtu}.`,
    argv: ['ip', ...linkAddArguments(name, step.config)],
  }
}

function ofLinkSetting(step: StepOf<'link_up' | 'link_down' | 'link_set_mtu' | 'link_set_txqueuelen'>): Description {
  const name = step.interface_name
  const set = (...words: string[]): string[] => ['ip', 'link', 'set', 'dev', name, ...words]
  switch (step.kind) {
    case 'link_up':
      return { description: `Bring ${name} up.`, argv: set('up') }
    case 'link_down':
      return { description: `Take ${name} down.`, argv: set('down') }
    case 'link_set_mtu':
      return { description: `Set the MTU of ${name} to ${step.mtu}.`, argv: set('mtu', `${step.mtu}`) }
    case 'link_set_txqueuelen':
      return {
        description: `Set the transmit queue of ${name} to ${step.tx_queue_length} packets.`,
        argv: set('txqueuelen', `${step.tx_queue_length}`),
      }
  }
}

function ofAddress({ kind, interface_name: name, address }: StepOf<'address_add' | 'address_remove'>): Description {
  return kind === 'address_add'
    ? {
        description: `Give ${name} the address ${formatAddress(address)}.`,
        argv: ['ip', ...addressAddArguments(name, address)],
      }
    : {
        description: `Take the address ${formatAddress(address)} from ${name}.`,
        argv: ['ip', ...addressRemoveArguments(name, address)],
      }
}

function ofFile(step: StepOf<'file_write' | 'file_remove'>): Description {
  const file = step.kind === 'file_write' ? step.saved.file : step.file
  const what = `${fileNameOf(file, step.interface_name)}, ${PURPOSES[file](step.interface_name)}`
  if (step.kind === 'file_remove') return { description: `Remove ${what}.`, file }
  const isStatedElsewhere = step.saved.is_enabled || file.startsWith('systemd')
  return { description: `Write ${what}${isStatedElsewhere ? '' : ', as disabled'}.`, file }
}

function ofUnit({ kind, file, interface_name: name }: StepOf<'systemd_enable' | 'systemd_disable'>): Description {
  const unit = fileNameOf(file, name)
  return kind === 'systemd_enable'
    ? { description: `Enable ${unit}, ${ENABLED[file](name)}.`, argv: ['systemctl', 'enable', unit] }
    : { description: `Disable ${unit}, ${DISABLED[file](name)}.`, argv: ['systemctl', 'disable', unit] }
}

type Describe = (interface_name: string) => string

const PURPOSES: Readonly<Record<FileKind, Describe>> = {
  systemd_unit: (name) => `the systemd unit that makes ${name} at boot`,
  systemd_keepalive_unit: (name) => `the systemd unit that pings the far end through ${name}`,
  networkd_netdev: (name) => `the file by which systemd-networkd makes ${name} at boot`,
  networkd_network: (name) => `the file by which systemd-networkd gives ${name} its addresses`,
}

const ENABLED: Readonly<Record<UnitKind, Describe>> = {
  systemd_unit: (name) => `so that ${name} comes back after a reboot`,
  systemd_keepalive_unit: (name) => `so that the far end of ${name} is pinged from now on`,
}

const DISABLED: Readonly<Record<UnitKind, Describe>> = {
  systemd_unit: (name) => `so that ${name} does not come back after a reboot`,
  systemd_keepalive_unit: (name) => `so that the far end of ${name} is no longer pinged`,
}

const formatAddress = (a: TunnelAddress): string =>
  a.peer_address === ''
    ? `${a.address}/${a.prefix_length}`
    : `${a.address}, with the peer ${a.peer_address}/${a.prefix_length}`

const addressRemoveArguments = (name: string, address: TunnelAddress): string[] => {
  const [noun = '', , ...rest] = addressAddArguments(name, address)
  return [noun, 'delete', ...rest]
}
