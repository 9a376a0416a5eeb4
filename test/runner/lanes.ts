// Who runs what when, on two processors: the lab's machine takes about one of them, so one lane prefers the lab and the
// other everything else.
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

/** The host's lane gives way to the lab, whose clock runs on while it waits. */
const GIVES_WAY = 5

export function lanesOf(parts: readonly Part[]): Lanes {
  const kind = (runs: Part['tier']['runs']): Part[] => parts.filter(({ tier }) => tier.runs === runs)
  const isShared = kind('files').length > 0
  const niceness = isShared ? GIVES_WAY : 0
  const jobs = ({ tier, files }: Part, among: number, nice: number): Job[] =>
    divide(files, among).map((share) => ({ tier: tier.name, files: share, niceness: nice }))
  const lab = queue(kind('files').flatMap((part) => jobs(part, part.files.length, 0)))
  const host = queue(kind('whole').flatMap((part) => jobs(part, 1, niceness)))
  const shares = queue(kind('shares').flatMap((part) => jobs(part, 2, niceness)))
  return {
    lanes: [
      [lab, shares],
      [host, shares, lab],
    ],
    alone: kind('alone').flatMap((part) => jobs(part, 1, 0)),
  }
}

function queue(jobs: readonly Job[]): Take {
  const left = [...jobs]
  return () => left.shift()
}
