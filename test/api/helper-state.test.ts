// The helper's own folder on a disk that is full or read-only, and its journal damaged: queries are answered, changes
// are refused with the reason, and health names it (reference.md, System; decisions.md, S1).
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { message } from '@panel/shared/messages/message.ts'
import { journalIn } from '@panel/root-helper/kernel/files/journal.ts'
import { stateFolder } from '@panel/root-helper/kernel/files/state-folder.ts'
import { FakeKernel } from '../support/fake-kernel.ts'
import { inProcessHelper } from '../support/in-process-helper.ts'
import type { Client, Reply } from './support/client.ts'
import { requestThrough, startPanel, type TestPanel } from './support/panel.ts'
import { applyAll, createRoute, deleteRoute, listRoutes, patchRoute } from './support/routes.ts'
import { fillLastPage, fillUp, makeRoom, remount, runOnSmallDisk, smallDisk } from './support/small-disk.ts'
import { act, createTunnel, deleteTunnel, listTunnels } from './support/tunnels.ts'

describe("The helper's own folder", function () {
  if (smallDisk === null) outside()
  else inside(smallDisk)
})

function outside(): void {
  it('on a disk that fails is reported, with every change that it keeps from being made', function () {
    const folder = mkdtempSync(join(tmpdir(), 'panel-helper-disk-'))
    runOnSmallDisk(fileURLToPath(import.meta.url), folder)
    rmSync(folder, { recursive: true })
  })
}

const CHANGES: Record<string, (client: Client) => Promise<Reply<unknown>>> = {
  'making a tunnel': (client) => createTunnel(client, { remote_endpoint: '198.51.100.77' }),
  'taking a tunnel down': (client) => act(client, 1, 'down'),
  'deleting a tunnel': (client) => deleteTunnel(client, 1),
  'making a rule': (client) => createRoute(client, { bind_port: 4433 }),
  'changing a rule': (client) => patchRoute(client, 1, { destination_port: 9 }),
  'applying all rules': (client) => applyAll(client),
  'deleting a rule': (client) => deleteRoute(client, 1),
}

function inside(disk: string): void {
  let kernel: FakeKernel
  let panel: TestPanel
  let client: Client
  let journal: ReturnType<typeof journalIn>
  beforeEach(async () => {
    kernel = new FakeKernel()
    const folder = stateFolder(disk)
    journal = journalIn(folder)
    const { request, deps } = inProcessHelper(kernel, journal)
    Object.assign(deps, { stateTrouble: async () => journal.blocked() ?? (await folder.trouble()) })
    panel = await startPanel({ request: requestThrough(request) })
    client = await panel.setUp()
    for (const made of [await createTunnel(client), await createRoute(client)]) assert.equal(made.status, 201)
  })
  afterEach(() => panel.close())

  const helper = async (): Promise<string> => {
    panel.clock.advance(2)
    const { components } = (
      await client.get<{ components: { name: string; status: string; detail: string }[] }>('/system/health')
    ).body
    const { status, detail } = components.find(({ name }) => name === 'helper')!
    return `${status}: ${detail}`
  }
  const statuses = async (): Promise<string[]> => [
    ...(await listTunnels(client)).body.tunnels.map(({ apply_status }) => apply_status),
    ...(await listRoutes(client)).body.routes.map(({ route }) => route.apply_status),
  ]

  const fill = (): void => {
    fillUp(disk)
    fillLastPage(join(disk, 'change-under-way.json'))
  }
  const troubles: Record<string, { begin: () => void; end: (() => void) | null; tells: RegExp }> = {
    full: { begin: fill, end: () => makeRoom(disk), tells: /ENOSPC.*the disk is full|its disk is full/ },
    'read-only': { begin: () => remount(disk, 'ro'), end: () => remount(disk, 'rw'), tells: /EROFS.*read-only/ },
    damaged: {
      begin: () => journal.block(message('root.file_empty')),
      end: null,
      tells: /change-under-way\.json is damaged/,
    },
  }
  for (const [what, { begin, end, tells }] of Object.entries(troubles)) {
    it(`${what}: every change is 503 with the reason and leaves host and records as they were, reads are answered, and health is an error`, async () => {
      assert.match(await helper(), /^ok/)
      const [picture, before] = [kernel.picture(), await statuses()]
      begin()
      for (const [which, change] of Object.entries(CHANGES)) {
        const { status, error } = await change(client)
        assert.deepEqual(
          [status, error.code, error.details['reason']],
          [503, 'SERVICE_UNAVAILABLE', 'state_unusable'],
          which,
        )
        assert.match(error.message, tells, which)
      }
      assert.deepEqual([kernel.picture(), await statuses()], [picture, before])
      assert.match(await helper(), /^error: /)
      assert.match(await helper(), tells)
      if (!end) return
      end()
      assert.match(await helper(), /^ok/)
      for (const change of Object.values(CHANGES)) assert.ok((await change(client)).status < 300)
    })
  }
}
