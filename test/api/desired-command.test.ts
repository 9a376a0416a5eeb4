// tunnel-panel apply, plan, diff and export: a repository as the truth (reference.md, Command line).
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { furnish } from './support/backup.ts'
import { startCommandLine, type CommandLine, type Ended } from './support/command-line.ts'
import { listFiles } from './support/desired.ts'
import { listRoutes } from './support/routes.ts'

const SITE = `version: 1
tunnels:
  - interface_name: gre-fra-1
    local_endpoint: 192.0.2.1
    remote_endpoint: 198.51.100.9
    addresses: [{ address: 172.17.1.1, prefix_length: 30 }]
    ikey: 4711
    okey: 4711
routes:
  - route_rule_title: game
    protocol: both
    bind_address: 192.0.2.1
    bind_port: 25565
    destinations: [{ address: 172.17.1.2, port: 25565 }]
    tunnel: gre-fra-1
settings: { monitor.interval_seconds: 2 }
`

describe('A file on the command line', function () {
  let line: CommandLine
  let path: string
  beforeEach(async () => {
    line = await startCommandLine()
    path = join(line.folder, 'site.yaml')
    writeFileSync(path, SITE)
  })
  afterEach(() => line.close())

  const run = (args: readonly string[], input?: string): Promise<Ended> => line.run(args, {}, input)

  it('is compared, planned and applied, each saying by its exit code whether something would change', async () => {
    const before = await run(['diff', '-f', path])
    assert.deepEqual([before.code, before.output], [2, ''])
    assert.match(before.out, /^\+ tunnel gre-fra-1\n\+ route game\n/m)
    const plan = await run(['plan', '-f', path])
    assert.equal(plan.code, 2)
    assert.match(plan.out, /^PUT \/settings\nPOST \/tunnels\nPOST \/routes/m)
    const applied = await run(['apply', '-f', path])
    assert.deepEqual([applied.code, applied.output], [0, ''])
    assert.match(applied.out, /The panel is as the file says\.\n$/)
    const after = await run(['diff', '-f', path])
    assert.deepEqual([after.code, after.out], [0, 'Nothing was changed.\n'])
    assert.equal((await run(['apply', '-f', path])).out, 'The panel is as the file says already.\n')
    assert.deepEqual(
      (await listFiles(line.operator)).body.files.map(({ name }) => name),
      ['site.yaml'],
    )
  })

  it('is the truth of a repository: its commits are planned and applied in turn, and a bad one changes nothing', async () => {
    const second = SITE.replace('bind_port: 25565', 'bind_port: 25566')
    const codes: Record<string, readonly (number | null)[]> = {}
    const ports: Record<string, number[]> = {}
    for (const [commit, text] of Object.entries({
      first: SITE,
      bad: SITE.replace('tunnel: gre-fra-1', 'tunnel: gre-nowhere'),
      second,
    })) {
      writeFileSync(path, text)
      const ends: Ended[] = []
      for (const word of ['plan', 'apply', 'plan']) ends.push(await run([word, '-f', path]))
      codes[commit] = ends.map(({ code }) => code)
      ports[commit] = (await listRoutes(line.operator)).body.routes.map(({ route }) => route.bind_port)
    }
    assert.deepEqual(codes, { first: [2, 0, 0], bad: [1, 1, 1], second: [2, 0, 0] })
    assert.deepEqual(ports, { first: [25_565], bad: [25_565], second: [25_566] })
  })

  it('shows what changes field by field, and is read from the standard input', async () => {
    await run(['apply', '-f', path])
    const { code, out } = await run(['diff', '-f', '-'], SITE.replace('bind_port: 25565', 'bind_port: 25566'))
    assert.equal(code, 2)
    assert.match(out, /^~ route game\n {4}bind_port: 25565 -> 25566\n/m)
  })

  it('deletes with --prune what an earlier one of its name made', async () => {
    await run(['apply', '-f', path])
    writeFileSync(path, SITE.slice(0, SITE.indexOf('routes:')) + 'routes: []\n')
    assert.equal((await run(['apply', '-f', path, '--prune', 'named'])).code, 0)
    assert.equal((await listRoutes(line.operator)).body.total, 0)
  })

  it('is locked with --lock, and unlocked with --unlock', async () => {
    const locked = async (): Promise<boolean[]> =>
      (await listFiles(line.operator)).body.files.map((one) => one.is_locked)
    assert.equal((await run(['apply', '-f', path, '--lock'])).code, 0)
    assert.deepEqual(await locked(), [true])
    assert.equal((await run(['apply', '-f', path])).code, 0)
    assert.deepEqual(await locked(), [true])
    assert.equal((await run(['apply', '-f', path, '--unlock'])).code, 0)
    assert.deepEqual(await locked(), [false])
  })

  it('is refused with the line and column of each thing that is wrong', async () => {
    const wrong = SITE.replace('tunnel: gre-fra-1', 'tunnel: gone').replace('monitor.interval_seconds', 'no.such')
    const { code, output } = await run(['apply', '-f', '-', '--name', 'site.yaml'], wrong)
    assert.equal(code, 1)
    assert.match(output, /^site\.yaml:15:13: There is no tunnel gone/m)
    assert.match(output, /^site\.yaml:16:\d+: /m)
    const unknown = await run(['plan', '-f', '-', '--name', 'site.yaml'], SITE.replace('ikey', 'inkey'))
    assert.match(unknown.output, /^site\.yaml:7:\d+: There is no field document.tunnels.0.inkey in this request/m)
    for (const [text, why] of [
      ['version: 1\nversion: 1\n', /^site\.yaml:2:1: Map keys must be unique/],
      ['a: [\n', /^site\.yaml:\d+:\d+: /],
      [`a: &a [x]\nb: [${'*a, '.repeat(200)}*a]\n`, /alias/],
      [`${'['.repeat(40)}${']'.repeat(40)}\n`, /nested deeper than 32/],
    ] as const) {
      const ended = await run(['apply', '-f', '-', '--name', 'site.yaml'], text)
      assert.deepEqual([ended.code, why.test(ended.output)], [1, true], ended.output)
    }
    assert.match((await run(['apply'])).output, /apply needs a file: -f/)
  })

  it('is what export prints, which changes nothing where it is applied', async () => {
    await furnish(line.operator)
    for (const form of ['--yaml', '--json']) {
      const { code, out } = await run(['export', form])
      assert.equal(code, 0)
      const ended = await run(['diff', '-f', '-', '--prune', 'all'], out)
      assert.deepEqual([ended.code, ended.out], [0, 'Nothing was changed.\n'], ended.output)
    }
  })

  it('goes to a panel elsewhere with a token of its scope alone', async () => {
    const token = async (scope: string): Promise<string> => {
      const { body } = await line.operator.post<{ text: string }>('/auth/tokens', { title: scope, scopes: [scope] })
      const file = join(line.folder, scope)
      writeFileSync(file, body.text, { mode: 0o600 })
      return file
    }
    const elsewhere = ['--panel', line.panel.base, '--token-file']
    assert.equal((await run(['apply', '-f', path, ...elsewhere, await token('routes')])).code, 3)
    assert.equal((await run(['apply', '-f', path, ...elsewhere, await token('desired')])).code, 0)
  })
})
