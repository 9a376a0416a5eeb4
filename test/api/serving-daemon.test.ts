// The daemon as a process: what it says when it starts, what it refuses to start with, and how it ends.
import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { chmodSync, copyFileSync, cpSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { KernelError } from '@panel/root-helper/kernel-error.ts'
import { shipped } from '../support/shipped.ts'
import { quietly } from '../support/quietly.ts'
import { giveToNobody, privateToNobody, AS_NOBODY } from './support/as-nobody.ts'
import { Certificates, filesIn, fingerprintIn, shownBy } from './support/certificates.ts'
import { Client } from './support/client.ts'
import { listenAsHelper, type HelperSocket } from './support/helper-socket.ts'
import { OPERATOR } from './support/panel.ts'
import { actOnRoute, createRoute, getRoute } from './support/routes.ts'

interface Ended {
  code: number | null
  text: string
}

describe('the web daemon', function () {
  // Each start compiles the sources again.
  quietly()
  let directory: string
  let sockets: string
  let helper: HelperSocket
  const children: ChildProcess[] = []
  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'panel-daemon-'))
    privateToNobody(directory)
    sockets = mkdtempSync(join(tmpdir(), 'panel-helper-'))
    chmodSync(sockets, 0o755)
    helper = await listenAsHelper(join(sockets, 'helper.sock'))
  })
  afterEach(() => {
    for (const child of children) child.kill('SIGKILL')
    helper.close()
    for (const folder of [directory, sockets]) rmSync(folder, { recursive: true })
  })

  const run = (
    environment: Record<string, string>,
    asRoot = false,
  ): { child: ChildProcess; output: () => string; ended: Promise<Ended> } => {
    const env = {
      PATH: process.env['PATH'] ?? '',
      PANEL_STATE_DIR: directory,
      PANEL_HELPER_SOCKET: helper.path,
      PANEL_LISTEN_PORT: '0',
      ...environment,
    }
    const [program = '', ...args] = [...(asRoot ? [] : AS_NOBODY), ...shipped('web')]
    const child = spawn(program, args, { env })
    children.push(child)
    let [out, err] = ['', '']
    child.stdout?.on('data', (chunk) => (out += String(chunk)))
    child.stderr?.on('data', (chunk) => (err += String(chunk)))
    return {
      child,
      output: () => out,
      ended: new Promise((resolve) => child.on('exit', (code) => setTimeout(() => resolve({ code, text: err }), 50))),
    }
  }
  const started = async (daemon: ReturnType<typeof run>): Promise<string> => {
    while (!daemon.output().includes('\n')) {
      if (daemon.child.exitCode !== null) throw new Error((await daemon.ended).text)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    return daemon.output()
  }

  it('prints one line with its address when it is ready, keeps its files to itself, and ends on SIGTERM', async () => {
    const daemon = run({ PANEL_WEB_PATH: 'panel' })
    const line = await started(daemon)
    assert.match(line, /^The panel is at http:\/\/127\.0\.0\.1:\d+\/panel\/\n$/)
    const client = new Client(line.trim().split(' ').at(-1) ?? '')
    assert.equal((await client.post('/auth/setup', OPERATOR)).status, 201)
    for (const name of readdirSync(directory)) assert.equal(statSync(join(directory, name)).mode & 0o777, 0o600, name)
    assert.ok(readdirSync(directory).includes('session.key'))
    daemon.child.kill('SIGTERM')
    const { code, text } = await daemon.ended
    assert.equal(code, 0)
    assert.ok(!text.includes(OPERATOR.password))
  })

  it('keeps sessions over a restart', async () => {
    const first = run({})
    const client = new Client((await started(first)).trim().split(' ').at(-1) ?? '')
    await client.post('/auth/setup', OPERATOR)
    first.child.kill('SIGTERM')
    await first.ended
    const again = new Client((await started(run({}))).trim().split(' ').at(-1) ?? '')
    for (const [name, value] of client.cookies) again.cookies.set(name, value)
    assert.equal((await again.get('/auth/me')).status, 200)
  })

  it('that is killed in the middle of making a rule has it as pending when it runs again, and reapply makes it', async () => {
    const { kernel } = helper
    const submit = kernel.rulesets.submit.bind(kernel.rulesets)
    const requests = new Promise<(why: Error) => void>((resolve) => {
      kernel.rulesets.submit = () => new Promise((_resolve, reject) => resolve(reject))
    })
    const first = run({})
    const client = new Client((await started(first)).trim().split(' ').at(-1) ?? '')
    await client.post('/auth/setup', OPERATOR)
    const cutShort = assert.rejects(createRoute(client))
    const refuse = await requests
    first.child.kill('SIGKILL')
    await Promise.all([first.ended, cutShort])
    kernel.rulesets.submit = submit
    refuse(new KernelError('EIO', 'nobody waits for it any more'))
    const second = run({})
    const again = new Client((await started(second)).trim().split(' ').at(-1) ?? '')
    for (const [name, value] of client.cookies) again.cookies.set(name, value)
    const { route, health } = (await getRoute(again, 1)).body
    assert.deepEqual([route.apply_status, health.state, health.installed], ['Pending', 'pending', false])
    assert.equal((await actOnRoute(again, 1, 'reapply')).body.route.apply_status, 'Applied')
    assert.deepEqual([...kernel.rulesets.rules.keys()], [1])
    second.child.kill('SIGTERM')
    assert.equal((await second.ended).code, 0)
  })

  it('lets what is under way finish when it ends', async () => {
    const daemon = run({})
    const client = new Client((await started(daemon)).trim().split(' ').at(-1) ?? '')
    const setup = client.post('/auth/setup', OPERATOR)
    await new Promise((resolve) => setTimeout(resolve, 100))
    daemon.child.kill('SIGTERM')
    assert.equal((await setup).status, 201)
    assert.equal((await daemon.ended).code, 0)
  })

  it('is on TLS with a certificate by configuration, takes its successor while it runs, and does not start with one that is no use', async () => {
    const certificates = new Certificates()
    const [next, place] = [certificates.make('next'), join(directory, 'tls')]
    cpSync(certificates.make('first'), place, { recursive: true })
    const { cert, key } = filesIn(place)
    for (const path of [place, cert, key]) giveToNobody(path)
    const daemon = run({ PANEL_TLS_CERT: cert, PANEL_TLS_KEY: key })
    const line = await started(daemon)
    assert.match(line, /^The panel is at https:\/\/127\.0\.0\.1:\d+\/\n$/)
    const base = line.trim().split(' ').at(-1) ?? ''
    assert.equal(await shownBy(base), fingerprintIn(place))
    for (const [from, to] of [
      [filesIn(next).key, key],
      [filesIn(next).cert, cert],
    ] as const)
      copyFileSync(from, to)
    while ((await shownBy(base)) !== fingerprintIn(next)) await new Promise((resolve) => setTimeout(resolve, 100))
    const { body } = await new Client(base).get<{ components: { name: string; status: string }[] }>('/system/health')
    assert.deepEqual(body.components.at(-1), { name: 'tls', status: 'ok' })
    rmSync(key)
    const { code, text } = await run({ PANEL_TLS_CERT: cert, PANEL_TLS_KEY: key }).ended
    assert.deepEqual([code, text.trimEnd().split('\n').length], [1, 2])
    assert.match(text, /PANEL_TLS_KEY=.*: The file of the key does not exist\./)
    certificates.remove()
  })

  it('does not start with a configuration that is wrong, and says all that is, without a stack', async () => {
    const { code, text } = await run({ PANEL_LISTEN_PORT: 'x', PANEL_WEB_PATH: 'a/b' }).ended
    assert.equal(code, 1)
    assert.match(text, /PANEL_LISTEN_PORT[^]*PANEL_WEB_PATH/)
    assert.ok(!text.includes('    at '))
  })

  it('does not start as root', async function () {
    if (process.getuid?.() !== 0) this.skip()
    const { code, text } = await run({}, true).ended
    assert.equal(code, 1)
    assert.match(text, /does not run as root/)
    assert.deepEqual(readdirSync(directory), [])
  })
})
