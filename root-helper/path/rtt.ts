// How long an answer took.
import type { EchoSent } from '../kernel/icmp/port.ts'

const RTT_MAX_US = 3_600_000_000
/** Between the note of when a packet left and the note of when it was asked to there is a little time. */
const SLACK_US = 1000

/** By the clock that never goes back. */
export interface SentAt extends EchoSent {
  readonly sent_ms: number
}

/** By the kernel's notes of both moments, unless the clock of the day was set meanwhile; then by the time that has gone by here. */
export function rttOf({ at_us, sent_ms }: SentAt, heard: { readonly at_us: number }, now: number): number {
  const noted = heard.at_us - at_us
  const most = (now - sent_ms) * 1000
  const rtt = noted >= 0 && noted <= most + SLACK_US ? noted : most
  return Math.min(RTT_MAX_US, Math.max(0, Math.round(rtt)))
}
