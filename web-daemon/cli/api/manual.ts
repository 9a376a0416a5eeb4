// The commands as two sections of the manual page, in the language of man(7).
import type { Command } from '../list.ts'
import { API_OPTIONS } from '../help.ts'
import type { ApiCommand } from './catalogue.ts'
import { idsOf, optionsOf } from './fields.ts'

const START = String.raw`.\" The lines that follow are written by test/golden/commands.test.ts.`
const END = String.raw`.\" Up to here.`

/** The page with what is between its two marks replaced. */
export function withCommands(
  page: string,
  commands: Readonly<Record<string, Command>>,
  overApi: readonly ApiCommand[],
): string {
  const [start, end] = [page.indexOf(START), page.indexOf(END)]
  if (start < 0 || end < start) throw new Error('The manual page has no place for the commands')
  const own = Object.entries(commands).map(([name, command]) => ownEntry(name, command))
  return `${page.slice(0, start)}${START}\n${own.join('')}${INTRODUCTION}${manualOf(overApi)}${page.slice(end)}`
}

function ownEntry(name: string, { usage, summary, details = '', options = {} }: Command): string {
  const taken = Object.entries(options).map(([option, what]) => `.br\n${bold(option)}: ${escape(what)}\n`)
  const what = [summary, details].filter((one) => one !== '').join('\n')
  return `.TP\n${bold(name)}${usage === '' ? '' : ` ${escape(usage)}`}\n${text(what)}\n${taken.join('')}`
}

const INTRODUCTION = `.SH COMMANDS OVER THE API
.B tunnel\\-panel
.I noun verb
[\\fIid\\fR] [\\fB\\-\\-\\fIfield value\\fR]...
.PP
As root on the host of the panel it takes no token. \\fB\\-\\-help\\fR after a noun or a verb says what it takes.
${Object.entries(API_OPTIONS)
  .map(([option, what]) => `.TP\n${bold(option)}\n${text(what)}\n`)
  .join('')}`

function manualOf(commands: readonly ApiCommand[]): string {
  const nouns = new Set(commands.map(({ noun }) => noun))
  return [...nouns]
    .flatMap((noun) => [`.SS ${escape(noun)}\n`, ...commands.filter((one) => one.noun === noun).map(entry)])
    .join('')
}

function entry(command: ApiCommand): string {
  const { noun, verb, summary } = command
  const ids = idsOf(command).map((id) => String.raw` \fI${escape(id.toLowerCase())}\fR`)
  const options = optionsOf(command).map(({ name }) => bold(`--${name}`))
  const taken = options.length > 0 ? `.br\nOptions: ${options.join(', ')}\n` : ''
  return `.TP\n${bold(`${noun} ${verb}`)}${ids.join('')}\n${text(summary)}\n${taken}`
}

function escape(words: string): string {
  return words.replaceAll('\\', String.raw`\e`).replaceAll('-', String.raw`\-`)
}

function bold(words: string): string {
  return String.raw`\fB${escape(words)}\fR`
}

/** A line that begins with a dot or an apostrophe would be a request. */
function text(words: string): string {
  return escape(words).replaceAll(/^(?=[.'])/gm, String.raw`\&`)
}
