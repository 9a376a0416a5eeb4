// tunnel-panel <noun> <verb>: finds the command, sends its request and prints the answer.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Also } from '@panel/shared/api/columns/listing.ts'
import type { Config } from '../../app/config.ts'
import { readSigningKey } from '../../features/auth/key.ts'
import { signRequest } from '../../features/auth/local-request.ts'
import { CommandError, NO_ANSWER } from '../errors.ts'
import { wayUrl } from '../health.ts'
import { waysIn } from '../listeners.ts'
import { becomeOwner, cannotGiveUpRoot, runAsOwner } from '../owner.ts'
import { printError, printText, terminalWidth } from '../print.ts'
import { didYouMean } from '../text/nearest.ts'
import { makeCall, panelUrl, parseArguments, type Call, type Options } from './arguments.ts'
import type { ApiCommand } from './catalogue.ts'
import { API_COMMANDS } from './commands.ts'
import { describeRest, formatAnswer, listingsOf } from './output.ts'
import { readToken, refusePlainHttp, send, type Target } from './send.ts'

/** `readConfig`: of this host, which a command for a panel elsewhere need not have. */
export async function runApiCommand(readConfig: () => Config, noun: string, args: readonly string[]): Promise<void> {
  const parsed = parseArguments(args)
  const [verb = '', ...words] = parsed.words
  if (parsed.options.isHelp) return void printText((await import('../help.ts')).helpOf([noun, ...parsed.words]))
  const command = findCommand(noun, verb)
  const { data: file, tokenFile } = parsed.options
  const data = readData(file)
  const call = makeCall(command, { ...parsed, words }, data)
  const url = panelUrl(command, parsed.options, process.env)
  if (url !== null) return exchange(elsewhere(url, tokenFile), command, call, parsed.options)
  const config = readConfig()
  if (!cannotGiveUpRoot(config.state_dir)) return exchange(await onThisHost(config), command, call, parsed.options)
  // A file that only root can read has been read, and what was in it is passed on.
  const again = [noun, ...args, ...(file === null ? [] : ['--data', '-'])]
  runAsOwner(config.state_dir, again, JSON.stringify(data))
}

async function exchange(target: Target, command: ApiCommand, call: Call, options: Options): Promise<void> {
  const answer = await send(target, call)
  const { output, isWide } = options
  const also = output === 'json' ? {} : await askAlso(target, command)
  printText(formatAnswer(command.route, answer, { output, isWide, width: terminalWidth(), also }))
  const rest = output === 'json' ? null : describeRest(command.route, answer)
  if (rest !== null) printError(rest)
}

/** What is refused, as for want of a scope or while the panel starts, leaves its columns empty. */
async function askAlso(target: Target, { route }: ApiCommand): Promise<Also> {
  const wanted = [...new Set(listingsOf(route).flatMap(({ also }) => also))]
  const answers = await Promise.all(
    wanted.map(async (one) => {
      try {
        return [[one, await send(target, { method: 'GET', path: one.slice('GET '.length), body: {} })]]
      } catch (failure) {
        if (failure instanceof CommandError && failure.exitCode !== NO_ANSWER) return []
        throw failure
      }
    }),
  )
  return Object.fromEntries(answers.flat()) as Also
}

function findCommand(noun: string, verb: string): ApiCommand {
  const own = API_COMMANDS.filter((one) => one.noun === noun)
  const command = own.find((one) => one.verb === verb) ?? (verb === '' ? own.find(isFirst) : undefined)
  if (command) return command
  const verbs = own.map((one) => one.verb)
  if (verb === '') throw new CommandError(`Name what to do: ${verbs.join(', ')}`, 2)
  throw new CommandError(`${noun} has no ${verb}. ${didYouMean(verb, verbs)}`, 2)
}

/** Without a verb. */
const isFirst = ({ verb }: ApiCommand): boolean => verb === 'list' || verb === 'summary'

/** "-" is the standard input. */
function readData(file: string | null): Record<string, unknown> {
  if (file === null) return {}
  const data: unknown = JSON.parse(readFileSync(file === '-' ? 0 : file, 'utf8'))
  if (typeof data === 'object' && data !== null && !Array.isArray(data)) return data as Record<string, unknown>
  throw new CommandError('--data takes one JSON object.', 2)
}

function elsewhere(address: string, tokenFile: string | null): Target {
  const url = new URL(address.replace(/\/*$/, '/'))
  refusePlainHttp(url)
  const token = readToken(tokenFile, process.env)
  return { url: url.href, authorize: () => `Bearer ${token}`, isLocal: false }
}

const ELSEWHERE = 'To use a panel with an API token: --panel https://panel.example/ --token-file FILE'

/** The panel that a command names. */
export interface Named {
  readonly panel: string | null
  readonly tokenFile: string | null
}

export const targetOf = (config: Config, { panel, tokenFile }: Named): Promise<Target> =>
  panel === null ? onThisHost(config) : Promise.resolve(elsewhere(panel, tokenFile))

/** The panel of this host, as whose owner the program goes on. */
export async function onThisHost(config: Config): Promise<Target> {
  if (!existsSync(config.state_dir)) throw new CommandError(`There is no panel on this host. ${ELSEWHERE}`, 2)
  try {
    becomeOwner(config.state_dir)
  } catch (failure) {
    throw failure instanceof CommandError ? new CommandError(`${failure.message}\n${ELSEWHERE}`, 3) : failure
  }
  const [way] = await waysIn(config)
  if (!way) throw new CommandError('The panel listens nowhere.')
  const key = readSigningKey(join(config.state_dir, 'session.key'))
  if (!key) throw new CommandError('The panel has no account yet. Open it in a browser and create it.')
  return {
    url: wayUrl(way, config),
    authorize: (method, path, body) => `Panel-Local ${signRequest(key, new Date(), method, path, body)}`,
    isLocal: true,
  }
}
