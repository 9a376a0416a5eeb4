// Forwarding as a file of sysctl.d: what systemd-sysctl sets at boot, and what was set before us.
import type { ForwardingSwitches } from './model.ts'
import type { SavedForwarding } from './plan.ts'

/** First line of the file: the state it was written for, for the reader; the rest of the text must follow from it. */
export const SYSCTL_MARK = '# tunnel-panel: '
export const SYSCTL_FILE = '99-tunnel-panel.conf'
export const SYSCTL_KEYS: Readonly<Record<keyof ForwardingSwitches, string>> = {
  ipv4: 'net.ipv4.ip_forward',
  ipv6: 'net.ipv6.conf.all.forwarding',
}

/** The inverse of readSysctl. A switch that is off is left to whoever else sets it. */
export function renderSysctl({ switches, previous }: SavedForwarding): string {
  const pair = ({ ipv4, ipv6 }: ForwardingSwitches): ForwardingSwitches => ({ ipv4, ipv6 })
  const mark = SYSCTL_MARK + JSON.stringify({ switches: pair(switches), previous: pair(previous) })
  const lines = (['ipv4', 'ipv6'] as const)
    .filter((family) => switches[family])
    .map((family) => `${SYSCTL_KEYS[family]} = 1`)
  return `${[mark, '# Relay rules forward packets. The values before are recorded above; the panel puts them back when asked to.', ...lines].join('\n')}\n`
}
