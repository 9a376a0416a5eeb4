// What the checks of a destination come to: up or down after so many in a row, and held out while it flaps. Pure.
import { message, type Message } from '@panel/shared/messages/message.ts'

export interface CheckRules {
  readonly fall: number
  readonly rise: number
  readonly interval_ms: number
}

/** One check. A port that refuses says so at once; silence has to last. */
export interface Sample {
  readonly outcome: 'success' | 'failure' | 'refused'
  readonly reason: Message
  readonly latency_ms: number | null
}

export interface Judgement {
  readonly state: 'unknown' | 'up' | 'down'
  readonly reason: Message
  /** In a row. */
  readonly successes: number
  readonly failures: number
  /** When it went from up to down or back, as far as that still counts. */
  readonly flips: readonly number[]
}

/** Flips count for so long, and nobody is held out for longer. */
export const FLIPS_COUNT_MS = 600_000
/** So many of them are flapping. */
export const FLAPPING = 3

export const UNDECIDED: Judgement = {
  state: 'unknown',
  reason: message('check.never'),
  successes: 0,
  failures: 0,
  flips: [],
}

export function judge(before: Judgement, sample: Sample, rules: CheckRules, now: number): Judgement {
  const flips = recent(before.flips, now)
  const isSuccess = sample.outcome === 'success'
  const successes = isSuccess ? before.successes + 1 : 0
  const failures = isSuccess ? 0 : before.failures + 1
  const counted = { ...before, flips, successes, failures }
  if (isSuccess) {
    if (before.state !== 'down') return { ...counted, state: 'up', reason: sample.reason }
    if (successes < riseOf(rules, flips)) return { ...counted, reason: heldOut(sample.reason, rules, counted, now) }
    return { ...counted, state: 'up', reason: sample.reason, flips: [...flips, now] }
  }
  // A failure that does not decide changes nothing in the report, except for a destination that is down already.
  if (before.state === 'down') return { ...counted, reason: sample.reason }
  if (sample.outcome !== 'refused' && failures < rules.fall) return counted
  return down(counted, sample.reason, rules, now)
}

/** At once, whatever the checks say: nothing behind a tunnel that is down can be reached. */
export function downWithTunnel(before: Judgement, reason: Message, rules: CheckRules, now: number): Judgement {
  const counted = { ...before, flips: recent(before.flips, now), successes: 0 }
  return before.state === 'down' ? { ...counted, reason } : down(counted, reason, rules, now)
}

function down(before: Judgement, why: Message, rules: CheckRules, now: number): Judgement {
  const flips = before.state === 'up' ? [...before.flips, now] : before.flips
  const after = { ...before, state: 'down' as const, successes: 0, flips }
  return { ...after, reason: heldOut(why, rules, after, now) }
}

/**
 * The number of successes in a row that are required: twice as many with each flip too many, but for ten minutes at
 * most.
 */
export function riseOf({ rise, interval_ms }: CheckRules, flips: readonly number[]): number {
  if (flips.length < FLAPPING) return rise
  const most = Math.max(rise, Math.ceil(FLIPS_COUNT_MS / interval_ms))
  return Math.min(most, rise * 2 ** Math.min(flips.length - FLAPPING + 1, 30))
}

function heldOut(why: Message, rules: CheckRules, { flips, successes }: Judgement, now: number): Message {
  if (flips.length < FLAPPING) return why
  const until = new Date(now + (riseOf(rules, flips) - successes) * rules.interval_ms)
  return message('check.flapping', { why, until: until.toISOString() })
}

const recent = (flips: readonly number[], now: number): number[] => flips.filter((at) => now - at < FLIPS_COUNT_MS)

/** Somewhat sooner than the interval, so that checks that began together spread, and never later. */
export const jittered = (interval_ms: number, random: number): number => Math.round(interval_ms * (0.9 + 0.1 * random))
