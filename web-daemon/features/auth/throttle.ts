// Limits password guessing per account name, whether or not it exists, and per address (decisions.md, A12). An account
// itself is never locked.
import { clientNetwork } from '../../platform/network/client-network.ts'
import { SlidingWindow } from '../../platform/limits/sliding-window.ts'
import { throwRateLimited } from '../../platform/limits/refuse.ts'
import type { SettingsReader } from '../../platform/settings.ts'

export const LIMITS = {
  attempts_per_minute_per_address: 20,
  refreshes_per_minute_per_address: 60,
  failures_in_a_row_per_address: 5,
} as const

const MINUTE_MS = 60_000

export interface Attempt {
  succeeded(): void
  /** It was not compared with anything. */
  withdraw(): void
}

/** What was not compared is no failure. */
export const withdrawing =
  (attempt: Attempt) =>
  (failure: unknown): never => {
    attempt.withdraw()
    throw failure
  }

export class Throttle {
  readonly #now: () => Date
  readonly #settings: SettingsReader
  #failures: SlidingWindow
  /** The failures of names, tried from one address that the operator has used before. */
  #knownFailures: SlidingWindow
  /** The confirmations of the password by session. */
  #confirmations: SlidingWindow
  readonly #attempts: SlidingWindow
  readonly #refreshes: SlidingWindow
  readonly #unknownTokens: SlidingWindow
  #inARow: FailuresInARow
  #changed: string | null = null

  constructor(now: () => Date, settings: SettingsReader) {
    this.#now = now
    this.#settings = settings
    this.#failures = this.#noFailures()
    this.#knownFailures = this.#noFailures()
    this.#confirmations = this.#noFailures()
    this.#attempts = new SlidingWindow(LIMITS.attempts_per_minute_per_address, MINUTE_MS, now)
    this.#refreshes = new SlidingWindow(LIMITS.refreshes_per_minute_per_address, MINUTE_MS, now)
    this.#unknownTokens = new SlidingWindow(LIMITS.attempts_per_minute_per_address, MINUTE_MS, now)
    this.#inARow = this.#noneInARow()
  }

  /**
   * Failed attempts no longer count once the password has changed, so an operator with a new password need not wait.
   * They are dropped for every name: dropping them for one would reveal that it exists. `changed`: when the account
   * last changed.
   */
  onAccountChanged(changed: string | null): void {
    if (this.#changed !== null && changed !== this.#changed) {
      this.#failures = this.#noFailures()
      this.#knownFailures = this.#noFailures()
      this.#inARow = this.#noneInARow()
    }
    this.#changed = changed
  }

  /**
   * Call it before the password is compared. The attempt counts as a failure until it succeeds, so concurrent guesses
   * cannot outrun the count. `isKnown`: the operator has signed in from that address before, so what others guess is
   * not counted against it.
   */
  begin(username: string, client_ip: string, isKnown: boolean): Attempt {
    const address = clientNetwork(client_ip)
    const name = username.toLowerCase()
    const account = isKnown ? `${address} ${name}` : name
    const failures = isKnown ? this.#knownFailures : this.#failures
    const now = this.#now().getTime()
    throwRateLimited(
      Math.max(
        this.#inARow.secondsToWait(address, now),
        this.#attempts.secondsToWait(address),
        failures.secondsToWait(account),
      ),
    )
    this.#attempts.add(address)
    failures.add(account)
    this.#inARow.add(address, now)
    return {
      succeeded: () => {
        failures.takeBack(account)
        this.#inARow.clear(address)
      },
      withdraw: () => {
        failures.takeBack(account)
        this.#inARow.takeBack(address)
      },
    }
  }

  /** Begins a confirmation: a signed-in operator gives the password once more. */
  beginConfirmation(key: string): Attempt {
    const now = this.#now().getTime()
    throwRateLimited(Math.max(this.#inARow.secondsToWait(key, now), this.#confirmations.secondsToWait(key)))
    this.#confirmations.add(key)
    this.#inARow.add(key, now)
    return {
      succeeded: () => {
        this.#confirmations.takeBack(key)
        this.#inARow.clear(key)
      },
      withdraw: () => {
        this.#confirmations.takeBack(key)
        this.#inARow.takeBack(key)
      },
    }
  }

  beginSetup(client_ip: string): void {
    this.#admit(this.#attempts, client_ip)
  }

  /** Counts unknown tokens; known ones never wait for a stranger's guesses. */
  countUnknownToken(client_ip: string): void {
    this.#admit(this.#unknownTokens, client_ip)
  }

  beginRefresh(client_ip: string): void {
    this.#admit(this.#refreshes, client_ip)
  }

  #noFailures(): SlidingWindow {
    return new SlidingWindow(() => this.#settings.get('security.login_rate_limit_per_minute'), MINUTE_MS, this.#now)
  }

  #noneInARow(): FailuresInARow {
    return new FailuresInARow(() => this.#settings.get('security.login_lockout_minutes') * MINUTE_MS)
  }

  #admit(window: SlidingWindow, client_ip: string): void {
    const address = clientNetwork(client_ip)
    throwRateLimited(window.secondsToWait(address))
    window.add(address)
  }
}

class FailuresInARow {
  readonly #addresses = new Map<string, { failures: number; last: number }>()
  readonly #lockoutMs: () => number

  constructor(lockoutMs: () => number) {
    this.#lockoutMs = lockoutMs
  }

  secondsToWait(address: string, now: number): number {
    const entry = this.#addresses.get(address)
    if (!entry || entry.failures < LIMITS.failures_in_a_row_per_address || this.#isOver(entry.last, now)) return 0
    return Math.ceil((entry.last + this.#lockoutMs() - now) / 1000)
  }

  add(address: string, now: number): void {
    for (const [other, { last }] of this.#addresses) if (this.#isOver(last, now)) this.#addresses.delete(other)
    const failures = (this.#addresses.get(address)?.failures ?? 0) + 1
    this.#addresses.set(address, { failures, last: now })
  }

  /** A run of failures ends when the last one is older than the lockout, or from when the clock was ahead. */
  #isOver(last: number, now: number): boolean {
    return last > now || last + this.#lockoutMs() <= now
  }

  takeBack(address: string): void {
    const entry = this.#addresses.get(address)
    if (entry) this.#addresses.set(address, { ...entry, failures: Math.max(0, entry.failures - 1) })
  }

  clear(address: string): void {
    this.#addresses.delete(address)
  }
}
