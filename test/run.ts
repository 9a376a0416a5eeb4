// Runs the tiers one after the other and closes with one line that counts all of them. Arguments name tiers; none means all.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join, relative } from 'node:path'
import { whyNot } from './vm/lab/index.ts'

interface Tier {
  readonly name: string
  /** Why this tier cannot run on this machine, or null. */
  readonly missing: () => string | null | Promise<string | null>
  /** Not of the whole: it runs where it is named. */
  readonly isApart?: true
}

interface Count {
  passed: number
  failed: number
  skipped: number
  /** What the tier's reporter wrote of each failure. */
  failures?: { title: string; file: string; error: string }[]
}

const isRoot = process.getuid?.() === 0
process.env['PATH'] = [process.env['PATH'], '/usr/sbin', '/sbin'].join(delimiter)

const needs = (...tools: string[]): string | null => {
  const absent = tools.filter(
    (tool) => !(process.env['PATH'] ?? '').split(delimiter).some((folder) => existsSync(join(folder, tool))),
  )
  return absent.length === 0 ? null : `it needs ${absent.join(', ')}`
}

const nothing = (): null => null
const TIERS: readonly Tier[] = [
  { name: 'architecture', missing: nothing },
  { name: 'unit', missing: nothing },
  { name: 'golden', missing: nothing },
  { name: 'contract', missing: nothing },
  { name: 'api', missing: nothing },
  {
    name: 'netns',
    missing: () => (isRoot ? needs('ip', 'nft', 'iptables', 'unshare') : 'it needs root, to make network namespaces'),
  },
  { name: 'ui', missing: () => needs('chromium') },
  { name: 'package', missing: () => needs('dpkg-buildpackage', 'dh', 'lintian', 'man') },
  { name: 'vm', missing: async () => (await whyNot()) ?? null },
  { name: 'story', missing: async () => (await whyNot()) ?? needs('chromium'), isApart: true },
]

/** What is told of each tier where it ends, and again at the end of all. */
const told: string[] = []
const tell = (line: string): void => {
  told.push(line)
  console.log(`   ${line}`)
}

const reports = mkdtempSync(join(tmpdir(), 'panel-tiers-'))

async function run(tier: Tier): Promise<Count> {
  const why = await tier.missing()
  if (why !== null) {
    tell(`${tier.name}: cannot run here: ${why}`)
    return { passed: 0, failed: process.env['CI'] === 'true' ? 1 : 0, skipped: 1 }
  }
  const started = Date.now()
  const report = join(reports, `${tier.name}.json`)
  console.log(`\n── ${tier.name}`)
  const mocha = [
    'node_modules/mocha/bin/mocha.js',
    '--import=tsx',
    '--reporter',
    'test/support/reporter.cjs',
    '--recursive',
    '--extension',
    'ts',
    `test/${tier.name}/**/*.test.ts`,
  ]
  const { status } = spawnSync(process.execPath, mocha, {
    stdio: 'inherit',
    env: { ...process.env, PANEL_TIER_REPORT: report },
  })
  const count: Count = existsSync(report)
    ? (JSON.parse(readFileSync(report, 'utf8')) as Count)
    : { passed: 0, failed: 1, skipped: 0 }
  // A run that mocha calls failed, or in which nothing ran, is a failure whatever was counted.
  if ((status !== 0 && count.failed === 0) || count.passed + count.failed + count.skipped === 0) count.failed += 1
  if (process.env['CI'] === 'true') count.failed += count.skipped
  tell(
    `${tier.name}: ${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped in ${((Date.now() - started) / 1000).toFixed(1)} s`,
  )
  return count
}

const asked = process.argv.slice(2)
const chosen = TIERS.filter(({ name, isApart }) => (asked.length === 0 && !isApart) || asked.includes(name))
const unknown = asked.filter((name) => !TIERS.some((tier) => tier.name === name))
if (unknown.length > 0)
  throw new Error(`There is no tier ${unknown.join(', ')}; there are ${TIERS.map((t) => t.name).join(', ')}`)
const counts: Count[] = []
for (const tier of chosen) counts.push(await run(tier))
const sum = (key: 'passed' | 'failed' | 'skipped'): number => counts.reduce((all, count) => all + count[key], 0)
// All of it once more at the end, since a log of hours is often kept by its last lines alone.
for (const { title, file, error } of counts.flatMap(({ failures = [] }) => failures))
  console.log(`\n✘ ${title}\n  ${relative('.', file)}\n${error.slice(0, 4000)}`)
console.log(`\n${told.join('\n')}`)
console.log(`\n${sum('passed')} passed, ${sum('failed')} failed, ${sum('skipped')} skipped`)
process.exit(sum('failed') > 0 ? 1 : 0)
