// The sub-commands, one entry each. Their modules are loaded when they run, so that nothing is loaded while still root.
import type { Config } from '../app/config.ts'
import { becomeOwner } from './owner.ts'

export interface Command {
  readonly summary: string
  /** The arguments as the usage shows them; "" if it takes none. */
  readonly takes: string
  /** Added to the error message if somebody passes arguments to a command that takes none. */
  readonly instead: string
  readonly run: (config: Config, args: readonly string[]) => Promise<void>
}

/** Runs the command as the owner of the store, whose group may also speak to the root helper. */
const asOwner =
  <A extends readonly unknown[]>(run: (config: Config, ...args: A) => Promise<void>) =>
  (config: Config, ...args: A): Promise<void> => {
    becomeOwner(config.state_dir)
    return run(config, ...args)
  }

export const COMMANDS: Readonly<Record<string, Command>> = {
  'reset-password': {
    summary: 'Give the operator a new password, read from the terminal or from standard input. Every session ends.',
    takes: '',
    instead:
      ' A password is never written there: everybody on this host could read it. It is asked for, or read from standard input.',
    run: async ({ state_dir }) => {
      const caller = becomeOwner(state_dir)
      await (await import('./reset-password.ts')).resetPassword(state_dir, caller)
    },
  },
  'make-certificate': {
    summary: 'Make a self-signed certificate for these host names and addresses; again renews it.',
    takes: 'NAME...',
    instead: '',
    run: asOwner(async (config, args) => (await import('./make-certificate.ts')).makeCertificate(config, args)),
  },
  health: {
    summary: 'Show what the panel says of its own health.',
    takes: '',
    instead: '',
    run: asOwner(async (config) => (await import('./health.ts')).showHealth(config)),
  },
  rpc: {
    summary: 'Ask the root helper by hand; the parameters are JSON, {} where there are none.',
    takes: 'METHOD [PARAMETERS]',
    instead: '',
    run: asOwner(async (config, args) => (await import('./rpc.ts')).rpc(config, args)),
  },
  interfaces: {
    summary: 'Name the interfaces of the tunnels that the panel manages, one a line.',
    takes: '',
    instead: '',
    run: asOwner(async (config) => (await import('./interfaces.ts')).showInterfaces(config)),
  },
  'check-store': {
    summary: 'Try on a copy whether the store can be brought to the form of this version.',
    takes: '',
    instead: '',
    run: asOwner(async (config) => (await import('./check-store.ts')).checkStore(config)),
  },
  'take-down': {
    summary: 'Take every tunnel and relay rule of the panel off the host. What is stored stays.',
    takes: '',
    instead: '',
    run: asOwner(async (config) => (await import('./take-down.ts')).takeDown(config)),
  },
}

export function usage(): string {
  const left = Object.entries(COMMANDS).map(
    ([name, { takes, summary }]) => [`${name} ${takes}`.trim(), summary] as const,
  )
  const width = Math.max(...left.map(([call]) => call.length))
  return `Usage: tunnel-panel <command>\n\n${left.map(([call, summary]) => `  ${call.padEnd(width)}  ${summary}`).join('\n')}\n\nIt reads the same configuration as the web daemon: PANEL_STATE_DIR, or the file that PANEL_CONFIG_FILE names.\n`
}
