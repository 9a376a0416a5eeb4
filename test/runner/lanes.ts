// Who runs what when. Tests wait as much as they compute, so there is a lane more than there are processors; the lab's
// machines compute all the time, so no more than one lane prefers them.
import { availableParallelism } from 'node:os'
import { divide } from './files.ts'
import type { Job } from './job.ts'
import type { Part } from './plan.ts'

export interface Lanes {
  /** Side by side, each in its order. */
  readonly lanes: readonly (readonly Take[])[]
  /** One after the other, once the lanes are empty. */
  readonly alone: readonly Job[]
}

/** Gives the next job of a queue that lanes may share, or undefined where it is empty. */
export type Take = () => Job | undefined

/** The host's lanes give way to the lab, whose clock runs on while it waits. */
const GIVES_WAY = 5

export function lanesOf(parts: readonly Part[]): Lanes {
  const isAlone = (part: Part): boolean => part.tier.among === 'alone'
  const isLab = (part: Part): boolean => part.tier.among === 'lab'
  const niceness = parts.some(isLab) ? GIVES_WAY : 0
  const lab = queue(parts.filter(isLab).flatMap((part) => jobsOf(part, 0)))
  const host = queue(parts.filter((part) => !isLab(part) && !isAlone(part)).flatMap((part) => jobsOf(part, niceness)))
  const hosts = Array.from({ length: Math.max(2, availableParallelism()) - 1 }, () => [host])
  return {
    lanes: [[lab, host], [host, lab], ...hosts],
    alone: parts.filter(isAlone).flatMap((part) => jobsOf(part, 0)),
  }
}

/** Returns the jobs of a tier, the longest first. */
function jobsOf({ tier, files }: Part, niceness: number): Job[] {
  const among = Math.ceil(files.length / (tier.batch ?? files.length))
  return divide(files, among).map((share) => ({ tier: tier.name, files: share, niceness }))
}

function queue(jobs: readonly Job[]): Take {
  const left = [...jobs]
  return () => left.shift()
}
