// The command line of the panel, for what cannot be done from the page: tunnel-panel <command>.
import { readConfig } from '../app/config.ts'
import { COMMANDS, usage } from './commands.ts'
import { API_COMMANDS } from './api/commands.ts'
import { CommandError } from './errors.ts'
import { errorCode } from '../platform/db/trouble.ts'
import { onOutputFailure, printError, printText } from './print.ts'

const API_NOUNS = new Set(API_COMMANDS.map(({ noun }) => noun))

const runApiCommand = async (noun: string, args: readonly string[]): Promise<void> =>
  (await import('./api/run.ts')).runApiCommand(() => readConfig(process.env), noun, args)

const main = async ([name = '', ...args]: readonly string[]): Promise<void> => {
  if (['help', '--help', '-h'].includes(name)) return void printText(usage())
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (!command && API_NOUNS.has(name)) return runApiCommand(name, args)
  if (!command)
    throw new CommandError(`${name === '' ? 'Name a command.' : `There is no command ${name}.`}\n\n${usage()}`, 2)
  if (args.length > 0 && command.takes === '') throw new CommandError(`${name} takes no arguments.`, 2)
  await command.run(readConfig(process.env), args)
}

const PLAIN = [
  'CommandError',
  'ConfigError',
  'StoreTooNewError',
  'StoreUnreleasedError',
  'StoreUnusableError',
  'KeyUnusableError',
]

/** Errors that the operator can fix are printed without a stack, and SQLite's without what it quotes of the file. */
const describe = (failure: unknown): string => {
  if (!(failure instanceof Error)) return String(failure)
  const code = errorCode(failure)
  if (failure.name === 'SqliteError') return `The store cannot be used (${code}).`
  return PLAIN.includes(failure.name) || code !== '' ? failure.message : (failure.stack ?? failure.message)
}

const fail = (failure: unknown): void => {
  printError(`${describe(failure)}\n`)
  process.exitCode = failure instanceof CommandError ? failure.exitCode : 1
}

onOutputFailure(fail)

main(process.argv.slice(2)).catch(fail)
