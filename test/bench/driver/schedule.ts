// When echo requests leave this driver's network namespace, by the kernel's own count of them.
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Schedule } from './jobs.ts'

const LOOK_MS = 5
const PARTS = 10

/** Counts for so many seconds, each in tenths. What is seen late by a look counts where it is seen. */
export async function scheduleOf(seconds: number): Promise<Schedule> {
  const counts = Array.from({ length: seconds }, () => new Array<number>(PARTS).fill(0))
  const began = performance.now()
  for (let before = echoesSent(); ; await sleep(LOOK_MS)) {
    const now = echoesSent()
    const part = Math.floor(((performance.now() - began) * PARTS) / 1000)
    const second = counts[Math.floor(part / PARTS)]
    if (!second)
      return {
        largest: counts.map((parts) => Math.max(...parts)),
        sent: counts.map((parts) => parts.reduce((sum, count) => sum + count, 0)),
      }
    second[part % PARTS] = (second[part % PARTS] ?? 0) + now - before
    before = now
  }
}

/** RFC 1213, icmpOutEchos: requests from raw sockets are among them. */
function echoesSent(): number {
  const [names, values] = readFileSync('/proc/self/net/snmp', 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('Icmp:'))
    .map((line) => line.split(' '))
  const count = Number(values?.[names?.indexOf('OutEchos') ?? -1])
  if (Number.isNaN(count)) throw new Error('The kernel does not tell how many echo requests were sent')
  return count
}
