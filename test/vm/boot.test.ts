// The lab keeps its promises: a real trixie kernel with GRE, fresh each time, that says how commands end and survives a
// power cut.
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Lab, type Server, startLab } from './lab/index.ts'

interface Link {
  readonly ifname: string
  readonly linkinfo: {
    readonly info_kind: string
    readonly info_data: { readonly local: string; readonly remote: string }
  }
}

const ends = { 4: ['192.0.2.1', '192.0.2.2'], 6: ['2001:db8::1', '2001:db8::2'] } as const
const kinds = [
  ['gre', 4],
  ['gretap', 4],
  ['ip6gre', 6],
  ['ip6gretap', 6],
] as const

describe('The lab', function () {
  let lab: Lab

  before(async () => {
    lab = await startLab({ kind: 'emulated' })
  })
  after(() => lab?.stop())

  it('runs Debian 13 on its own kernel, with systemd settled', async () => {
    assert.match(
      await lab.run('. /etc/os-release; echo $VERSION_CODENAME; uname -r; systemctl is-system-running'),
      /^trixie\n6\.12\..*cloud-amd64\nrunning\n$/,
    )
  })

  for (const [kind, family] of kinds) {
    it(`has ${kind}`, async () => {
      const [local, remote] = ends[family]
      await lab.run('ip', ['link', 'add', `t-${kind}`, 'type', kind, 'local', local, 'remote', remote, 'key', '7'])
      const [link] = JSON.parse(await lab.run('ip', ['-d', '-j', 'link', 'show', `t-${kind}`])) as [Link]
      const { info_kind, info_data } = link.linkinfo
      assert.deepEqual([info_kind, info_data.local, info_data.remote], [kind, local, remote])
    })
  }

  it('says how a command ends', async () => {
    assert.deepEqual(await lab.try('echo out; echo err >&2; exit 3'), {
      code: 3,
      signal: null,
      stdout: 'out\n',
      stderr: 'err\n',
    })
    assert.deepEqual(await lab.try('cat', [], { stdin: 'read' }), { code: 0, signal: null, stdout: 'read', stderr: '' })
    assert.equal((await lab.try('kill -KILL $$')).signal, 'SIGKILL')
    assert.equal((await lab.try('no-such-program', [])).code, 127)
    await assert.rejects(lab.run('echo out; echo err >&2; exit 3'), /exit 3: exit code 3\nout\nerr\n/)
    await assert.rejects(lab.run('sleep 60', { timeoutMs: 300 }), /sleep 60: killed after 300 ms/)
  })

  it('runs many commands at the same time', async () => {
    const numbers = Array.from({ length: 20 }, (_, number) => `${number}`)
    assert.deepEqual(
      await Promise.all(numbers.map((number) => lab.run('echo', [number]))),
      numbers.map((number) => `${number}\n`),
    )
  })

  it('lets a running command be read, written to and killed with all that it started', async () => {
    const running = lab.spawn('sleep 1234 & echo ready; read line; echo got $line; wait', { env: { LC_ALL: 'C' } })
    await running.says(/^ready$/m)
    await running.write('this\n')
    await running.says(/^got this$/m)
    running.kill('KILL')
    assert.deepEqual(await running.exited, { code: 137, signal: 'SIGKILL' })
    assert.equal((await lab.try('pgrep -f "[s]leep 1234"')).code, 1)
  })

  it('takes files and folders, and gives them back, byte by byte', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'lab-'))
    const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, at) => (at * 7) % 256))
    await writeFile(join(folder, 'file'), bytes, { mode: 0o755 })
    await lab.put('/srv/folder', folder)
    await lab.put('/srv/deep/er/one', join(folder, 'file'))
    assert.equal(await lab.run('stat -c %a:%U /srv/folder/file /srv/deep/er/one'), '755:root\n755:root\n')
    await lab.get('/srv/folder', join(folder, 'back'))
    assert.ok(bytes.equals(await readFile(join(folder, 'back/file'))))
    await lab.write('/srv/note', 'text')
    assert.equal(await lab.read('/srv/note'), 'text')
    await rm(folder, { recursive: true })
  })

  it('knows what time it is', async () => {
    assert.ok(Math.abs(Number(await lab.run('date +%s')) * 1000 - Date.now()) < 10_000)
  })

  it('comes back from a power cut with what was synced', async () => {
    await lab.run('echo kept > /root/kept; sync; echo booted > /run/forgotten')
    const running = lab.spawn('echo up; exec sleep 1000')
    await running.says(/up/)
    await lab.reset()
    assert.equal(await lab.run('cat /root/kept; test -e /run/forgotten || echo gone'), 'kept\ngone\n')
    assert.equal((await lab.try('pgrep -x sleep')).code, 1)
    assert.equal((await running.exited).code, 255)
  })

  it('forgets everything when it starts again', async () => {
    const another = await startLab({ kind: 'emulated' })
    try {
      assert.equal((await another.try('ls /root/kept')).code, 2)
      assert.deepEqual(await names(another), ['eth0', 'lo'])
    } finally {
      await another.stop()
    }
  })
})

describe('Two servers in the lab', function () {
  let lab: Lab
  let a: Server
  let b: Server

  before(async () => {
    lab = await startLab({ kind: 'emulated' })
    ;({ a, b } = await lab.twoServers())
  })
  after(() => lab?.stop())

  it('have nothing but loopback and one cable', async () => {
    assert.deepEqual(await names(a), ['eth0', 'lo'])
    assert.deepEqual(await names(b), ['eth0', 'lo'])
  })

  it('let a ping through a GRE tunnel made by hand', async () => {
    for (const [here, there, inner] of [
      [a, b, '10.9.0.1/30'],
      [b, a, '10.9.0.2/30'],
    ] as const) {
      await here.run(
        `ip link add by-hand type gre local ${here.address} remote ${there.address} key 5 && ip address add ${inner} dev by-hand && ip link set by-hand up`,
      )
    }
    assert.match(await a.run('ping -c 3 -i 0.2 -W 5 10.9.0.2'), / 0% packet loss/)
    assert.match(await b.run('ip -s -j link show by-hand'), /"rx":\{"bytes":\d\d+/)
    assert.match(await a.run('ping', ['-c', '1', '-W', '5', b.address6]), / 0% packet loss/)
  })

  it('answer the host, each its own, fifty requests at once', async () => {
    const script = `require('http').createServer((_, answer) => answer.end(process.env.NAME)).listen(8480, '127.0.0.1', () => console.log('up'))`
    for (const server of [a, b]) await server.spawn('node', ['-e', script], { env: { NAME: server.name } }).says(/up/)
    for (const server of [a, b]) {
      const answers = await Promise.all(Array.from({ length: 50 }, async () => (await fetch(server.url)).text()))
      assert.deepEqual(new Set(answers), new Set([server.name]))
    }
  })
})

async function names(where: { run: Lab['run'] }): Promise<string[]> {
  const links = JSON.parse(await where.run('ip -j link')) as Link[]
  return links.map(({ ifname }) => ifname).sort()
}
