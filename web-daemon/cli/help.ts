// What --help prints: of the whole command, of a word, a noun, or a verb with all that it takes.
import { API_COMMANDS } from './api/commands.ts'
import type { ApiCommand } from './api/catalogue.ts'
import { bodyOf, idsOf, optionsOf, type Field } from './api/fields.ts'
import { NOUNS } from './api/nouns.ts'
import { CommandError } from './errors.ts'
import { COMMANDS, isCommand, type Command } from './list.ts'
import { terminalWidth } from './print.ts'
import { widthOf, wrap } from './text/layout.ts'
import { didYouMean } from './text/nearest.ts'

/** The options of every command over the API. */
export const API_OPTIONS: Readonly<Record<string, string>> = {
  '-o table | json': 'what it lists as a table, which is the default, or the whole answer as JSON',
  '--wide': 'a table with all columns, however wide it gets',
  '--data FILE': 'a JSON object as the body; - is the standard input. Secrets are only taken so',
  '--panel URL':
    'the panel elsewhere, with its web path; or PANEL_URL. --url is the same, where the request has none of its own',
  '--token-file FILE':
    'an API token for --panel, in a file that only its owner can read; or PANEL_TOKEN_FILE, or PANEL_TOKEN with the token itself. Over plain http it is sent to this host alone',
}

export const EXIT_CODES =
  'Exit codes: 0 done, 1 refused or down, 2 wrong usage, 3 not allowed, 4 no such thing, 5 no answer, 6 not known (status).'

/** A line that reaches from one edge of a wide screen to the other is hard to read. */
const WIDTH_MAX = 100

/** `words`: none for the whole, or a command, or a noun and a verb. */
export function helpOf([name, verb]: readonly string[]): string {
  if (name === undefined) return overview()
  if (isCommand(name)) return ofCommand(name, COMMANDS[name])
  const own = API_COMMANDS.filter(({ noun }) => noun === name)
  if (own.length === 0) throw new CommandError(`There is no command ${name}. ${didYouMean(name, allNames())}`, 2)
  if (verb === undefined) return ofNoun(name, own)
  const one = own.find((each) => each.verb === verb)
  if (!one)
    throw new CommandError(
      `${name} has no ${verb}. ${didYouMean(
        verb,
        own.map((each) => each.verb),
      )}`,
      2,
    )
  return ofVerb(one)
}

const nouns = (): string[] => [...new Set(API_COMMANDS.map(({ noun }) => noun))].sort()
const allNames = (): string[] => [...Object.keys(COMMANDS), ...nouns()]

const overview = (): string =>
  [
    'Usage: tunnel-panel COMMAND\n',
    section(
      'On this host, as root',
      Object.entries(COMMANDS).map(([name, { usage, summary }]) => [`${name} ${usage}`.trim(), summary]),
    ),
    section(
      'Over the API, with NOUN VERB [ID] [--FIELD VALUE]',
      nouns().map((noun) => [noun, NOUNS[noun] ?? '']),
    ),
    section('Help', [
      ['COMMAND --help', 'what a command takes; also NOUN --help and NOUN VERB --help'],
      ['--version', 'the version of this program'],
    ]),
    paragraph(EXIT_CODES),
    paragraph(
      'The configuration is that of the web daemon: the file that PANEL_CONFIG_FILE names, and variables as PANEL_STATE_DIR before it.',
    ),
  ].join('\n')

const ofCommand = (name: string, { usage, summary, details, options = {} }: Command): string =>
  [
    `Usage: ${`tunnel-panel ${name} ${usage}`.trim()}\n`,
    paragraph([summary, details ?? ''].join(' ').trim()),
    ...(Object.keys(options).length === 0 ? [] : [section('Options', Object.entries(options))]),
  ].join('\n')

const ofNoun = (noun: string, own: readonly ApiCommand[]): string =>
  [
    `Usage: tunnel-panel ${noun} VERB\n`,
    paragraph(`${NOUNS[noun] ?? noun}.`),
    section(
      'Verbs',
      own.map((one) => [[one.verb, ...idsOf(one)].join(' '), one.summary]),
    ),
    paragraph(`tunnel-panel ${noun} VERB --help says what a verb takes.`),
  ].join('\n')

function ofVerb(command: ApiCommand): string {
  const { noun, verb, summary, route } = command
  const options = optionsOf(command)
  const secrets = bodyOf(command).filter(({ isSecret }) => isSecret)
  return [
    `Usage: ${['tunnel-panel', noun, verb, ...idsOf(command)].join(' ')}${options.length > 0 ? ' [--FIELD VALUE]...' : ''}\n`,
    paragraph(`${summary.replace(/\.?$/, '.')} (${route})`),
    ...(options.length === 0
      ? []
      : [
          section(
            'Fields',
            options.flatMap((one) => rows(one)),
          ),
        ]),
    ...(secrets.length === 0
      ? []
      : [
          section(
            'With --data FILE alone',
            secrets.flatMap((one) => rows(one, '')),
          ),
        ]),
    section('Options', Object.entries(API_OPTIONS)),
  ].join('\n')
}

const TYPES: Readonly<Record<string, string>> = { array: 'JSON LIST', object: 'JSON', any: 'VALUE' }

/** A field, and under it those that are inside. */
function rows(field: Field, mark = '--'): [string, string][] {
  const { name, type, isRequired, bounds, standard, description, inner } = field
  const sentences = [
    isRequired ? 'Required.' : '',
    bounds && `${bounds}.`,
    description && description.replace(/\.?$/, '.'),
    standard && `Default ${standard}.`,
  ]
  const row: [string, string] = [
    `${mark}${name} ${TYPES[type] ?? type.toUpperCase()}`,
    sentences.filter((one) => one !== '').join(' '),
  ]
  return [row, ...inner.flatMap((one) => rows(one, mark === '--' ? '  . ' : `  ${mark}`))]
}

const lineWidth = (): number => Math.min(WIDTH_MAX, terminalWidth() ?? WIDTH_MAX)

const paragraph = (text: string): string =>
  wrap(text, lineWidth())
    .map((line) => `${line}\n`)
    .join('')

const LEFT_MAX = 26

/** Names on the left, sentences on the right; a long name has a line of its own. */
function section(title: string, entries: readonly (readonly [string, string])[]): string {
  const fit = entries.map(([name]) => widthOf(name)).filter((width) => width <= LEFT_MAX)
  const left = Math.max(...fit, 8)
  const indent = ' '.repeat(left + 4)
  const lines = entries.flatMap(([name, text]) => {
    const [first = '', ...more] = wrap(text, lineWidth() - left - 4)
    const rest = more.map((line) => `${indent}${line}`)
    if (widthOf(name) > left) return [`  ${name}`, `${indent}${first}`, ...rest]
    return [`  ${name}${' '.repeat(left - widthOf(name))}  ${first}`.trimEnd(), ...rest]
  })
  return `${title}:\n${lines.map((line) => `${line}\n`).join('')}`
}
