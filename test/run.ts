// npm test: tiers side by side, and one closing line that counts all of them. Words name tiers; none means all but those
// of machines, which `all` adds; `quick` and `soak` are runs of their own.
import { delimiter, relative } from 'node:path'
import { rememberTimes } from './runner/files.ts'
import { runJob, stopAll, type Count, type Job, type Report } from './runner/job.ts'
import { lanesOf } from './runner/lanes.ts'
import { ONLY_WITH_ALL, plan, type Part } from './runner/plan.ts'

const SLOWEST = 10
const isCi = process.env['CI'] === 'true'
process.env['PATH'] = [process.env['PATH'], '/usr/sbin', '/sbin'].join(delimiter)

interface Outcome extends Report {
  readonly tier: string
  /** What the closing lines say of the tier. */
  readonly line: string
}

const NONE: Report = { passed: 0, failed: 0, skipped: 0, failures: [], files: [], ms: 0, repeated: [] }

async function cannotRun(parts: readonly Part[]): Promise<Outcome[]> {
  const reasons = await Promise.all(parts.map(async ({ tier }) => ({ tier: tier.name, why: await tier.missing() })))
  return reasons
    .filter(({ why }) => why !== null)
    .map(({ tier, why }) => ({
      ...NONE,
      failed: isCi ? 1 : 0,
      skipped: 1,
      tier,
      line: `${tier}: cannot run here: ${why}`,
    }))
}

async function runAll(parts: readonly Part[]): Promise<Outcome[]> {
  const reports = new Map<string, Report>()
  const run = async (job: Job, lane: number): Promise<void> => {
    const report = await runJob(job, lane)
    reports.set(job.tier, joined(reports.get(job.tier) ?? NONE, report))
  }
  await Promise.all(
    lanesOf(parts).map(async (takes, lane) => {
      for (const take of takes) for (let job = take(); job; job = take()) await run(job, lane)
    }),
  )
  return [...reports].map(([tier, report]) => outcomeOf(tier, report))
}

function joined(one: Report, other: Report): Report {
  return {
    passed: one.passed + other.passed,
    failed: one.failed + other.failed,
    skipped: one.skipped + other.skipped,
    failures: [...one.failures, ...other.failures],
    files: [...one.files, ...other.files],
    ms: one.ms + other.ms,
    repeated: [...one.repeated, ...other.repeated],
  }
}

function outcomeOf(tier: string, report: Report): Outcome {
  const failed = report.failed + (isCi ? report.skipped : 0)
  const counted = `${report.passed} passed, ${failed} failed, ${report.skipped} skipped`
  const again =
    report.repeated.length > 0 ? `; its machine crashed, so it ran again: ${report.repeated.join(', ')}` : ''
  return { ...report, failed, tier, line: `${tier}: ${counted} in ${(report.ms / 1000).toFixed(1)} s${again}` }
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
const words = process.argv.slice(2)
const parts = plan(words)
const impossible = await cannotRun(parts)
const possible = parts.filter(({ tier }) => !impossible.some((one) => one.tier === tier.name))
const outcomes = [...impossible, ...(await runAll(possible))]
rememberTimes(outcomes.flatMap(({ files }) => files))
outcomes.forEach(printSlowest)
// All of it once more at the end, since a log of an hour is often kept by its last lines alone.
for (const { title, file, error } of outcomes.flatMap(({ failures }) => failures))
  console.log(`\n✘ ${title}\n  ${relative('.', file)}\n${error.slice(0, 4000)}`)
console.log(
  `\n${outcomes.map(({ line }) => `   ${line}`).join('\n')}\n   all of it in ${((Date.now() - started) / 1000).toFixed(1)} s`,
)
if (words.length === 0)
  console.log(
    `\nnpm run test:all runs ${ONLY_WITH_ALL.join(', ')} too: the installed package and GRE on a Debian 13 machine, and other versions of Node`,
  )
console.log(
  `\n${sum(outcomes, 'passed')} passed, ${sum(outcomes, 'failed')} failed, ${sum(outcomes, 'skipped')} skipped`,
)
process.exit(sum(outcomes, 'failed') > 0 ? 1 : 0)
