// The command line of the panel: tunnel-panel <command>.
import { readConfig } from '../app/config.ts'
import { BUILD, VERSION } from '../platform/version.ts'
import { API_COMMANDS } from './api/commands.ts'
import { PARTS, RUNS } from './commands.ts'
import { CommandError } from './errors.ts'
import { errorCode } from '../platform/db/trouble.ts'
import { COMMANDS, isCommand } from './list.ts'
import { onOutputFailure, printError, printLine, printText } from './print.ts'
import { didYouMean } from './text/nearest.ts'

const API_NOUNS = [...new Set(API_COMMANDS.map(({ noun }) => noun))]
const HELP = ['help', '--help', '-h']

const showHelp = async (words: readonly string[]): Promise<void> =>
  void printText((await import('./help.ts')).helpOf(words))

const main = async ([name = '', ...args]: readonly string[]): Promise<void> => {
  if (HELP.includes(name)) return showHelp(args.filter((word) => !word.startsWith('-')))
  if (name === '--version') return void printLine(`tunnel-panel ${VERSION}${BUILD.commit && ` (${BUILD.commit})`}`)
  if (Object.hasOwn(PARTS, name)) return PARTS[name]?.(readConfig(process.env), args)
  if (!isCommand(name)) return runOverApi(name, args)
  if (args.some((arg) => arg === '--help' || arg === '-h')) return showHelp([name])
  if (args.length > 0 && COMMANDS[name].usage === '') throw new CommandError(`${name} takes no arguments.`, 2)
  await RUNS[name](readConfig(process.env), args)
}

const runOverApi = async (name: string, args: readonly string[]): Promise<void> => {
  if (!API_NOUNS.includes(name)) throw await unknownCommand(name)
  await (await import('./api/run.ts')).runApiCommand(() => readConfig(process.env), name, args)
}

const unknownCommand = async (name: string): Promise<CommandError> => {
  if (name === '') return new CommandError((await import('./help.ts')).helpOf([]).trimEnd(), 2)
  const near = didYouMean(name, [...Object.keys(COMMANDS), ...API_NOUNS])
  return new CommandError(`There is no command ${name}. ${near} tunnel-panel --help says what each does.`, 2)
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
  const text = describe(failure)
  if (text !== '') printError(`${text}\n`)
  process.exitCode = failure instanceof CommandError ? failure.exitCode : 1
}

onOutputFailure(fail)

main(process.argv.slice(2)).catch(fail)
