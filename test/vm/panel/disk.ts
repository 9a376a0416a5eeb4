// The disk that holds what the panel stores: one that the kernel writes nothing to any more, and one that is read-only.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { CreateTunnelAnswer } from '@panel/shared/api/tunnels/answers.ts'
import { tunnelRequest } from '../../support/records.ts'
import type { Lab, Running } from '../lab/index.ts'
import { HERE } from './kept-tunnels.ts'
import { expect, OPERATOR, Panel, wholeMachine, type Place } from './panel.ts'

const DISK = '/run/disk'
const TUNNEL = tunnelRequest({ local_endpoint: HERE, remote_endpoint: '192.0.2.99' })

interface Health {
  readonly components: readonly { readonly name: string; readonly status: string; readonly detail: string }[]
}

export function isOnDisk(lab: () => Lab): void {
  let panel: Panel<Place>
  const startWeb = (): Promise<void> => panel.startWeb({ PANEL_LISTEN_ADDRESS: '0.0.0.0' })
  const component = async (name: string): Promise<string> => {
    const { components } = expect(await panel.operator.get<Health>('/system/health'), 200)
    const found = components.find((one) => one.name === name)
    return `${found?.status}: ${found?.detail}`
  }
  const make = (third: number) =>
    panel.operator.post('/pools', {
      address_pool_title: `pool ${third}`,
      cidr: `10.${third}.0.0/16`,
      prefix_length: 30,
    })
  const total = async (): Promise<number> => expect(await panel.operator.get<{ total: number }>('/pools'), 200).total

  it('of the disk that holds the store, after which the kernel writes nothing to it, loses nothing: changes are refused with what to do, and all goes on once the disk is mended', async () => {
    await lab().write(`${DISK}.img.gz`, await ext4Image('16M'))
    await lab().run(`gunzip ${DISK}.img.gz && mkdir ${DISK} && mount -o loop,errors=remount-ro ${DISK}.img ${DISK}`)
    panel = new Panel(await wholeMachine(lab()), { folder: DISK })
    await panel.startHelper()
    await startWeb()
    await panel.setUp()
    expect(await make(1), 201)
    const [before, picture] = [await total(), await panel.picture()]
    await lab().run(`echo 1 > /sys/fs/ext4/$(basename $(findmnt -no SOURCE ${DISK}))/trigger_fs_error`)
    assert.match((await lab().try('touch', [`${DISK}/another`])).stderr, /Read-only file system|Input\/output error/)
    for (const refused of [await make(2), await panel.operator.post('/tunnels', TUNNEL)]) {
      assert.deepEqual([refused.status, refused.error.code], [503, 'SERVICE_UNAVAILABLE'])
      // Which call finds out first is the kernel's affair; either names the disk, and what to do.
      assert.match(
        `${String(refused.error.details['reason'])}: ${refused.error.message}`,
        /^(read_only: .*Make that writable|unreachable: .*kernel's log says of its disk|damaged: .*its disk fails. Look at the kernel's log first)/,
      )
    }
    // A failing disk gives no certainty even about what is stored; that is reported too, and the tunnels stay.
    const { status, error } = await panel.operator.get('/pools')
    assert.ok(status === 200 || error.code === 'SERVICE_UNAVAILABLE', `${status}`)
    assert.match(await component('database'), /^error: /)
    assert.equal(await panel.picture(), picture)
    for (const daemon of [panel.web, panel.helper]) await ended(daemon)
    await lab().run(`umount ${DISK} && mount -o loop ${DISK}.img ${DISK}`)
    await panel.startHelper()
    await startWeb()
    expect(await panel.operator.post('/auth/login', OPERATOR), 200)
    assert.deepEqual([await total(), (await make(2)).status], [before, 201])
    assert.match(await component('database'), /^ok: /)
  })

  it('of that disk, read-only when the web daemon starts, lets it serve what is stored and say why nothing is changed, until it can be written', async () => {
    const before = await total()
    await ended(panel.web)
    await lab().run(`mount -o remount,ro ${DISK}`)
    await startWeb()
    assert.equal(await total(), before)
    for (const { status, error } of [await make(3), await panel.operator.post('/tunnels', TUNNEL)])
      assert.deepEqual([status, error.code, error.details], [503, 'SERVICE_UNAVAILABLE', { reason: 'read_only' }])
    assert.match(await component('database'), /^error: .* its disk is read-only/)
    await lab().run(`mount -o remount,rw ${DISK}`)
    assert.deepEqual([(await make(3)).status, await total()], [201, before + 1])
    assert.match(await component('database'), /^ok: /)
  })

  it("of the disk that holds the helper's own files, which is read-only, is the reason of each refusal until it can be written", async () => {
    await lab().run(`mount -t tmpfs -o ro none ${DISK}/state`)
    const { status, error } = await panel.operator.post('/tunnels', TUNNEL)
    assert.deepEqual([status, error.code, error.details['reason']], [503, 'SERVICE_UNAVAILABLE', 'state_unusable'])
    assert.match(error.message, /state folder \(EROFS\).*its disk is read-only/)
    await lab().run(`umount ${DISK}/state`)
    const { tunnel } = expect(await panel.operator.post<CreateTunnelAnswer>('/tunnels', TUNNEL), 201)
    expect(await panel.operator.delete(`/tunnels/${tunnel.tunnel_id}`), 200)
  })
}

async function ended(daemon: Running): Promise<void> {
  daemon.kill('TERM')
  await daemon.exited
}

/** Made here, since the lab's machine has nothing to make one; compressed, it is next to nothing. */
export async function ext4Image(size: string): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'panel-ext4-'))
  try {
    const path = join(folder, 'disk.img')
    execFileSync('mke2fs', ['-q', '-t', 'ext4', path, size])
    return gzipSync(await readFile(path))
  } finally {
    await rm(folder, { recursive: true })
  }
}
