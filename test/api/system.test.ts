// What the panel says of its installation, and of the interfaces and the routing table of the host (reference.md,
// System; decisions.md, Y1, Y5, Y6).
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { hostname, release } from 'node:os'
import type { HealthAnswer, InfoAnswer, InterfacesAnswer, RoutingTableAnswer } from '@panel/shared/api/system.ts'
import type { Writer } from '@panel/shared/rpc/methods.ts'
import { helperAway } from '@panel/web-daemon/platform/helper/refusals.ts'
import { VERSION } from '@panel/web-daemon/platform/version.ts'
import { INSTALLATION, startPanel, type TestPanel } from './support/panel.ts'
import { tunnelRequest } from '../support/records.ts'

const AWAY = {
  request: (async () => {
    throw helperAway('ENOENT')
  }) as Writer,
}

describe('GET /system/info', () => {
  let panel: TestPanel
  afterEach(() => panel.close())
  const infoOf = async (): Promise<InfoAnswer> => {
    const { status, body } = await (await panel.setUp()).get<InfoAnswer>('/system/info')
    assert.equal(status, 200)
    return body
  }

  it('tells of build, runtime and the paths as configured', async () => {
    panel = await startPanel({ web_path: 'hidden' })
    panel.clock.advance(90)
    const { build, runtime, paths, serving, started_at } = await infoOf()
    assert.equal(build.version, VERSION)
    assert.deepEqual(
      [runtime.node_version, runtime.pid, runtime.uid, runtime.is_root, runtime.hostname],
      [process.version, process.pid, process.getuid?.(), false, hostname()],
    )
    assert.ok(runtime.uptime_seconds >= 90 && runtime.uptime_seconds < 900)
    assert.ok(Math.abs(Date.parse(started_at) - Date.now()) < 600_000)
    assert.deepEqual(paths, {
      ...INSTALLATION,
      systemd_dir: '/etc/systemd/system',
      networkd_dir: '/etc/systemd/network',
    })
    assert.deepEqual(serving, {
      bind_host: '127.0.0.1',
      bind_port: Number(new URL(panel.base).port),
      web_path: 'hidden',
      base_path: '/hidden',
      api_base_path: '/hidden/api/v1',
    })
  })

  it('tells of the kernel that runs, with the modules that it shows, and of the helper', async () => {
    panel = await startPanel()
    const { kernel, helper, serving } = await infoOf()
    assert.equal(kernel.release, release())
    assert.deepEqual(Object.keys(kernel.loaded_modules), [
      'gre',
      'ip_gre',
      'ip6_gre',
      'nf_tables',
      'nf_nat',
      'nf_conntrack',
    ])
    for (const [name, isLoaded] of Object.entries(kernel.loaded_modules))
      assert.equal(isLoaded, existsSync(`/sys/module/${name}`))
    assert.deepEqual(helper, { version: '0.0.0-fake', pid: 1, connected: true })
    assert.deepEqual([serving.web_path, serving.base_path, serving.api_base_path], ['', '', '/api/v1'])
  })

  it('tells all but what the helper alone knows while that is away', async () => {
    panel = await startPanel(AWAY)
    const { helper, paths, build } = await infoOf()
    assert.deepEqual(helper, { version: '', pid: null, connected: false })
    assert.deepEqual([paths.systemd_dir, paths.networkd_dir, paths.data_dir], ['', '', INSTALLATION.data_dir])
    assert.equal(build.version, VERSION)
  })

  it('says the version that health and the API description say', async () => {
    panel = await startPanel()
    const operator = await panel.setUp()
    const { version } = (await operator.get<HealthAnswer>('/system/health')).body
    const { info } = (await operator.raw<{ info: { version: string } }>('GET', '/api/docs')).body
    assert.deepEqual([version, info.version], [VERSION, VERSION])
  })
})

describe('The host as the panel tells of it', () => {
  let panel: TestPanel
  afterEach(() => panel.close())

  it('GET /system/interfaces is every interface, classified physical, tunnel, loopback or other', async () => {
    panel = await startPanel()
    const operator = await panel.setUp()
    const bridge = {
      ...panel.kernel.hostInterfaces[1]!,
      name: 'br0',
      index: 7,
      kind: 'bridge',
      class: 'other' as const,
    }
    panel.kernel.hostInterfaces.push(bridge)
    await operator.post('/tunnels', tunnelRequest({ remote_endpoint: '192.0.2.2' }))
    const { status, body } = await operator.get<InterfacesAnswer>('/system/interfaces')
    assert.equal(status, 200)
    assert.deepEqual(
      body.interfaces.map(({ name, class: of }) => [name, of]),
      [
        ['lo', 'loopback'],
        ['eth0', 'physical'],
        ['br0', 'other'],
        ['gre-a-1', 'tunnel'],
      ],
    )
    assert.equal(body.total, 4)
    assert.deepEqual(body.interfaces[2], bridge)
  })

  it('GET /system/routes is the routing table, with each device of a default route once', async () => {
    panel = await startPanel()
    const { status, body } = await (await panel.setUp()).get<RoutingTableAnswer>('/system/routes')
    assert.equal(status, 200)
    assert.deepEqual(body, { routes: panel.kernel.hostRoutes, total: 3, default_route_devices: ['eth0'] })
  })

  it('is empty lists where there is nothing', async () => {
    panel = await startPanel()
    const operator = await panel.setUp()
    panel.kernel.hostInterfaces = []
    panel.kernel.hostRoutes = []
    assert.deepEqual((await operator.get('/system/interfaces')).body, { interfaces: [], total: 0 })
    assert.deepEqual((await operator.get('/system/routes')).body, { routes: [], total: 0, default_route_devices: [] })
  })

  it('is 503 while the helper is away, and takes a session', async () => {
    panel = await startPanel(AWAY)
    const operator = await panel.setUp()
    for (const path of ['/system/interfaces', '/system/routes']) {
      const { status, error } = await operator.get(path)
      assert.deepEqual([status, error.code], [503, 'HELPER_UNAVAILABLE'])
    }
    for (const path of ['/system/info', '/system/interfaces', '/system/routes'])
      assert.equal((await panel.visitor().get(path)).status, 401)
  })
})
