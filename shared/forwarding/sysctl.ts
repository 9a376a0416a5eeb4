// The switches as a file of sysctl.d: what systemd-sysctl sets at boot, and what was set before us.
import {
  ACCEPT_ALWAYS,
  CONNTRACK_MAX_KEY,
  SWITCHES,
  switchesBy,
  SYSCTL_KEYS,
  type ForwardingSwitches,
  type SavedSwitches,
} from './model.ts'

/** First line of the file: the state it was written for, for the reader; the rest of the text must follow from it. */
export const SYSCTL_MARK = '# tunnel-panel: '
export const SYSCTL_FILE = '99-tunnel-panel.conf'

/** Writes the file that readSysctl reads. A switch that is off is left to other software. */
export function renderSysctl({ switches, previous, conntrack_max, accept_ra }: SavedSwitches): string {
  const inOrder = (values: ForwardingSwitches): ForwardingSwitches => switchesBy((name) => values[name])
  const names = Object.keys(accept_ra).sort()
  const advertised = Object.fromEntries(names.map((name) => [name, accept_ra[name]]))
  const mark =
    SYSCTL_MARK +
    JSON.stringify({
      switches: inOrder(switches),
      previous: inOrder(previous),
      accept_ra: advertised,
      ...(conntrack_max && { conntrack_max: { value: conntrack_max.value, previous: conntrack_max.previous } }),
    })
  const lines = [
    // Ahead of the switch: without it the kernel drops what it has learnt on that interface.
    ...names.map((name) => `${acceptRaKey(name)} = ${ACCEPT_ALWAYS}`),
    ...SWITCHES.filter((name) => switches[name]).map((name) => `${SYSCTL_KEYS[name]} = 1`),
    ...(conntrack_max ? [`${CONNTRACK_MAX_KEY} = ${conntrack_max.value}`] : []),
  ]
  return `${[mark, '# Relay rules forward packets. The values before are recorded above; the panel puts them back when asked to.', ...lines].join('\n')}\n`
}

/** Written with slashes, since a name may have dots; udev sets it again for an interface that comes later. */
export const acceptRaKey = (interface_name: string): string => `net/ipv6/conf/${interface_name}/accept_ra`

/** Names that mean themselves alone in a file of sysctl.d, where some signs are patterns. */
export const isPlainName = (interface_name: string): boolean => /^[A-Za-z0-9_.:@-]{1,15}$/.test(interface_name)
