// Loaded into a daemon beside its own code: from one SIGUSR2 to the next it looks at how long the event loop is held
// up, and then writes the longest time.
import { writeFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { join } from 'node:path'
import type { Stall } from './jobs.ts'

/** What is recorded is the time from one look to the next, of which this much is no delay. */
const RESOLUTION_MS = 10

const folder = process.env['PANEL_BENCH_STALLS'] ?? ''
let end: (() => Stall) | null = null

process.on('SIGUSR2', () => {
  if (end) writeFileSync(join(folder, `${process.pid}`), JSON.stringify(end()))
  end = end ? null : begin()
})

/** The clock of the wall tells of other programs too, that of the processor only of this one. */
function begin(): () => Stall {
  const looking = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  looking.enable()
  let worked_us = 0
  let before = process.cpuUsage()
  const timer = setInterval(() => {
    const { user, system } = process.cpuUsage(before)
    worked_us = Math.max(worked_us, user + system)
    before = process.cpuUsage()
  }, RESOLUTION_MS)
  return () => {
    clearInterval(timer)
    looking.disable()
    return { held_ms: Math.max(0, looking.max / 1e6 - RESOLUTION_MS), worked_ms: worked_us / 1000 }
  }
}
