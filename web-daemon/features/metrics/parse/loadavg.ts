// Reads /proc/loadavg (proc_loadavg(5)).
import type { LoadReading } from '@panel/shared/api/metrics.ts'

export const NO_LOAD: LoadReading = { one: 0, five: 0, fifteen: 0, running_tasks: 0, total_tasks: 0 }

export function parseLoad(text: string): LoadReading {
  const found = /^([\d.]+) ([\d.]+) ([\d.]+) (\d+)\/(\d+) /.exec(text)
  if (!found) throw new Error(`/proc/loadavg says "${text.trim().slice(0, 80)}"`)
  const [one = 0, five = 0, fifteen = 0, running_tasks = 0, total_tasks = 0] = found.slice(1).map(Number)
  return { one, five, fifteen, running_tasks, total_tasks }
}
