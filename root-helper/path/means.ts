// What all that asks a path shares: one port of the kernel, one timer, one budget.
import type { Icmp } from '../kernel/icmp/port.ts'
import { Budget } from './budget.ts'
import type { Clock } from './clock.ts'
import { Echoes } from './echoes.ts'
import { Schedule } from './schedule.ts'

export interface Means {
  readonly clock: Clock
  readonly echoes: Echoes
  readonly schedule: Schedule
  readonly budget: Budget
}

/** What has come is heard ahead of every turn, so that an answer that only waits to be read does not time out. */
export function meansOver(icmp: Icmp, clock: Clock): Means {
  const echoes = new Echoes(icmp, clock)
  return { clock, echoes, schedule: new Schedule(clock, () => echoes.drain()), budget: new Budget() }
}
