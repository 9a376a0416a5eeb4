// What differs between versions of Node: V8 under SQLite's addon, Node-API under the panel's own, and what Node's HTTP,
// TLS and child processes do. Part of the unit and api tiers runs under each; types and pure functions need no second proof.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { tmpdir } from 'node:os'
import { promisify } from 'node:util'
import { filesOf } from '../runner/files.ts'
import type { Report } from '../runner/job.ts'
import { plan } from '../runner/plan.ts'
import { folderOf, prepareNodes, treeOf, VERSIONS } from './nodes.ts'

const run = promisify(execFile)
const MOCHA = ['node_modules/mocha/bin/mocha.js', '--import=tsx', '--reporter', 'test/support/reporter.cjs']

/** The folders of the unit tier that are about more than pure functions; of each what `quick` runs. */
const UNIT = /^test\/unit\/(backup|netlink|web)\//
/** The main path of the interface, over HTTP, HTTPS and with the daemon as a process of its own. */
const API = ['auth', 'serving-daemon', 'store', 'streams', 'tunnels'].map((name) => `test/api/${name}.test.ts`)

/** In full with the newest; with the others what depends on the store and on the daemon as a process. */
const mainPath = (version: string): readonly string[] =>
  version === VERSIONS.at(-1) ? API : API.filter((file) => /\/(serving-daemon|store)\./.test(file))

function quickFiles(): readonly string[] {
  return plan(['quick']).flatMap(({ tier, files }) => (tier.name === 'unit' ? files.filter((f) => UNIT.test(f)) : []))
}

describe('The other versions of Node', function () {
  this.timeout(0)
  let folder: string
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'panel-nodes-'))
    await prepareNodes()
  })
  after(() => rmSync(folder, { recursive: true }))

  for (const version of VERSIONS) {
    const node = join(folderOf(version), 'bin/node')
    const environment = (): NodeJS.ProcessEnv => ({
      ...process.env,
      PATH: [join(folderOf(version), 'bin'), process.env['PATH']].join(delimiter),
      PANEL_TIER_REPORT: join(folder, `${version}.json`),
    })
    const passes = async (files: readonly string[]): Promise<void> => {
      const options = { cwd: treeOf(version), env: environment(), maxBuffer: 2 ** 26 }
      const output = await run(node, [...MOCHA, ...files], options).then(
        () => '',
        (failure: { stdout: string; stderr: string }) => `${failure.stdout.slice(-4000)}${failure.stderr.slice(-4000)}`,
      )
      assert.equal(output, '')
      const report = JSON.parse(readFileSync(join(folder, `${version}.json`), 'utf8')) as Report
      assert.deepEqual([report.failures, report.skipped], [[], 0])
      assert.ok(report.passed >= files.length, `${report.passed} tests ran in ${files.length} files`)
    }

    it(`Node ${version} frees statements of the store between the steps of asynchronous functions`, async () => {
      const small = ['--max-semi-space-size=1', 'test/node/collected.mjs']
      const { stdout } = await run(node, small, { cwd: treeOf(version), env: environment() })
      assert.equal(stdout, 'collected\n')
    })

    it(`Node ${version} passes the unit tests of the store, the addons and the daemons' parts`, () =>
      passes(quickFiles()))

    it(`Node ${version} passes the main path of the interface`, () => passes(mainPath(version)))
  }

  it('names files that are there', () => {
    assert.deepEqual(
      API.filter((file) => !filesOf('api').includes(file)),
      [],
    )
    assert.ok(quickFiles().length > 0)
  })
})
