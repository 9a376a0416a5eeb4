// The sub-commands, one line each. What a command is made of is loaded when it runs, so that as root nothing is before root is given up.
import type { Config } from '../config.ts'
import { becomeOwner } from './owner.ts'

export interface Command {
  readonly summary: string
  /** What stands behind its name; "" where nothing may. */
  readonly takes: string
  /** Told to whoever writes something there all the same. */
  readonly instead: string
  readonly run: (config: Config, args: readonly string[]) => Promise<void>
}

export const COMMANDS: Readonly<Record<string, Command>> = {
  'reset-password': {
    summary: 'Give the operator a new password, read from the terminal or from standard input. Every session ends.',
    takes: '',
    instead: ' A password is never written there: everybody on this host could read it. It is asked for, or read from standard input.',
    run: async ({ state_dir }) => {
      const caller = becomeOwner(state_dir)
      await (await import('./reset-password.ts')).resetPassword(state_dir, caller)
    },
  },
}

export function usage(): string {
  const width = Math.max(...Object.keys(COMMANDS).map((name) => name.length))
  const lines = Object.entries(COMMANDS).map(([name, { takes, summary }]) => `  ${`${name} ${takes}`.trim().padEnd(width)}  ${summary}`)
  return `Usage: tunnel-panel <command>\n\n${lines.join('\n')}\n\nIt reads the same configuration as the web daemon: PANEL_STATE_DIR, or the file that PANEL_CONFIG_FILE names.\n`
}
