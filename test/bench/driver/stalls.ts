// Loaded into a daemon beside its own code: from one SIGUSR2 to the next it looks at how long the event loop is held up, and then writes the longest time.
import { writeFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { join } from 'node:path'

/** What is recorded is the time from one look to the next, of which this much is no delay. */
export const RESOLUTION_MS = 10

const folder = process.env['PANEL_BENCH_STALLS'] ?? ''
let looking: ReturnType<typeof monitorEventLoopDelay> | null = null

process.on('SIGUSR2', () => {
  if (looking) {
    looking.disable()
    writeFileSync(join(folder, `${process.pid}`), `${Math.max(0, looking.max / 1e6 - RESOLUTION_MS)}`)
    looking = null
    return
  }
  looking = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  looking.enable()
})
