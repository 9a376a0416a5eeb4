// Says what a step does: a sentence for a person, and the ip command that would do the same, to be read and never run.
import { message, type Message, type MessageId } from '../messages/message.ts'
import { formatRoute } from './routes.ts'
import { savedFileName } from './saved-file.ts'
import { addressAddArguments, linkAddArguments, linkChangeArguments, multicastArguments } from './systemd-unit.ts'
import type { FileKind, TunnelAddress } from './model.ts'
import type { TunnelStep } from './step.ts'

export interface StepDescription {
  readonly kind: TunnelStep['kind']
  readonly description: Message
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
      return describeLink(step)
    case 'link_set':
      return describeHeader(step)
    case 'link_up':
    case 'link_down':
    case 'link_set_mtu':
    case 'link_set_txqueuelen':
    case 'link_set_multicast':
      return describeLinkSetting(step)
    case 'address_add':
    case 'address_remove':
      return describeAddress(step)
    case 'route_add':
      return describeRoute(step)
    case 'file_write':
    case 'file_remove':
      return describeFile(step)
    case 'systemd_enable':
    case 'systemd_disable':
      return describeUnit(step)
    case 'networkd_reload':
      return { description: message('step.networkd_reload'), argv: ['networkctl', 'reload'] }
    case 'answers_start':
      return { description: message('step.answers_start', { name: step.interface_name }) }
    case 'answers_stop':
      return { description: message('step.answers_stop', { name: step.interface_name }) }
  }
}

function describeLink(step: StepOf<'link_create' | 'link_delete'>): Description {
  const name = step.interface_name
  if (step.kind === 'link_delete')
    return { description: message('step.link_delete', { name }), argv: ['ip', 'link', 'delete', 'dev', name] }
  const { kind, local_endpoint, remote_endpoint, mtu } = step.config
  return {
    description: message('step.link_create', { kind, name, local: local_endpoint, remote: remote_endpoint, mtu }),
    argv: ['ip', ...linkAddArguments(name, step.config)],
  }
}

/** The value of a field in a sentence. */
export const valueOf = (value: unknown): string | Message =>
  value === null ? message('tunnel.nothing') : String(value)

function describeHeader({ interface_name: name, config, fields }: StepOf<'link_set'>): Description {
  const changes = fields
    .map((field) => message('step.header_field', { field, value: valueOf(config[field]) }))
    .reduce((first, second) => message('tunnel.both', { first, second }))
  return {
    description: message('step.link_set', { name, changes }),
    argv: ['ip', ...linkChangeArguments(name, config)],
  }
}

function describeLinkSetting(
  step: StepOf<'link_up' | 'link_down' | 'link_set_mtu' | 'link_set_txqueuelen' | 'link_set_multicast'>,
): Description {
  const name = step.interface_name
  const set = (...words: string[]): string[] => ['ip', 'link', 'set', 'dev', name, ...words]
  switch (step.kind) {
    case 'link_up':
      return { description: message('step.link_up', { name }), argv: set('up') }
    case 'link_down':
      return { description: message('step.link_down', { name }), argv: set('down') }
    case 'link_set_mtu':
      return { description: message('step.link_set_mtu', { name, mtu: step.mtu }), argv: set('mtu', `${step.mtu}`) }
    case 'link_set_txqueuelen':
      return {
        description: message('step.link_set_txqueuelen', { name, length: step.tx_queue_length }),
        argv: set('txqueuelen', `${step.tx_queue_length}`),
      }
    case 'link_set_multicast':
      return {
        description: message(step.is_multicast ? 'step.link_multicast_on' : 'step.link_multicast_off', { name }),
        argv: set(...multicastArguments(step.is_multicast)),
      }
  }
}

function describeAddress({
  kind,
  interface_name: name,
  address,
}: StepOf<'address_add' | 'address_remove'>): Description {
  return kind === 'address_add'
    ? {
        description: message('step.address_add', { name, address: formatAddress(address) }),
        argv: ['ip', ...addressAddArguments(name, address)],
      }
    : {
        description: message('step.address_remove', { name, address: formatAddress(address) }),
        argv: ['ip', ...addressRemoveArguments(name, address)],
      }
}

function describeRoute({ interface_name: name, route }: StepOf<'route_add'>): Description {
  const { destination, gateway, source, table, protocol, metric, is_link_scope, is_onlink } = route
  return {
    description: message('step.route_add', { name, route: formatRoute(route) }),
    argv: [
      ...['ip', 'route', 'add', destination],
      ...(gateway ? ['via', gateway] : []),
      ...['dev', name, 'table', `${table}`, 'proto', protocol],
      ...(is_link_scope ? ['scope', 'link'] : []),
      ...(source ? ['src', source] : []),
      ...(metric ? ['metric', `${metric}`] : []),
      ...(is_onlink ? ['onlink'] : []),
    ],
  }
}

function describeFile(step: StepOf<'file_write' | 'file_remove'>): Description {
  const file = step.kind === 'file_write' ? step.saved.file : step.file
  const purpose = message(PURPOSES[file], { name: step.interface_name })
  const params = { file: savedFileName(file, step.interface_name), purpose }
  if (step.kind === 'file_remove') return { description: message('step.file_remove', params), file }
  const isStatedElsewhere = step.saved.is_enabled || file.startsWith('systemd')
  return { description: message(isStatedElsewhere ? 'step.file_write' : 'step.file_write_disabled', params), file }
}

function describeUnit({ kind, file, interface_name: name }: StepOf<'systemd_enable' | 'systemd_disable'>): Description {
  const unit = savedFileName(file, name)
  return kind === 'systemd_enable'
    ? { description: message(ENABLED[file], { unit, name }), argv: ['systemctl', 'enable', unit] }
    : { description: message(DISABLED[file], { unit, name }), argv: ['systemctl', 'disable', unit] }
}

const PURPOSES = {
  systemd_unit: 'step.systemd_unit',
  systemd_keepalive_unit: 'step.systemd_keepalive_unit',
  networkd_netdev: 'step.networkd_netdev',
  networkd_network: 'step.networkd_network',
} as const satisfies Record<FileKind, MessageId>
const ENABLED = { systemd_unit: 'step.enable_unit', systemd_keepalive_unit: 'step.enable_keepalive' } as const
const DISABLED = { systemd_unit: 'step.disable_unit', systemd_keepalive_unit: 'step.disable_keepalive' } as const

const formatAddress = (a: TunnelAddress): string | Message =>
  a.peer_address === ''
    ? `${a.address}/${a.prefix_length}`
    : message('step.address_with_peer', { address: a.address, peer: `${a.peer_address}/${a.prefix_length}` })

const addressRemoveArguments = (name: string, address: TunnelAddress): string[] => {
  const [noun = '', , ...rest] = addressAddArguments(name, address)
  return [noun, 'delete', ...rest]
}
