// npm test: tiers side by side, and one closing line that counts all of them. Words name tiers; none means all; `quick` and `soak` are runs of their own.
import { delimiter, relative } from 'node:path'
import { divide, rememberTimes } from './runner/files.ts'
import { runJob, stopAll, type Count, type Report } from './runner/job.ts'
import { plan, type Part } from './runner/plan.ts'

const SLOWEST = 10
const isCi = process.env['CI'] === 'true'
process.env['PATH'] = [process.env['PATH'], '/usr/sbin', '/sbin'].join(delimiter)

interface Outcome extends Report {
  readonly tier: string
  /** What the closing lines say of the tier. */
  readonly line: string
}

async function runPart({ tier, files }: Part, processes: number, niceness: number): Promise<Outcome> {
  const why = await tier.missing()
  const none: Report = { passed: 0, failed: isCi ? 1 : 0, skipped: 1, failures: [], files: [] }
  if (why !== null) return { ...none, tier: tier.name, line: `${tier.name}: cannot run here: ${why}` }
  const started = Date.now()
  const shares = divide(files, tier.isDivisible ? processes : 1)
  const reports = await Promise.all(shares.map((share) => runJob({ tier: tier.name, files: share, niceness })))
  const report = reports.reduce(joined)
  const failed = report.failed + (isCi ? report.skipped : 0)
  const seconds = ((Date.now() - started) / 1000).toFixed(1)
  const line = `${tier.name}: ${report.passed} passed, ${failed} failed, ${report.skipped} skipped in ${seconds} s`
  console.log(`\n   ${line}`)
  return { ...report, failed, tier: tier.name, line }
}

function joined(one: Report, other: Report): Report {
  return {
    passed: one.passed + other.passed,
    failed: one.failed + other.failed,
    skipped: one.skipped + other.skipped,
    failures: [...one.failures, ...other.failures],
    files: [...one.files, ...other.files],
  }
}

async function inTurn(parts: readonly Part[], processes: number, niceness: number): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  for (const part of parts) outcomes.push(await runPart(part, processes, niceness))
  return outcomes
}

/** The lab beside the host's tiers, which leave it the processor when it wants one; then what wants the machine for itself. */
async function runAll(parts: readonly Part[]): Promise<Outcome[]> {
  const together = parts.filter(({ tier }) => !tier.isAlone)
  const [host, lab] = (['host', 'lab'] as const).map((lane) => together.filter(({ tier }) => tier.lane === lane))
  const isShared = host !== undefined && host.length > 0 && lab !== undefined && lab.length > 0
  const outcomes = await Promise.all([inTurn(lab ?? [], 1, 0), inTurn(host ?? [], 2, isShared ? 5 : 0)])
  const alone = await inTurn(
    parts.filter(({ tier }) => tier.isAlone),
    1,
    0,
  )
  return [...outcomes.flat(), ...alone]
}

function printSlowest({ tier, files }: Outcome): void {
  const slowest = [...files].sort((one, other) => other.ms - one.ms).slice(0, SLOWEST)
  if (slowest.length === 0) return
  console.log(`\nThe slowest files of ${tier}:`)
  for (const { file, ms } of slowest) console.log(`${(ms / 1000).toFixed(1).padStart(8)} s  ${file}`)
}

function sum(counts: readonly Count[], key: keyof Count): number {
  return counts.reduce((total, count) => total + count[key], 0)
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.once(signal, () => {
    stopAll()
    process.exit(1)
  })
const started = Date.now()
const outcomes = await runAll(plan(process.argv.slice(2)))
rememberTimes(outcomes.flatMap(({ files }) => files))
outcomes.forEach(printSlowest)
// All of it once more at the end, since a log of an hour is often kept by its last lines alone.
for (const { title, file, error } of outcomes.flatMap(({ failures }) => failures))
  console.log(`\n✘ ${title}\n  ${relative('.', file)}\n${error.slice(0, 4000)}`)
console.log(
  `\n${outcomes.map(({ line }) => `   ${line}`).join('\n')}\n   all of it in ${((Date.now() - started) / 1000).toFixed(1)} s`,
)
console.log(
  `\n${sum(outcomes, 'passed')} passed, ${sum(outcomes, 'failed')} failed, ${sum(outcomes, 'skipped')} skipped`,
)
process.exit(sum(outcomes, 'failed') > 0 ? 1 : 0)
