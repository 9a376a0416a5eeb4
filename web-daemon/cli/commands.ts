// What each command that needs no API does. Their modules are loaded when they run, so that nothing is loaded while
// still root.
import { existsSync } from 'node:fs'
import type { Config } from '../app/config.ts'
import { API_COMMANDS } from './api/commands.ts'
import { CommandError } from './errors.ts'
import { COMMANDS, type CommandName } from './list.ts'
import { becomeOwner, cannotGiveUpRoot, runAsOwner } from './owner.ts'
import { printText } from './print.ts'

export type Run = (config: Config, args: readonly string[]) => void | Promise<void>

/** Runs the command as the owner of the store, whose group may also speak to the root helper. */
const asOwner =
  (name: string, run: (config: Config, args: readonly string[], caller: string) => void | Promise<void>): Run =>
  (config, args) => {
    if (cannotGiveUpRoot(config.state_dir)) return runAsOwner(config.state_dir, [name, ...args], null)
    return run(config, args, becomeOwner(config.state_dir))
  }

export const RUNS: Readonly<Record<CommandName, Run>> = {
  status: async (config, args) => (await import('./host/status.ts')).showStatus(config, args),
  url: async (config) => (await import('./host/url.ts')).showUrl(config),
  'set-listen': async (config, args) => (await import('./host/url.ts')).setListen(config, args),
  'make-certificate': async (config, args) => (await import('./host/certificate.ts')).makeCertificate(config, args),
  'reset-password': asOwner('reset-password', async ({ state_dir }, args, caller) =>
    (await import('./reset-password.ts')).resetPassword(state_dir, caller, args),
  ),
  pair: async (config, args) => (await import('./api/pair.ts')).pair(config, args),
  apply: async (config, args) => (await import('./desired/commands.ts')).runFile('apply')(config, args),
  plan: async (config, args) => (await import('./desired/commands.ts')).runFile('plan')(config, args),
  diff: async (config, args) => (await import('./desired/commands.ts')).runFile('diff')(config, args),
  export: async (config, args) => (await import('./desired/commands.ts')).exportFile(config, args),
  'safe-apply': asOwner('safe-apply', async (config, args) =>
    (await import('./safe-apply.ts')).safeApply(config, args),
  ),
  limits: asOwner('limits', async (config) => (await import('./limits.ts')).showLimits(config)),
  allow: async (config, args) => (await import('./limits.ts')).allow(config, args),
  interfaces: asOwner('interfaces', async (config, args) =>
    (await import('./interfaces.ts')).showInterfaces(config, args),
  ),
  'check-store': asOwner('check-store', async (config) => (await import('./check-store.ts')).checkStore(config)),
  'set-aside': async (config, args) => (await import('./host/set-aside.ts')).setAside(config, args),
  'open-setup': async (config) => (await import('./open-setup.ts')).openSetup(config),
  'take-down': async (config) => (await import('./take-down.ts')).stopAndTakeDown(config),
  rpc: asOwner('rpc', async (config, args) => (await import('./rpc.ts')).rpc(config, args)),
  completion: async (_config, [shell]) => {
    if (shell !== 'bash') throw new CommandError('There is completion for bash.', 2)
    printText((await import('./api/completion.ts')).bashCompletion(COMMANDS, API_COMMANDS))
  },
}

/** What root has done as the owner, between two things that root does itself. They are no commands of an operator. */
export const PARTS: Readonly<Record<string, Run>> = {
  listens: async (config) => {
    // A panel that was never started listens where it is configured.
    if (existsSync(config.state_dir)) becomeOwner(config.state_dir)
    await (await import('./listeners.ts')).showListener(config)
  },
  'forget-listener': asOwner('forget-listener', async (config) =>
    (await import('./listeners.ts')).forgetKeptListener(config),
  ),
  certificate: asOwner('certificate', async (config, args) =>
    (await import('./host/certificate.ts')).printCertificate(config, args),
  ),
  overview: asOwner('overview', async (config) => (await import('./host/overview.ts')).printOverview(config)),
  'remove-all': asOwner('remove-all', async (config) => (await import('./take-down.ts')).removeAll(config)),
}
