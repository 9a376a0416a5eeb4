// Reads the processor times of /proc/stat (proc_stat(5)) and computes their shares between two readings.
import type { CpuReading } from '@panel/shared/api/metrics.ts'
import { percent } from '../figures.ts'

/** In ticks since boot. Guest time is part of `user` and not counted twice. */
export interface CpuTimes {
  readonly user: number
  readonly system: number
  readonly iowait: number
  readonly steal: number
  readonly idle: number
}

/** The times by name; "cpu" is the sum. */
export function parseStat(text: string): Map<string, CpuTimes> {
  const times = new Map<string, CpuTimes>()
  for (const line of text.split('\n')) {
    const [name = '', ...fields] = line.split(/\s+/)
    if (!/^cpu\d*$/.test(name)) break
    const [user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0, steal = 0] = fields.map(Number)
    times.set(name, { user: user + nice, system: system + irq + softirq, iowait, steal, idle })
  }
  if (!times.has('cpu')) throw new Error('/proc/stat has no line of all processors')
  return times
}

const NEVER: CpuTimes = { user: 0, system: 0, iowait: 0, steal: 0, idle: 0 }

/** Without a previous reading: since boot. */
export function usage(name: string, now: CpuTimes, before: CpuTimes = NEVER): CpuReading {
  // The kernel sometimes corrects idle and iowait downwards (proc_stat(5)).
  const spent = (kind: keyof CpuTimes): number => Math.max(0, now[kind] - before[kind])
  const idle = spent('idle') + spent('iowait')
  const whole = idle + spent('user') + spent('system') + spent('steal')
  return {
    name,
    usage_percent: percent(whole - idle, whole),
    user_percent: percent(spent('user'), whole),
    system_percent: percent(spent('system'), whole),
    iowait_percent: percent(spent('iowait'), whole),
    steal_percent: percent(spent('steal'), whole),
    idle_percent: whole > 0 ? percent(spent('idle'), whole) : 100,
  }
}
