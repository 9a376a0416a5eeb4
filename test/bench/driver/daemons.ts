// What the daemons that run in this driver's network namespace have cost so far, as the kernel counts it.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import type { Costs } from './jobs.ts'

/** The length of a clock tick. Linux reports 100 to a second to programs on every machine (USER_HZ). */
const TICK_MS = 10

export interface Daemons {
  readonly helper: number
  readonly web: number
}

export function daemonsHere(): Daemons {
  const here = readlinkSync('/proc/self/ns/net')
  const pids = readdirSync('/proc').filter(
    (name) => /^\d+$/.test(name) && attempt(() => readlinkSync(`/proc/${name}/ns/net`)) === here,
  )
  return { helper: running(pids, 'helper.cjs'), web: running(pids, 'web.cjs') }
}

/** Resident memory in bytes, at its highest so far. */
export const memoryOf = ({ helper, web }: Daemons): Costs => ({ helper: memoryOfOne(helper), web: memoryOfOne(web) })
export const memoryOfOne = (pid: number): number =>
  Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024

/** Milliseconds of processor time, all threads together. */
export const processorTimeOf = ({ helper, web }: Daemons): Costs => ({
  helper: processorTimeOfOne(helper),
  web: processorTimeOfOne(web),
})

export function processorTimeOfOne(pid: number): number {
  // proc(5): the name in brackets may hold anything; utime and stime are the 12th and 13th words after it.
  const words = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
  return (Number(words[11]) + Number(words[12])) * TICK_MS
}

function running(pids: readonly string[], program: string): number {
  const pid = pids.find((each) =>
    attempt(() => readFileSync(`/proc/${each}/cmdline`, 'utf8'))
      ?.split('\0')
      .some((word) => word.endsWith(`/${program}`)),
  )
  if (pid === undefined) throw new Error(`No process of this network namespace runs ${program}`)
  return Number(pid)
}

/** A process may end while it is looked at. */
function attempt<T>(look: () => T): T | null {
  try {
    return look()
  } catch {
    return null
  }
}
