// Entry point of the web daemon: reads the configuration, starts the daemon and stops it on SIGTERM or SIGINT.
import { ConfigError } from '../platform/config-error.ts'
import { StoreTooNewError } from '../platform/db/migrate.ts'
import { StoreUnusableError } from '../platform/db/trouble.ts'
import { readConfig } from './config.ts'
import { startDaemon } from './daemon.ts'

const run = async (): Promise<void> => {
  const daemon = await startDaemon(readConfig(process.env))
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void daemon.stop(signal).catch(fail))
}

/** Errors that the operator can fix are printed without a stack. */
const fail = (failure: unknown): void => {
  process.stderr.write(`${describe(failure)}\n`)
  process.exitCode = 1
  process.exit()
}

const describe = (failure: unknown): string => {
  if (!(failure instanceof Error)) return String(failure)
  const isForOperator =
    failure instanceof ConfigError ||
    failure instanceof StoreTooNewError ||
    failure instanceof StoreUnusableError ||
    'code' in failure
  return isForOperator ? failure.message : (failure.stack ?? failure.message)
}

if (process.getuid?.() === 0)
  fail(
    new ConfigError([
      'The web daemon does not run as root. Start it as a user of its own, without capabilities; root belongs to the helper.',
    ]),
  )
else run().catch(fail)
