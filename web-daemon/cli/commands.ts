// The sub-commands, one entry each. Their modules are loaded when they run, so that nothing is loaded while still root.
import { existsSync } from 'node:fs'
import type { Config } from '../app/config.ts'
import { API_COMMANDS } from './api/commands.ts'
import { bashCompletion } from './api/completion.ts'
import { CommandError } from './errors.ts'
import { printText } from './print.ts'
import { becomeOwner } from './owner.ts'

export interface Command {
  readonly summary: string
  /** The arguments as the usage shows them; "" if it takes none. */
  readonly takes: string
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
    summary:
      'Set a new password, read from the terminal or standard input, and switch the second factor off if wanted. All sessions end, and all API tokens unless --keep-tokens is given.',
    takes: '[--keep-tokens]',
    run: async ({ state_dir }, args) => {
      const caller = becomeOwner(state_dir)
      await (await import('./reset-password.ts')).resetPassword(state_dir, caller, args)
    },
  },
  'make-certificate': {
    summary: 'Make or renew a self-signed certificate for these host names and addresses.',
    takes: 'NAME...',
    run: asOwner(async (config, args) => (await import('./make-certificate.ts')).makeCertificate(config, args)),
  },
  health: {
    summary: 'Show the health of the panel.',
    takes: '',
    run: asOwner(async (config) => (await import('./health.ts')).showHealth(config)),
  },
  listens: {
    summary: 'Show where the panel listens: address, port, and http or https.',
    takes: '',
    run: async (config) => {
      // A panel that was never started listens where it is configured.
      if (existsSync(config.state_dir)) becomeOwner(config.state_dir)
      await (await import('./listeners.ts')).showListener(config)
    },
  },
  'forget-listener': {
    summary: 'Forget the listener that the operator has kept: from its next start the daemon listens as configured.',
    takes: '',
    run: asOwner(async (config) => (await import('./listeners.ts')).forgetKeptListener(config)),
  },
  rpc: {
    summary: 'Send a request to the root helper. The parameters are JSON, by default {}.',
    takes: 'METHOD [PARAMETERS]',
    run: asOwner(async (config, args) => (await import('./rpc.ts')).rpc(config, args)),
  },
  limits: {
    summary: 'Show what root allows on this host, and how much of it is used.',
    takes: '',
    run: asOwner(async (config) => (await import('./limits.ts')).showLimits(config)),
  },
  allow: {
    summary: 'Allow more on this host: a network, name, port, destination or mark, or a number. For root alone.',
    takes: 'KIND VALUE',
    run: async (config, args) => (await import('./limits.ts')).allow(config, args),
  },
  pair: {
    summary: 'Make this end of a tunnel from the pairing code that the other server shows.',
    takes: 'CODE',
    run: async (config, args) => (await import('./api/pair.ts')).pair(config, args),
  },
  'safe-apply': {
    summary: 'Show the changes that wait for a confirmation, keep them (confirm) or put them back now (cancel).',
    takes: '[status | confirm | cancel] [--if-any]',
    run: asOwner(async (config, args) => (await import('./safe-apply.ts')).safeApply(config, args)),
  },
  interfaces: {
    summary: 'List the interfaces of the managed tunnels, one per line; with --own without those adopted as they were.',
    takes: '[--own]',
    run: asOwner(async (config, args) => (await import('./interfaces.ts')).showInterfaces(config, args)),
  },
  completion: {
    summary: 'Print what bash completes: eval "$(tunnel-panel completion bash)".',
    takes: 'bash',
    run: async (_config, [shell]) => {
      if (shell !== 'bash') throw new CommandError('There is completion for bash.', 2)
      printText(bashCompletion(Object.keys(COMMANDS), API_COMMANDS))
    },
  },
  'check-store': {
    summary: 'Check on a copy that this version can migrate the store.',
    takes: '',
    run: asOwner(async (config) => (await import('./check-store.ts')).checkStore(config)),
  },
  'open-setup': {
    summary: 'Open setup once after the store was lost, so that the next visitor creates the account. For root alone.',
    takes: '',
    run: async (config) => (await import('./open-setup.ts')).openSetup(config),
  },
  'take-down': {
    summary: "Remove the panel's tunnels and relay rules from the host. The store keeps them.",
    takes: '',
    run: asOwner(async (config) => (await import('./take-down.ts')).takeDown(config)),
  },
}

export function usage(): string {
  const left = Object.entries(COMMANDS).map(
    ([name, { takes, summary }]) => [`${name} ${takes}`.trim(), summary] as const,
  )
  const width = Math.max(...left.map(([call]) => call.length))
  return `Usage: tunnel-panel <command>\n\n${left.map(([call, summary]) => `  ${call.padEnd(width)}  ${summary}`).join('\n')}\n\nOver the API: tunnel-panel ${[...new Set(API_COMMANDS.map(({ noun }) => noun))].join(' | ')} VERB [ID] [--field value] [--data FILE] [-o json | table] [--panel URL --token-file FILE]\n\nIt reads the same configuration as the web daemon: PANEL_STATE_DIR, or the file that PANEL_CONFIG_FILE names.\n`
}
