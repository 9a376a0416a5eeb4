// The helper's configuration: six names in the environment, each with the place that Debian gives it.
import { isAbsolute } from 'node:path'

export interface HelperConfig {
  readonly socketPath: string
  /** Name or number of the group that may speak to root; "" leaves the socket to its owner alone. */
  readonly group: string
  readonly unitDir: string
  readonly networkdDir: string
  readonly sysctlDir: string
  readonly stateDir: string
  readonly version: string
}

declare const PANEL_VERSION: string | undefined

export function readConfig(environment: NodeJS.ProcessEnv): HelperConfig {
  const path = (name: string, fallback: string): string => {
    const value = environment[name] || fallback
    if (!isAbsolute(value)) throw new Error(`${name} must be an absolute path, and is ${JSON.stringify(value)}`)
    return value
  }
  return {
    socketPath: path('PANEL_HELPER_SOCKET', '/run/tunnel-panel/helper.sock'),
    group: environment['PANEL_HELPER_GROUP'] ?? '',
    unitDir: path('PANEL_UNIT_DIR', '/etc/systemd/system'),
    networkdDir: path('PANEL_NETWORKD_DIR', '/etc/systemd/network'),
    sysctlDir: path('PANEL_SYSCTL_DIR', '/etc/sysctl.d'),
    stateDir: path('PANEL_HELPER_STATE_DIR', '/var/lib/tunnel-panel-helper'),
    // The bundle carries its version; run from source there is none to carry.
    version: typeof PANEL_VERSION === 'string' ? PANEL_VERSION : '0.0.0-source',
  }
}
