// What all path checks share: one ICMP port, one timer, one budget.
import type { Icmp } from '../kernel/icmp/port.ts'
import { Budget } from './budget.ts'
import type { Clock } from './clock.ts'
import { Echoes } from './echoes.ts'
import { Schedule } from './schedule.ts'

export interface PathDeps {
  readonly clock: Clock
  readonly echoes: Echoes
  readonly schedule: Schedule
  readonly budget: Budget
}

/** Waiting answers are read ahead of every turn, so that none of them times out unread. */
export function openPathDeps(icmp: Icmp, clock: Clock): PathDeps {
  const echoes = new Echoes(icmp, clock)
  return { clock, echoes, schedule: new Schedule(clock, () => echoes.drain()), budget: new Budget() }
}
