// tunnel-panel apply, plan, diff and export: everything that the panel is to do, in one file.
import { basename } from 'node:path'
import { stringify } from 'yaml'
import type { DesiredAnswer, DesiredExport } from '@panel/shared/api/desired.ts'
import type { Config } from '../../app/config.ts'
import { CommandError } from '../errors.ts'
import { cannotGiveUpRoot, runAsOwner } from '../owner.ts'
import { printText } from '../print.ts'
import { targetOf, type Named } from '../api/run.ts'
import { RefusedError, send, type Target } from '../api/send.ts'
import { parseFile, readFile, type DesiredFile } from './file.ts'
import { differenceText, planText } from './text.ts'

/** The exit code of `plan` and `diff` where something would change, for a pipeline. */
const WOULD_CHANGE = 2

interface Given extends Named {
  readonly file: string | null
  readonly fields: Readonly<Record<string, unknown>>
  readonly isJson: boolean
  readonly isYaml: boolean
}

/** Options that are fields of the request, and what each holds. */
const FIELDS: Readonly<Record<string, (text: string) => unknown>> = {
  '--name': String,
  '--prune': String,
  '--base': String,
  '--confirm-within': Number,
}
const NAMES: Readonly<Record<string, string>> = { '--confirm-within': 'confirm_within_seconds' }
/** Options without a value, and the fields that each stands for. */
const FLAGS: Readonly<Record<string, Readonly<Record<string, boolean>>>> = {
  '--json': {},
  '--yaml': {},
  '--include-adopted': { include_adopted: true },
  '--lock': { lock: true },
  '--unlock': { lock: false },
}

function readArguments(command: string, args: readonly string[]): Given {
  const given: Record<string, string> = {}
  const flags = new Set<string>()
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at] ?? ''
    if (Object.hasOwn(FLAGS, word)) flags.add(word)
    else if (['-f', '--panel', '--token-file', ...Object.keys(FIELDS)].includes(word)) {
      const value = args[(at += 1)]
      if (value === undefined) throw new CommandError(`${word} needs a value.`)
      given[word] = value
    } else
      throw new CommandError(`${command} does not take ${word}. tunnel-panel ${command} --help says what it takes.`)
  }
  const fields = Object.entries(FIELDS).flatMap(([option, read]) =>
    given[option] === undefined ? [] : [[NAMES[option] ?? option.slice(2), read(given[option])]],
  )
  return {
    file: given['-f'] ?? null,
    fields: Object.assign(Object.fromEntries(fields), ...[...flags].map((flag) => FLAGS[flag])) as Given['fields'],
    panel: given['--panel'] ?? null,
    tokenFile: given['--token-file'] ?? null,
    isJson: flags.has('--json'),
    isYaml: flags.has('--yaml'),
  }
}

type Command = 'apply' | 'plan' | 'diff'

export const runFile =
  (command: Command) =>
  async (config: Config, args: readonly string[]): Promise<void> => {
    const given = readArguments(command, args)
    if (given.file === null)
      throw new CommandError(`${command} needs a file: -f site.yaml, or -f - for the standard input.`)
    const text = readFile(given.file)
    if (given.panel === null && cannotGiveUpRoot(config.state_dir))
      return runAsOwner(config.state_dir, [command, ...withStandardInput(args, given)], text)
    const name = given.file === '-' ? String(given.fields['name'] ?? 'the file') : given.file
    const file = parseFile(text, name)
    const answer = await request(await targetOf(config, given), command, file, given)
    printText(given.isJson ? `${JSON.stringify(answer, null, 2)}\n` : answerText(command, answer))
    if (command !== 'apply' && answer.changed) process.exitCode = WOULD_CHANGE
  }

/** The file was read by root, and what was in it is passed on under its name. */
const withStandardInput = (args: readonly string[], { file, fields }: Given): string[] => [
  ...args.map((word, at) => (args[at - 1] === '-f' ? '-' : word)),
  ...(fields['name'] === undefined && file !== '-' && file !== null ? ['--name', basename(file)] : []),
]

async function request(target: Target, command: Command, file: DesiredFile, { file: path, fields }: Given) {
  const name = fields['name'] ?? (path === '-' || path === null ? undefined : basename(path))
  const body = {
    ...fields,
    ...(name === undefined ? {} : { name }),
    document: file.content,
    dry_run: command !== 'apply',
  }
  try {
    return (await send(target, { method: 'POST', path: '/desired', body }, APPLY_WITHIN_MS)) as DesiredAnswer
  } catch (failure) {
    throw failure instanceof RefusedError ? placed(failure, file) : failure
  }
}

/** A thousand rules and a restart of the helper among them. */
const APPLY_WITHIN_MS = 600_000

/** Each problem at its place in the file, in the order of the lines. */
function placed({ message, exitCode, fields }: RefusedError, { placeOf }: DesiredFile): CommandError {
  const lines = fields.map(({ field, message: text }) => {
    const inside = /^document\.?(.*)$/.exec(field)?.[1]
    return inside === undefined ? `${field}: ${text}` : `${placeOf(inside)}: ${text}`
  })
  const inOrder = lines.sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
  return new CommandError(inOrder.length === 0 ? message : inOrder.join('\n'), exitCode)
}

function answerText(command: Command, answer: DesiredAnswer): string {
  const text = command === 'plan' ? planText(answer) : differenceText(answer)
  return `${text}${answer.note}\n`
}

export async function exportFile(config: Config, args: readonly string[]): Promise<void> {
  const given = readArguments('export', args)
  if (given.panel === null && cannotGiveUpRoot(config.state_dir))
    return runAsOwner(config.state_dir, ['export', ...args], '')
  const answer = (await send(await targetOf(config, given), {
    method: 'GET',
    path: '/desired/export',
    body: {},
  })) as DesiredExport
  const { document } = answer
  printText(given.isJson ? `${JSON.stringify(document, null, 2)}\n` : stringify(document, { lineWidth: 0 }))
}
