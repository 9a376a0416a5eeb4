// However many requests come at once, by however many connections, root does a bounded amount of work and reads what is
// costly once for all (root-helper/work.ts, root-helper/shared-read.ts).
import assert from 'node:assert/strict'
import { mkdtempSync } from 'node:fs'
import { connect, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { listenOn } from '@panel/root-helper/kernel/files/socket-file.ts'
import { OwnedTable } from '@panel/root-helper/kernel/nft/owned-table.ts'
import { TableProtection } from '@panel/root-helper/kernel/nft/protection.ts'
import { eventually } from '../../support/eventually.ts'
import { memoryFolder } from '../../support/memory-folder.ts'
import { Generations } from '@panel/root-helper/kernel/nft/generations.ts'
import type { Nft } from '@panel/root-helper/kernel/nft/nft.ts'
import { NftRulesets } from '@panel/root-helper/kernel/nft/rulesets.ts'
import { serverFor } from '@panel/root-helper/server.ts'
import { sharedRead } from '@panel/root-helper/shared-read.ts'
import { LIMITS } from '@panel/root-helper/work.ts'
import { quietly } from '../../support/quietly.ts'

describe('A costly reading', () => {
  it('is done once for all who ask at once, and once more for those who came while it was under way', async () => {
    let [begun, now] = [0, 0]
    const read = sharedRead(async () => {
      begun += 1
      const what = now
      await sleep(5)
      return what
    })
    const first = read()
    now = 1
    const later = Promise.all(Array.from({ length: 256 }, read))
    assert.deepEqual([await first, new Set(await later), begun], [0, new Set([1]), 2])
    assert.equal(await read(), 1)
    assert.equal(begun, 3)
  })

  it('that fails does so for those who waited for it, and the next one is done', async () => {
    let begun = 0
    const read = sharedRead(async () => {
      begun += 1
      await sleep(1)
      if (begun === 1) throw new Error('not now')
      return begun
    })
    assert.deepEqual(
      (await Promise.allSettled([read(), read(), read()])).map(({ status }) => status),
      ['rejected', 'fulfilled', 'fulfilled'],
    )
  })

  it('of the table starts nft once for 256 probes', async () => {
    let listings = 0
    const nft = {
      list: async () => {
        listings += 1
        await sleep(5)
        return null
      },
    } as unknown as Nft
    let generation = 0
    // Another program changes nftables all the time, so that no listing can be kept.
    const rulesets = new NftRulesets(
      nft,
      { held: () => ({ boot_rules: [], boot_trouble: null }), change: async () => undefined },
      new Generations(async () => generation++),
      new TableProtection(memoryFolder(), new OwnedTable(async () => 0)),
      { prepare: () => undefined },
    )
    await Promise.all(Array.from({ length: 256 }, () => rulesets.read()))
    assert.ok(listings <= 2, String(listings))
  })
})

describe('The requests of all connections', () => {
  quietly()
  let path: string
  let server: Server
  let sockets: Socket[]
  let [underWay, most, done] = [0, 0, 0]
  let answer = ''
  let hold: Promise<void> | null = null

  beforeEach(async () => {
    path = join(mkdtempSync(join(tmpdir(), 'panel-work-')), 'helper.sock')
    ;[underWay, most, done, answer, hold, sockets] = [0, 0, 0, '{}', null, []]
    server = serverFor(
      async (line, _streams, onStream) => {
        underWay += 1
        most = Math.max(most, underWay)
        if (String(new TextDecoder().decode(line)).startsWith('stream')) onStream?.()
        await (hold ?? sleep(2))
        underWay -= 1
        done += 1
        return { text: answer, hangUp: false }
      },
      () => ({}),
    )
    await listenOn(server, path, '')
  })
  afterEach(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })

  const open = async (): Promise<Socket> => {
    const socket = connect(path)
    sockets.push(socket)
    await new Promise((resolve) => socket.once('connect', resolve))
    return socket
  }
  const until = async (holds: () => boolean): Promise<void> => {
    await eventually(holds, () => `${done} done`)
  }

  it('are carried out a few at a time, of one connection and of all, and all are answered', async () => {
    const one = await open()
    one.resume().write('request\n'.repeat(256))
    await until(() => done === 256)
    assert.equal(most, LIMITS.of_connection)
    for (let at = 0; at < 7; at += 1) (await open()).resume().write('request\n'.repeat(256))
    await until(() => done === 8 * 256)
    assert.equal(most, LIMITS.requests)
  })

  it('that are long are fewer at a time, since each takes a part of the memory', async () => {
    const line = `${'x'.repeat(3 * 1024 * 1024)}\n`
    let release = (): void => undefined
    hold = new Promise((resolve) => (release = resolve))
    for (let at = 0; at < 4; at += 1) (await open()).resume().write(line)
    await until(() => underWay === 2)
    release()
    await until(() => done === 4)
    assert.equal(most, 2)
  })

  it('of which some are streams leave the others their room', async () => {
    hold = new Promise(() => undefined)
    const one = await open()
    one.write('stream\n'.repeat(40))
    await until(() => underWay === 40)
    hold = null
    one.resume().write('request\n')
    await until(() => done === 1)
  })

  it('whose answers nobody takes leave room for another connection', async () => {
    answer = 'x'.repeat(1024 * 1024)
    const deaf = await open()
    deaf.pause().write('request\n'.repeat(256))
    await until(() => done >= 1)
    await sleep(50)
    assert.ok(done <= LIMITS.of_connection, String(done))
    const before = done
    ;(await open()).resume().write('request\n')
    await until(() => done === before + 1)
  })

  it('of a connection that is gone give their room back', async () => {
    let release = (): void => undefined
    hold = new Promise((resolve) => (release = resolve))
    for (let at = 0; at < 2; at += 1) (await open()).write('request\n'.repeat(256))
    await until(() => underWay === LIMITS.requests)
    for (const socket of sockets) socket.destroy()
    release()
    hold = null
    const other = await open()
    const answered = new Promise((resolve) => other.once('data', resolve))
    other.write('request\n')
    await answered
    await until(() => underWay === 0)
  })
})
