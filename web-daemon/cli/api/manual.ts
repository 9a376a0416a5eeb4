// The commands over the API as a section of the manual page, in the language of man(7).
import type { ApiCommand } from './catalogue.ts'

const START = String.raw`.\" The commands that follow are written by test/golden/commands.test.ts.`
const END = String.raw`.\" Up to here.`

/** It has a command of its own, which works without a daemon and is described by hand. */
const SAFE_APPLY = 'safe-apply'

/** The page with the commands between its two marks replaced. */
export function withCommands(page: string, commands: readonly ApiCommand[]): string {
  const [start, end] = [page.indexOf(START), page.indexOf(END)]
  if (start < 0 || end < start) throw new Error('The manual page has no place for the commands')
  return `${page.slice(0, start)}${START}\n${manualOf(commands)}${page.slice(end)}`
}

function manualOf(commands: readonly ApiCommand[]): string {
  const nouns = new Set(commands.map(({ noun }) => noun).filter((noun) => noun !== SAFE_APPLY))
  return [...nouns]
    .flatMap((noun) => [`.SS ${escape(noun)}\n`, ...commands.filter((one) => one.noun === noun).map(entry)])
    .join('')
}

function entry({ noun, verb, route, summary, query, fields }: ApiCommand): string {
  const ids = [...route.matchAll(/\{\w+\}/g)].map(() => String.raw` \fIid\fR`).join('')
  const plain = Object.keys(fields).filter((name) => fields[name] !== 'secret')
  const options = [...query, ...plain].map((name) => String.raw`\fB${escape(`--${name}`)}\fR`)
  const taken = options.length > 0 ? `.br\nOptions: ${options.join(', ')}\n` : ''
  return `.TP\n\\fB${escape(`${noun} ${verb}`)}\\fR${ids}\n${text(summary)}\n${taken}`
}

const escape = (words: string): string => words.replaceAll('\\', String.raw`\e`).replaceAll('-', String.raw`\-`)

/** A line that begins with a dot or an apostrophe would be a request. */
const text = (words: string): string => escape(words).replace(/^(?=[.'])/, String.raw`\&`)
