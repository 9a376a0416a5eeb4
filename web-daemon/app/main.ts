// Entry point of the web daemon: reads the configuration, starts the daemon and stops it on SIGTERM or SIGINT.
import { isMainThread } from 'node:worker_threads'
import { ConfigError } from '../platform/config-error.ts'
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
  const isForOperator = failure instanceof ConfigError || 'code' in failure
  return isForOperator ? failure.message : (failure.stack ?? failure.message)
}

const start = (): unknown => {
  if (process.getuid?.() !== 0) return run().catch(fail)
  const why =
    'The web daemon does not run as root. Start it as a user of its own, without capabilities; root belongs to the helper.'
  return fail(new ConfigError([why]))
}

// The thread that makes the daily copy loads the bundle too, for that alone.
if (isMainThread) start()
