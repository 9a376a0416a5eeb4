// The unit that keeps a tunnel alive: it pings the far end through it, so that firewalls and address translation on the
// way do not forget it.
import { canonicalKeepalive } from './canonical.ts'
import type { Keepalive } from './model.ts'
import { deviceUnit } from './device-unit.ts'
import { fileMark } from './mark.ts'

const PING = '/usr/bin/ping'

export function renderKeepaliveUnit(interface_name: string, keepalive: Keepalive): string {
  const canonical = canonicalKeepalive(keepalive)
  const { target_address, interval_seconds, packet_size } = canonical
  const device = deviceUnit(interface_name)
  return `${[
    fileMark(canonical),
    '[Unit]',
    `Description=Keepalive of the tunnel ${interface_name} to ${target_address} (kept by tunnel-panel)`,
    // It starts and stops with the link, whichever program creates or deletes that.
    `BindsTo=${device}`,
    `After=${device}`,
    '',
    '[Service]',
    `ExecStart=${PING} -n -q -I ${interface_name} -i ${interval_seconds} -s ${packet_size} ${target_address}`,
    'Restart=always',
    'RestartSec=10',
    'StandardOutput=null',
    // ping needs the raw socket and nothing else.
    'DynamicUser=yes',
    'AmbientCapabilities=CAP_NET_RAW',
    'CapabilityBoundingSet=CAP_NET_RAW',
    '',
    '[Install]',
    'WantedBy=multi-user.target',
  ].join('\n')}\n`
}
