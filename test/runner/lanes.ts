// Who runs what when. Tests wait as much as they compute, so there is a lane more than there are processors; the lab's
// machines compute all the time, so no more than one lane prefers them.
import { availableParallelism } from 'node:os'
import { divide } from './files.ts'
import type { Job } from './job.ts'
import type { Part } from './plan.ts'

/** Gives the next job of a queue that lanes may share, or undefined where it is empty. */
export type Take = () => Job | undefined

/** The host's lanes give way to the lab, whose clock runs on while it waits. */
const GIVES_WAY = 5

/** Returns the lanes, which run side by side, each its queues in their order. */
export function lanesOf(parts: readonly Part[]): (readonly Take[])[] {
  const isLab = (part: Part): boolean => part.tier.among === 'lab'
  const niceness = parts.some(isLab) ? GIVES_WAY : 0
  const lab = queue(parts.filter(isLab).flatMap((part) => jobsOf(part, 0)))
  const host = queue(parts.filter((part) => !isLab(part)).flatMap((part) => jobsOf(part, niceness)))
  const hosts = Array.from({ length: Math.max(2, availableParallelism()) - 1 }, () => [host])
  return [[lab, host], [host, lab], ...hosts]
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
