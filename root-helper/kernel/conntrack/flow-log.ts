// What the flows of the fast path carried that have ended, on disk before the kernel's word of it is taken from the
// socket: a helper that is killed loses none of it, and counts none of it twice.
import { closeSync, openSync, readFileSync, renameSync, writeFileSync, writeSync } from 'node:fs'
import { randomUUID } from 'node:crypto'
import type { RelayCounters } from '@panel/shared/ruleset/model.ts'
import type { FastFlow } from '../../netlink/conntrack.ts'
import { log } from '../../log.ts'
import { errorCode } from '../files/files.ts'

/** Lines that are only added to sums, until the file is written again with the sums alone. */
const LINES_MAX = 20_000

const NOTHING = { tx_bytes: 0, tx_packets: 0, rx_bytes: 0, rx_packets: 0 }

export const addTo = (sums: Map<number, RelayCounters>, one: RelayCounters): void => {
  const before = sums.get(one.route_rule_id) ?? NOTHING
  sums.set(one.route_rule_id, {
    route_rule_id: one.route_rule_id,
    tx_bytes: before.tx_bytes + one.tx_bytes,
    tx_packets: before.tx_packets + one.tx_packets,
    rx_bytes: before.rx_bytes + one.rx_bytes,
    rx_packets: before.rx_packets + one.rx_packets,
  })
}

/** Conntrack forgets with a reboot, and so does this. */
interface Head {
  readonly boot_id: string
  /** Another one wherever the sums begin from nothing. */
  readonly epoch: string
}

type Line = readonly ['ended' | 'lost', FastFlow] | readonly ['sum', RelayCounters] | readonly ['lost_before', number]

export class FlowLog {
  readonly #path: string
  readonly head: Head
  readonly sums = new Map<number, RelayCounters>()
  /** Flows whose end nobody saw: what they carried since they were last seen is in no sum. */
  lost = 0
  #last = ''
  #left: string | null
  #lines = 0
  #file: number | null = null

  /** Goes on with what is there of this boot. */
  constructor(path: string, boot_id: string) {
    this.#path = path
    const found = writtenAt(path, boot_id)
    this.head = found?.head ?? { boot_id, epoch: randomUUID() }
    for (const line of found?.lines ?? []) this.#take(line)
    this.#left = this.#last
    this.#rewrite()
  }

  /** Whether there is one of this boot. */
  static isThere = (path: string, boot_id: string): boolean => writtenAt(path, boot_id) !== null

  /** Whether the first flow that waits is the one that a helper wrote down before it was killed. */
  isWritten(flow: FastFlow): boolean {
    const left = this.#left
    this.#left = null
    return left === text(['ended', flow])
  }

  ended(flow: FastFlow): void {
    this.#add(['ended', flow])
  }

  /** What it had carried when it was last seen. */
  lose(flow: FastFlow): void {
    this.#add(['lost', flow])
  }

  #add(line: Line): void {
    const written = text(line)
    this.#take(written)
    if (this.#file !== null) writeSync(this.#file, `${written}\n`)
    if (this.#lines > LINES_MAX) this.#rewrite()
  }

  #take(written: string): void {
    const line = JSON.parse(written) as Line
    this.#lines += 1
    this.#last = written
    if (line[0] === 'lost_before') this.lost += line[1]
    else addTo(this.sums, line[1])
    if (line[0] === 'lost') this.lost += 1
  }

  /**
   * The last line stays as it is, to be recognised. Nothing is waited for: a power cut ends all that is counted here.
   */
  #rewrite(): void {
    const lines: Line[] = [...this.sums.values()].map((one) => ['sum', one] as const)
    const fresh = `${this.#path}.new-${process.pid}`
    const last = this.#last.startsWith('["ended"') ? (JSON.parse(this.#last) as ['ended', FastFlow])[1] : null
    const before = last && { ...NOTHING, ...minus(this.sums.get(last.route_rule_id), last) }
    const sums = lines.map((line) =>
      before && line[0] === 'sum' && line[1].route_rule_id === last.route_rule_id ? (['sum', before] as const) : line,
    )
    const all: string[] = [
      JSON.stringify(this.head),
      text(['lost_before', this.lost]),
      ...sums.map(text),
      ...(last ? [this.#last] : []),
    ]
    writeFileSync(fresh, `${all.join('\n')}\n`, { mode: 0o600 })
    renameSync(fresh, this.#path)
    if (this.#file !== null) closeSync(this.#file)
    this.#file = openSync(this.#path, 'a')
    this.#lines = 0
  }

  close(): void {
    if (this.#file !== null) closeSync(this.#file)
    this.#file = null
  }
}

function minus(sum: RelayCounters | undefined, one: RelayCounters): RelayCounters {
  const of = sum ?? { ...NOTHING, route_rule_id: one.route_rule_id }
  return {
    route_rule_id: one.route_rule_id,
    tx_bytes: of.tx_bytes - one.tx_bytes,
    tx_packets: of.tx_packets - one.tx_packets,
    rx_bytes: of.rx_bytes - one.rx_bytes,
    rx_packets: of.rx_packets - one.rx_packets,
  }
}

const text = (line: Line): string => JSON.stringify(line)

/** A line that a kill cut short is none: its event still waits in the socket. */
const wholeLines = (content: string): string[] =>
  content
    .slice(0, content.lastIndexOf('\n') + 1)
    .split('\n')
    .filter((line) => line !== '')

const isHead = ({ boot_id, epoch }: Partial<Head>): boolean => typeof boot_id === 'string' && typeof epoch === 'string'

const isLine = (value: unknown): value is Line =>
  Array.isArray(value) &&
  (value[0] === 'lost_before' ? Number.isSafeInteger(value[1]) : LINES.includes(value[0]) && isCounted(value[1]))

const LINES: readonly unknown[] = ['ended', 'lost', 'sum'] satisfies Line[0][]

/** Whether it has the counters of a rule, as every line and every flow has. */
export const isCounted = (value: unknown): value is RelayCounters =>
  typeof value === 'object' &&
  value !== null &&
  ['route_rule_id', ...Object.keys(NOTHING)].every((key) =>
    Number.isSafeInteger((value as Record<string, unknown>)[key]),
  )

/**
 * Null where there is nothing of this boot. What cannot be made out is set aside, and counting begins again from
 * nothing.
 */
function writtenAt(path: string, boot_id: string): { readonly head: Head; readonly lines: string[] } | null {
  const [first, ...lines] = wholeLines(readOrEmpty(path))
  try {
    const head = first === undefined ? null : (JSON.parse(first) as Head)
    if ((head && !isHead(head)) || !lines.every((line) => isLine(JSON.parse(line))))
      throw new SyntaxError('It holds something else')
    return head?.boot_id === boot_id ? { head, lines } : null
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    renameSync(path, `${path}.damaged`)
    log('error', 'What flows of the fast path have carried cannot be made out, and is set aside', { path })
    return null
  }
}

export function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return ''
    throw error
  }
}
