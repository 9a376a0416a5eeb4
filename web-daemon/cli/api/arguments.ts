// Reads the arguments of a command over the API.
import { CommandError } from '../errors.ts'
import { didYouMean } from '../text/nearest.ts'
import type { ApiCommand } from './catalogue.ts'
import { bodyOf, idsOf, optionsOf, queryOf } from './fields.ts'

export interface Call {
  readonly method: string
  /** Below the API's base, with the query. */
  readonly path: string
  readonly body: Readonly<Record<string, unknown>>
}

export interface Options {
  readonly output: 'json' | 'table'
  /** The panel elsewhere that --panel names; --url is the same, but for commands that have a field of that name. */
  readonly panel: string | null
  readonly url: string | null
  readonly tokenFile: string | null
  readonly data: string | null
  /** A table with all columns, and as wide as it is. */
  readonly isWide: boolean
  readonly isHelp: boolean
}

export interface Parsed {
  readonly words: readonly string[]
  readonly given: ReadonlyMap<string, string>
  readonly options: Options
}

/** The options of the command itself. No field of a request has one of these names, except for url. */
export const OWN_OPTIONS = ['output', 'panel', 'url', 'token-file', 'data', 'wide', 'help'] as const
const FLAGS: ReadonlySet<string> = new Set(['--wide', '--help', '-h'])

export function parseArguments(args: readonly string[]): Parsed {
  const words: string[] = []
  const given = new Map<string, string>()
  const flags = new Set<string>()
  for (let at = 0; at < args.length; at++) {
    const word = args[at] ?? ''
    if (FLAGS.has(word)) flags.add(word)
    else if (word !== '-o' && !word.startsWith('--')) words.push(word)
    else {
      const [name = '', inline] = word === '-o' ? ['output'] : splitOnce(word.slice(2))
      const value = inline ?? args[(at += 1)]
      if (value === undefined) throw new CommandError(`${word} needs a value.`, 2)
      given.set(name, value)
    }
  }
  const output = given.get('output') ?? 'table'
  if (output !== 'json' && output !== 'table') throw new CommandError('The output is json or table.', 2)
  const options = {
    output,
    panel: given.get('panel') ?? null,
    url: given.get('url') ?? null,
    tokenFile: given.get('token-file') ?? null,
    data: given.get('data') ?? null,
    isWide: flags.has('--wide'),
    isHelp: flags.has('--help') || flags.has('-h'),
  } as const
  for (const name of OWN_OPTIONS) given.delete(name)
  return { words, given, options }
}

const splitOnce = (text: string): [string, string | undefined] => {
  const at = text.indexOf('=')
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)]
}

/** The panel that the options name, or null for the one on this host. */
export function panelUrl(command: ApiCommand, { panel, url }: Options, env: NodeJS.ProcessEnv): string | null {
  // Sent as if it named a panel, the address of a target would receive the token.
  if (url !== null && bodyOf(command).some(({ name }) => name === 'url'))
    throw new CommandError(
      `The url of ${nameOf(command)} is secret, and every user of this host could read it in the arguments: put it into --data FILE. To name a panel elsewhere, use --panel.`,
      2,
    )
  const address = panel ?? url ?? env['PANEL_URL'] ?? null
  if (address !== null && !URL.canParse(address)) throw new CommandError(`${address} is no URL.`, 2)
  return address
}

/** `data`: the JSON of --data. */
export function makeCall(command: ApiCommand, { words, given }: Parsed, data: Record<string, unknown>): Call {
  const [method = '', path = ''] = command.route.split(' ')
  const ids = idsOf(command)
  const missing = ids.findIndex((_, at) => !/^\d+$/.test(words[at] ?? ''))
  if (missing >= 0) {
    const what = ids.length === 1 ? 'the id of one, a number' : `${ids.join(' and ')}, which are numbers`
    throw new CommandError(`${nameOf(command)} needs ${what}.`, 2)
  }
  const extra = words[ids.length]
  if (extra !== undefined) throw new CommandError(`${nameOf(command)} does not take ${extra}.`, 2)
  const query = new URLSearchParams()
  const inQuery = new Set(queryOf(command).map(({ name }) => name))
  const body: Record<string, unknown> = { ...data }
  for (const [option, value] of given) {
    const name = option.replaceAll('-', '_')
    if (inQuery.has(name)) query.set(name, value)
    else body[name] = readValue(command, name, value)
  }
  const filled = words.reduce((so_far, id) => so_far.replace(/\{\w+\}/, id), path)
  return { method, path: filled + (query.size > 0 ? `?${query.toString()}` : ''), body }
}

const nameOf = ({ noun, verb }: ApiCommand): string => `${noun} ${verb}`

function readValue(command: ApiCommand, name: string, value: string): unknown {
  const field = bodyOf(command).find((one) => one.name === name)
  if (!field) {
    const all = optionsOf(command).map((one) => `--${one.name}`)
    const instead = all.length === 0 ? 'It takes none.' : didYouMean(`--${name}`, all)
    throw new CommandError(`${nameOf(command)} has no option --${name}. ${instead}`, 2)
  }
  const { type } = field
  if (field.isSecret)
    throw new CommandError(`Every user of this host could read ${name} in the arguments: put it into --data FILE.`, 2)
  if (type === 'string') return value
  try {
    return JSON.parse(value)
  } catch {
    if (type === 'any') return value
    throw new CommandError(`--${name} takes ${kindOf(type)}.`, 2)
  }
}

const kindOf = (type: string): string =>
  type === 'array' || type === 'object' ? 'JSON' : `${type === 'integer' ? 'an' : 'a'} ${type}`
