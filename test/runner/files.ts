// Which test files a tier has, and how they are divided among processes: by the time that each took when it last ran
// here.
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

export interface FileTime {
  readonly file: string
  readonly ms: number
}

const TIMES = '.build/test/times.json'
/** The guess for each byte of a file that never ran here. */
const GUESS_MS = 0.1
/** Their sizes say little, since they boot machines or import their suites, and begun last they alone prolong a run. */
const LONG_MS: Readonly<Record<string, number>> = {
  'test/vm/package.test.ts': 500_000,
  'test/vm/answers.test.ts': 500_000,
  'test/story/page.test.ts': 400_000,
  'test/vm/fast-path.test.ts': 250_000,
  'test/vm/networks.test.ts': 200_000,
}

export function filesOf(tier: string): string[] {
  return readdirSync(join('test', tier), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => join('test', tier, name))
    .sort()
}

/** The longest first, each to the share that has the least so far. */
export function divide(files: readonly string[], among: number): string[][] {
  const times = lastTimes()
  const timeOf = (file: string): number => times[file] ?? LONG_MS[file] ?? statSync(file).size * GUESS_MS
  const shares = Array.from({ length: among }, () => ({ ms: 0, files: [] as string[] }))
  for (const file of [...files].sort((one, other) => timeOf(other) - timeOf(one))) {
    const [least] = [...shares].sort((one, other) => one.ms - other.ms)
    least?.files.push(file)
    if (least) least.ms += timeOf(file)
  }
  return shares.map((share) => share.files.sort()).filter((share) => share.length > 0)
}

export function rememberTimes(measured: readonly FileTime[]): void {
  const now = Object.fromEntries(measured.map(({ file, ms }) => [file, ms]))
  mkdirSync(dirname(TIMES), { recursive: true })
  writeFileSync(TIMES, JSON.stringify({ ...lastTimes(), ...now }, null, 1))
}

function lastTimes(): Record<string, number> {
  return existsSync(TIMES) ? (JSON.parse(readFileSync(TIMES, 'utf8')) as Record<string, number>) : {}
}
