// Runs the checks of destinations: one for each thing to check however many rules share it, spread over time, and at
// most so many a second. Echo requests are sent by root.
import { jittered, type Sample } from './judge.ts'

/** What is checked. Rules with the same share the check. */
export interface CheckTarget {
  readonly kind: 'tcp' | 'http' | 'icmp'
  readonly address: string
  /** 0 of an echo request, which has none. */
  readonly port: number
  /** Null: the kernel chooses. */
  readonly source: string | null
  readonly path: string
  readonly host: string
  readonly expect_status: number | null
}

/** A destination that is checked, and how often. */
export interface Subscription {
  readonly id: number
  readonly target: CheckTarget
  readonly interval_ms: number
  readonly timeout_ms: number
}

export type RunCheck = (target: CheckTarget, timeout_ms: number) => Promise<Sample>

/** Who sends echo requests: `Prober` of the monitor. */
export interface Echoes {
  readonly set: (id: number, echo: Echo | null) => void
}
export interface Echo {
  readonly source: string
  readonly target: string
  readonly interval_ms: number
  readonly timeout_ms: number
}

export interface CheckerDeps {
  readonly run: RunCheck
  readonly echoes: Echoes
  readonly onSample: (id: number, sample: Sample) => void
  readonly random?: () => number
  readonly monotonic?: () => number
}

export const CHECKS_PER_SECOND_MAX = 500
/** Each wake of the process costs as much as several checks, so those of a tenth of a second go together. */
const TICK_MS = 100
const PER_TICK = (CHECKS_PER_SECOND_MAX * TICK_MS) / 1000

interface Check {
  readonly id: number
  readonly target: CheckTarget
  readonly subscribers: Map<number, Subscription & { due: number }>
  /** The tick in which it is due. */
  slot: number
  isRunning: boolean
}

export class Checker {
  readonly #deps: Required<CheckerDeps>
  readonly #checks = new Map<string, Check>()
  readonly #keys = new Map<number, string>()
  readonly #echoKeys = new Map<number, string>()
  readonly #slots = new Map<number, Set<Check>>()
  #late: Check[] = []
  #slot = 0
  #lastId = 0
  #timer: NodeJS.Timeout | null = null

  constructor(deps: CheckerDeps) {
    this.#deps = { random: Math.random, monotonic: () => performance.now(), ...deps }
    this.#slot = this.#slotAt(this.#deps.monotonic())
  }

  /** How many checks there are, and how many destinations they are for. */
  get size(): { readonly checks: number; readonly destinations: number } {
    return { checks: this.#checks.size, destinations: this.#keys.size }
  }

  /** Starts or changes the checking of a destination. */
  put(one: Subscription): void {
    const key = keyOf(one.target)
    const before = this.#keys.get(one.id)
    if (before !== undefined && before !== key) this.remove(one.id)
    const check = this.#checks.get(key) ?? this.#make(key, one.target)
    const known = check.subscribers.get(one.id)
    // The first check of a destination comes within the first interval, so that a thousand do not come at once.
    const now = this.#deps.monotonic()
    const due = known ? Math.min(known.due, now + one.interval_ms) : now + this.#deps.random() * one.interval_ms
    check.subscribers.set(one.id, { ...one, due })
    this.#keys.set(one.id, key)
    this.#schedule(check)
  }

  remove(id: number): void {
    const key = this.#keys.get(id)
    const check = key === undefined ? undefined : this.#checks.get(key)
    if (key === undefined || !check) return
    this.#keys.delete(id)
    check.subscribers.delete(id)
    if (check.subscribers.size > 0) return this.#schedule(check)
    this.#checks.delete(key)
    this.#slots.get(check.slot)?.delete(check)
    this.#echoKeys.delete(check.id)
    if (check.target.kind === 'icmp') this.#deps.echoes.set(check.id, null)
  }

  /** What an echo request came to. */
  echoed(id: number, sample: Sample): void {
    const check = this.#checks.get(this.#echoKeys.get(id) ?? '')
    if (!check) return
    const now = this.#deps.monotonic()
    const due = dueAt(check, now)
    for (const one of due) one.due = now + one.interval_ms
    this.#deliver(check, sample, due)
  }

  close(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    for (const id of [...this.#keys.keys()]) this.remove(id)
  }

  #make(key: string, target: CheckTarget): Check {
    const check: Check = { id: ++this.#lastId, target, subscribers: new Map(), slot: 0, isRunning: false }
    this.#checks.set(key, check)
    if (target.kind === 'icmp') this.#echoKeys.set(check.id, key)
    return check
  }

  #schedule(check: Check): void {
    if (check.target.kind === 'icmp') return this.#setEcho(check)
    this.#slots.get(check.slot)?.delete(check)
    const due = Math.min(...[...check.subscribers.values()].map((one) => one.due))
    check.slot = Math.max(this.#slot + 1, this.#slotAt(due))
    const slot = this.#slots.get(check.slot) ?? new Set()
    this.#slots.set(check.slot, slot.add(check))
    this.#timer ??= setTimeout(() => this.#tick(), TICK_MS)
  }

  #setEcho({ id, target, subscribers }: Check): void {
    const all = [...subscribers.values()]
    this.#deps.echoes.set(id, {
      source: target.source ?? '',
      target: target.address,
      interval_ms: Math.min(...all.map((one) => one.interval_ms)),
      timeout_ms: Math.max(...all.map((one) => one.timeout_ms)),
    })
  }

  #slotAt(at: number): number {
    return Math.floor(at / TICK_MS)
  }

  #tick(): void {
    this.#timer = null
    const now = this.#slotAt(this.#deps.monotonic())
    // After a pause of the process only the checks count that there are, not each slot that was missed.
    const due = now - this.#slot > this.#slots.size ? [...this.#slots.keys()].filter((at) => at <= now) : []
    if (due.length === 0) for (let at = this.#slot + 1; at <= now; at += 1) due.push(at)
    for (const at of due) {
      for (const check of this.#slots.get(at) ?? []) this.#late.push(check)
      this.#slots.delete(at)
    }
    this.#slot = Math.max(now, this.#slot)
    for (const check of this.#late.splice(0, PER_TICK)) void this.#run(check)
    if (this.#checks.size > 0 || this.#late.length > 0) this.#timer = setTimeout(() => this.#tick(), TICK_MS)
  }

  async #run(check: Check): Promise<void> {
    if (check.isRunning || check.subscribers.size === 0) return
    check.isRunning = true
    const began = this.#deps.monotonic()
    const due = dueAt(check, began)
    for (const one of due) one.due = began + jittered(one.interval_ms, this.#deps.random())
    const timeout_ms = Math.max(...due.map((one) => one.timeout_ms), 0)
    try {
      if (due.length > 0) this.#deliver(check, await this.#deps.run(check.target, timeout_ms), due)
    } finally {
      check.isRunning = false
      if (check.subscribers.size > 0) this.#schedule(check)
    }
  }

  /** A subscriber that left meanwhile hears no more of it. */
  #deliver(check: Check, sample: Sample, to: readonly Subscription[]): void {
    for (const { id, timeout_ms } of to)
      if (check.subscribers.has(id)) this.#deps.onSample(id, withinTimeout(sample, timeout_ms))
  }
}

const dueAt = ({ subscribers }: Check, now: number) =>
  [...subscribers.values()].filter((one) => one.due <= now + one.interval_ms / 10)

/** A sample within a rule's time-out: rules that share a check have time-outs of their own. */
const withinTimeout = (sample: Sample, timeout_ms: number): Sample =>
  sample.outcome === 'success' && sample.latency_ms !== null && sample.latency_ms > timeout_ms
    ? { ...sample, outcome: 'failure' }
    : sample

const keyOf = ({ kind, address, port, source, path, host, expect_status }: CheckTarget): string =>
  JSON.stringify([kind, address, port, source, ...(kind === 'http' ? [path, host, expect_status] : [])])
