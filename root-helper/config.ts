// The helper's configuration: eight environment variables, each with its default on Debian.
import { isAbsolute } from 'node:path'
import { RULE_BACKENDS, type RuleBackend } from '@panel/shared/ruleset/backend.ts'

/** Null: the best that is there. */
export type WantedBackend = Exclude<RuleBackend, 'none'> | null

export interface HelperConfig {
  readonly socketPath: string
  /** Name or number of the group that may connect; "" leaves the socket to its owner. */
  readonly group: string
  readonly unitDir: string
  readonly networkdDir: string
  readonly sysctlDir: string
  readonly stateDir: string
  readonly limitsFile: string
  readonly ruleBackend: WantedBackend
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
    limitsFile: path('PANEL_LIMITS_FILE', '/etc/tunnel-panel/limits.conf'),
    ruleBackend: wantedBackend(environment['PANEL_RULE_BACKEND'] || 'auto'),
    // The bundle defines its version; code that runs from source has none.
    version: typeof PANEL_VERSION === 'string' ? PANEL_VERSION : '0.0.0-source',
  }
}

function wantedBackend(value: string): WantedBackend {
  if (value === 'auto') return null
  for (const name of RULE_BACKENDS) if (name !== 'none' && name === value) return name
  throw new Error(
    `PANEL_RULE_BACKEND must be auto, ${RULE_BACKENDS.filter((name) => name !== 'none').join(', ')}, and is ${JSON.stringify(value)}`,
  )
}
