// How long an answer took.
import type { EchoSent } from '../kernel/icmp/port.ts'

const RTT_MAX_US = 3_600_000_000
/** The kernel notes the time of sending slightly after the request to send. */
const SLACK_US = 1000

/** A sent echo, with its time by the monotonic clock. */
export interface SentAt extends EchoSent {
  readonly sent_ms: number
}

/** The round trip by the kernel's timestamps, or by the monotonic clock if the wall clock was set in between. */
export function roundTripUs({ at_us, sent_ms }: SentAt, received: { readonly at_us: number }, now: number): number {
  const byKernel = received.at_us - at_us
  const most = (now - sent_ms) * 1000
  const rtt = byKernel >= 0 && byKernel <= most + SLACK_US ? byKernel : most
  return Math.min(RTT_MAX_US, Math.max(0, Math.round(rtt)))
}
