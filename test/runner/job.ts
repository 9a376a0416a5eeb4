// One mocha process over some files of a tier, and what came of it.
import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FileTime } from './files.ts'
import { SuiteOutput } from './output.ts'

export interface Count {
  passed: number
  failed: number
  skipped: number
}

export interface Failure {
  readonly title: string
  readonly file: string
  readonly error: string
}

/** The report of test/support/reporter.cjs, with the time. */
export interface Report extends Count {
  readonly failures: readonly Failure[]
  readonly files: readonly FileTime[]
  /** The time of the whole process. */
  readonly ms: number
  /** Files that ran a second time, since the lab's machine had crashed under them. */
  readonly repeated: readonly string[]
}

export interface Job {
  readonly tier: string
  readonly files: readonly string[]
  /** More than 0 where something else has priority on the processor. */
  readonly niceness: number
}

const reports = mkdtempSync(join(tmpdir(), 'panel-tiers-'))
process.once('exit', () => rmSync(reports, { recursive: true }))
const running = new Set<ChildProcess>()
let lastNumber = 0

/** An emulator that crashed says nothing of the panel, so its files run once more. A second crash is a failure. */
export async function runJob(job: Job, lane: number): Promise<Report> {
  const crashes = join(reports, `crashes-${(lastNumber += 1)}`)
  const report = await runOnce(job, lane, crashes)
  if (report.failed === 0 || !existsSync(crashes)) return report
  const second = await runOnce(job, lane, crashes)
  return { ...second, ms: report.ms + second.ms, repeated: job.files }
}

async function runOnce({ tier, files, niceness }: Job, lane: number, crashes: string): Promise<Report> {
  const path = join(reports, `${tier}-${(lastNumber += 1)}.json`)
  const started = Date.now()
  const code = await mocha(tier, niceness, ['--reporter', 'test/support/reporter.cjs', ...files], {
    PANEL_TIER_REPORT: path,
    PANEL_LAB_CRASHES: crashes,
    PANEL_LAB_LANE: String(lane),
  })
  const counted = existsSync(path)
    ? (JSON.parse(readFileSync(path, 'utf8')) as Omit<Report, 'ms' | 'repeated'>)
    : { passed: 0, failed: 1, skipped: 0, failures: [], files: [] }
  const report: Report = { ...counted, repeated: [], ms: Date.now() - started }
  // A run that mocha calls failed, or in which nothing ran, is a failure whatever was counted.
  const isUncounted = code !== 0 && report.failed === 0
  const isEmpty = report.passed + report.failed + report.skipped === 0
  return isUncounted || isEmpty ? { ...report, failed: report.failed + 1 } : report
}

/** Resolves with the exit code, or null where a signal ended it. */
function mocha(
  tier: string,
  niceness: number,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<number | null> {
  const limit = process.env['PANEL_TEST_LIMIT_MS']
  const command = [
    ...[process.execPath, 'node_modules/mocha/bin/mocha.js', '--import=tsx'],
    ...(limit === undefined ? [] : ['--timeout', limit]),
    ...args,
  ]
  const output = new SuiteOutput(tier)
  const child = spawn('nice', ['-n', String(niceness), ...command], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  })
  running.add(child)
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => output.write(text))
  return new Promise((resolve, reject) =>
    child.once('error', reject).once('close', (code) => {
      running.delete(child)
      output.end()
      resolve(code)
    }),
  )
}

/** Stops all jobs when a signal ends the runner; the lab's machines end with the process that started them. */
export function stopAll(): void {
  for (const child of running) child.kill('SIGTERM')
}
