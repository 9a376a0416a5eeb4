// A saved tunnel as a systemd unit: the text that makes the same link at boot, before any daemon of ours runs.
import { canonicalConfig } from './canonical.ts'
import { isIpv6Kind, isMulticast, type LinkConfig, type TunnelAddress } from './model.ts'
import { deviceUnit } from './device-unit.ts'
import { hardwareAddress } from './hardware-address.ts'
import { fileMark } from './mark.ts'

const IP = '/usr/sbin/ip'

/** `config` is taken in its canonical form. */
export function renderSystemdUnit(interface_name: string, config: LinkConfig): string {
  const canonical = canonicalConfig(config)
  return `${[
    fileMark(canonical),
    '[Unit]',
    `Description=Tunnel ${interface_name} to ${canonical.remote_endpoint} (kept by tunnel-panel)`,
    'After=network-pre.target systemd-modules-load.service',
    'Before=network.target',
    ...bindDeviceLines(canonical.bind_device),
    // When the unit is started again beside an existing link, it leaves the link alone.
    `ConditionPathExists=!/sys/class/net/${interface_name}`,
    '',
    '[Service]',
    'Type=oneshot',
    'RemainAfterExit=yes',
    // Up as it is made: a program less to start for each tunnel makes a boot with many of them a third shorter.
    `ExecStart=${[IP, ...linkAddArguments(interface_name, canonical, ['up'])].join(' ')}`,
    ...canonical.addresses.map((a) => `ExecStart=${[IP, ...addressAddArguments(interface_name, a)].join(' ')}`),
    // No ExecStop: stopping the unit must not take the link away from under traffic.
    '',
    '[Install]',
    'WantedBy=multi-user.target',
  ].join('\n')}\n`
}

function bindDeviceLines(device: string | null): string[] {
  if (device === null) return []
  const unit = deviceUnit(device)
  return [`Wants=${unit}`, `After=${unit}`]
}

/** Arguments of ip(8) that make the link; also what a person is shown as the equivalent command. */
export function linkAddArguments(interface_name: string, config: LinkConfig, state: readonly 'up'[] = []): string[] {
  return [
    'link',
    'add',
    'name',
    interface_name,
    ...state,
    ...addressArguments(interface_name, config),
    'mtu',
    `${config.mtu}`,
    'txqueuelen',
    `${config.tx_queue_length}`,
    ...(config.is_multicast === undefined ? [] : multicastArguments(isMulticast(config))),
    ...headerArguments(config),
    ...(config.fwmark === null ? [] : ['fwmark', `${config.fwmark}`]),
  ]
}

export const multicastArguments = (is_multicast: boolean): string[] => ['multicast', is_multicast ? 'on' : 'off']

/** For people. ip(8) leaves what is not named, so that the mark is named even if there is none. */
export const linkChangeArguments = (interface_name: string, config: LinkConfig): string[] => [
  ...['link', 'change', 'dev', interface_name, 'mtu', `${config.mtu}`],
  ...headerArguments(config),
  ...['fwmark', `${config.fwmark ?? 0}`],
]

const headerArguments = (config: LinkConfig): string[] => [
  'type',
  config.kind,
  'local',
  config.local_endpoint,
  'remote',
  config.remote_endpoint,
  ...(config.bind_device === null ? [] : ['dev', config.bind_device]),
  ...(config.ikey === null ? ['noikey'] : ['ikey', `${config.ikey}`]),
  ...(config.okey === null ? ['nookey'] : ['okey', `${config.okey}`]),
  config.has_input_checksum ? 'icsum' : 'noicsum',
  config.has_output_checksum ? 'ocsum' : 'noocsum',
  config.has_input_sequence ? 'iseq' : 'noiseq',
  config.has_output_sequence ? 'oseq' : 'nooseq',
  ...(isIpv6Kind(config.kind) ? ipv6Arguments(config) : ipv4Arguments(config)),
]

function addressArguments(interface_name: string, config: LinkConfig): string[] {
  const address = hardwareAddress(interface_name, config)
  return address === null ? [] : ['address', address]
}

const ipv4Arguments = (config: LinkConfig): string[] => [
  'ttl',
  config.ttl === 0 ? 'inherit' : `${config.ttl}`,
  'tos',
  config.tos,
  config.is_path_mtu_discovery ? 'pmtudisc' : 'nopmtudisc',
  config.is_ignore_df ? 'ignore-df' : 'noignore-df',
]

const ipv6Arguments = (config: LinkConfig): string[] => [
  'hoplimit',
  `${config.ttl}`,
  'tclass',
  config.tos,
  'flowlabel',
  `0x${config.flow_label.toString(16).padStart(5, '0')}`,
  'encaplimit',
  config.encap_limit === null ? 'none' : `${config.encap_limit}`,
]

export function addressAddArguments(interface_name: string, a: TunnelAddress): string[] {
  const which =
    a.peer_address === ''
      ? [`${a.address}/${a.prefix_length}`]
      : [a.address, 'peer', `${a.peer_address}/${a.prefix_length}`]
  return ['address', 'add', ...which, 'dev', interface_name]
}
