// A day that has gone by, for pictures: a tunnel with a slow evening and a break, a rule with the traffic of people who
// sleep, and the host that carries both.
import { emptyBucket, stateSeverity } from '@panel/web-daemon/features/monitor/bucket.ts'
import { addBuckets } from '@panel/web-daemon/features/monitor/store.ts'
import { saveTraffic } from '@panel/web-daemon/features/traffic/store.ts'
import type { Host } from './host.ts'
import { addHostBuckets } from '../../support/intervals.ts'

/** The interval at which the panel stores. */
const STEP_S = 60
const STEPS = 24 * 60
const PROBES = 60
export const BREAK = { from: 1000, to: 1030 }

/** The load of the day, from 0 at the quietest to 1 at the busiest. */
const busyAt = (step: number): number => (1 - Math.cos((2 * Math.PI * step) / STEPS)) / 2 + 0.04 * Math.sin(step / 9)
/** When a step of the day began, in seconds since 1970. */
export type StartOf = (step: number) => number
/** The start of the day up to now: a later look requests the same one, since the minute may have turned. */
const dayUpToNow = (): StartOf => {
  const end = Math.floor(Date.now() / 1000 / STEP_S) * STEP_S
  return (step) => end - (STEPS - step) * STEP_S
}
const steps = Array.from({ length: STEPS }, (_, step) => step)

export async function giveHistory({ db }: Host, tunnel_id: number): Promise<StartOf> {
  const startOf = dayUpToNow()
  await addBuckets(
    db,
    steps.map((step) => {
      const isBroken = step >= BREAK.from && step < BREAK.to
      const lost = isBroken ? PROBES : Math.max(0, Math.round(8 * busyAt(step) - 7))
      const rtt_us = 24_000 + Math.round(15_000 * busyAt(step) ** 2)
      const received_count = PROBES - lost
      const worst_severity = stateSeverity(isBroken ? 'Down' : lost > 0 ? 'Degraded' : 'Up')
      const spread = isBroken
        ? { rtt_min_us: null, rtt_max_us: null }
        : { rtt_min_us: rtt_us - 2000, rtt_max_us: rtt_us + 9000 }
      return {
        ...emptyBucket(tunnel_id, startOf(step)),
        sent_count: PROBES,
        received_count,
        rtt_sum_us: rtt_us * received_count,
        ...spread,
        jitter_sum_us: 900 * received_count,
        jitter_count: received_count,
        worst_severity,
        tx_bytes: isBroken ? 0 : Math.round(30_000_000 * busyAt(step) ** 2),
        rx_bytes: isBroken ? 0 : Math.round(200_000_000 * busyAt(step) ** 2),
        [isBroken ? 'down_ms' : lost > 0 ? 'degraded_ms' : 'up_ms']: STEP_S * 1000,
      }
    }),
  )
  return startOf
}

/** Some minutes in which the panel knew the tunnel, and could measure nothing. */
export async function giveUnmeasured({ db }: Host, tunnel_id: number): Promise<void> {
  const startOf = dayUpToNow()
  const worst_severity = stateSeverity('Unknown')
  await addBuckets(
    db,
    steps.slice(-5).map((step) => ({ ...emptyBucket(tunnel_id, startOf(step)), worst_severity })),
  )
}

export async function giveTraffic({ db }: Host, route_rule_id: number): Promise<void> {
  const startOf = dayUpToNow()
  const buckets = steps.map((step) => {
    const packets = Math.round(8_000 * Math.max(0, busyAt(step)))
    return {
      route_rule_id,
      bucket_start: startOf(step),
      tx_bytes: packets * 90,
      rx_bytes: packets * 1300,
      tx_packets: packets,
      rx_packets: packets,
      active_connections: Math.round(packets / 80),
      new_connections: Math.round(packets / 50),
    }
  })
  await db
    .transaction()
    .execute((transaction) => saveTraffic(transaction, new Map(), buckets, new Date().toISOString()))
}

export async function giveHostHistory({ db }: Host): Promise<void> {
  const startOf = dayUpToNow()
  await addHostBuckets(
    db,
    steps.map((step) => {
      const cpu = Math.round(1000 + 6000 * busyAt(step))
      return {
        bucket_start: startOf(step),
        cpu_count: 60,
        cpu_sum: 60 * cpu,
        cpu_max: Math.min(10_000, cpu + 1100),
        memory_count: 60,
        memory_sum: 60 * 8100,
        memory_max: 8200,
        disk_max: 4200,
        rx_bytes: Math.round(400_000_000 * Math.max(0, busyAt(step))),
        tx_bytes: Math.round(390_000_000 * Math.max(0, busyAt(step))),
      }
    }),
  )
}
