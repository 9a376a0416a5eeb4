// limits.conf as text: a line is "key = values" or "# comment". Values of a list add to its defaults, and a line
// without values empties it; a number takes the place of its default.
import { message, type Message } from '../messages/message.ts'
import { readDestination, readMark, readName, readNetwork, readPorts } from './entries.ts'
import { DEFAULT_LIMITS, ENTRIES_MAX, MOST, type Limits } from './model.ts'

type ListKey = { [K in keyof Limits]: Limits[K] extends readonly string[] ? K : never }[keyof Limits]

const READ: Readonly<Record<ListKey, (text: string) => unknown>> = {
  tunnel_networks: readNetwork,
  wide_networks: readNetwork,
  reserved_names: readName,
  protected_ports: readPorts,
  forbidden_destinations: readDestination,
  marks: readMark,
}
const isList = (key: keyof Limits): key is ListKey => Object.hasOwn(READ, key)
const isKey = (text: string): text is keyof Limits => Object.hasOwn(DEFAULT_LIMITS, text)

export interface Fault {
  readonly line: number
  readonly why: Message
}

/** The limits that the text sets, or its first fault. */
export function parseLimits(text: string): Limits | Fault {
  const limits = JSON.parse(JSON.stringify(DEFAULT_LIMITS)) as Limits
  for (const [at, written] of text.split('\n').entries()) {
    const line = written.replace(/#.*$/, '').trim()
    const why = line === '' ? null : takeLine(limits, line)
    if (why) return { line: at + 1, why }
  }
  return limits
}

export const isFault = (found: Limits | Fault): found is Fault => 'why' in found

/** What is wrong with the line; null if it was taken. */
function takeLine(limits: Limits, line: string): Message | null {
  const [, key = '', rest = ''] = /^(\w+)\s*=\s*(.*)$/.exec(line) ?? []
  if (key === '') return message('limits.no_line')
  if (!isKey(key)) return message('limits.no_key', { key })
  const values = rest.split(/\s+/).filter((value) => value !== '')
  return isList(key) ? takeEntries(limits, key, values) : takeNumber(limits, key, values)
}

function takeEntries(limits: Limits, key: ListKey, values: readonly string[]): Message | null {
  if (values.length === 0) limits[key] = []
  const wrong = values.find((value) => READ[key](value.replace(/^!/, '')) === null)
  if (wrong !== undefined) return message('limits.no_entry', { key, value: wrong })
  limits[key].push(...values)
  return limits[key].length > ENTRIES_MAX ? message('limits.too_many_entries', { key, most: ENTRIES_MAX }) : null
}

function takeNumber(limits: Limits, key: keyof typeof MOST, values: readonly string[]): Message | null {
  const [value = '', ...more] = values
  if (!/^\d+$/.test(value) || more.length > 0 || Number(value) > MOST[key])
    return message('limits.no_number', { key, most: MOST[key] })
  limits[key] = Number(value)
  return null
}

/** What `tunnel-panel allow` calls a list, and whether what it allows is an exception of it. */
export const ALLOWS = {
  network: { key: 'tunnel_networks', is_exception: false },
  wide_network: { key: 'wide_networks', is_exception: false },
  name: { key: 'reserved_names', is_exception: true },
  port: { key: 'protected_ports', is_exception: true },
  destination: { key: 'forbidden_destinations', is_exception: true },
  mark: { key: 'marks', is_exception: false },
} as const satisfies Readonly<Record<string, { key: ListKey; is_exception: boolean }>>

type Kind = keyof typeof ALLOWS | keyof typeof MOST

/** The line that allows it; null of a kind that there is not. */
export function lineThatAllows(kind: string, value: string): string | null {
  if (Object.hasOwn(ALLOWS, kind)) {
    const { key, is_exception } = ALLOWS[kind as keyof typeof ALLOWS]
    return `${key} = ${is_exception ? '!' : ''}${value}`
  }
  return isKey(kind) && !isList(kind) ? `${kind} = ${value}` : null
}

/** The command that adds that line. */
export const commandThatAllows = (kind: Kind, value: string | number): string => `tunnel-panel allow ${kind} ${value}`
