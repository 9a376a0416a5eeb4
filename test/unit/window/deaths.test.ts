// Whatever dies while a window is open: the host ends as it was when the window opened, or as it was confirmed.
import assert from 'node:assert/strict'
import { exampleRule } from '../../support/example-rule.ts'
import { exampleTunnel } from '../../support/example.ts'
import { FaultyKernel, from } from '../../support/faulty.ts'
import { quietly } from '../../support/quietly.ts'
import { ID, Root } from './root.ts'

const tunnel = exampleTunnel()
const changed = exampleTunnel({ ttl: 64 })
const one = exampleRule({ route_rule_id: 1 })
const two = exampleRule({ route_rule_id: 2, bind_port: 8443, sort_order: 2 })
const moved = { ...one, bind_port: 4443 }

/** A host with a tunnel and two rules, and what it looks like. */
async function host(): Promise<{ root: Root; opening: string }> {
  const root = await new Root().start()
  await root.tunnel(null, tunnel)
  await root.rules([], [one, two])
  return { root, opening: root.picture() }
}

const change = async (root: Root): Promise<void> => {
  await root.tunnel(tunnel, changed)
  await root.rules([one], [moved])
  await root.forward(true)
}

/**
 * Lets nothing work from the n-th change of the host on, so host and disk are those of a helper that was killed there.
 */
async function killedAt(root: Root, at: number, work: () => Promise<unknown>): Promise<boolean> {
  const faulty = new FaultyKernel(root.kernel, from(at, 'refuses'))
  await root.start(faulty)
  await work().catch(() => undefined)
  return faulty.requests >= at
}

/** The same at the n-th time that the disk is written. */
async function killedAtWrite(root: Root, at: number, work: () => Promise<unknown>): Promise<boolean> {
  let requests = 0
  const dies = (): boolean => (requests += 1) >= at
  const { write, remove } = root.folder
  const dead = () => Promise.reject(new Error('The helper was killed'))
  root.folder.write = (name, text) => (dies() ? dead() : write(name, text))
  root.folder.remove = (name) => (dies() ? dead() : remove(name))
  await root.start(new FaultyKernel(root.kernel, () => (requests >= at ? 'refuses' : null)))
  await work().catch(() => undefined)
  Object.assign(root.folder, { write, remove })
  return requests >= at
}

describe('A window', () => {
  quietly()

  it('that waits for its first change goes on waiting where the helper is killed, and after that change has its time', async () => {
    const { root } = await host()
    await root.open(60, 'first_change')
    await root.start()
    assert.equal(root.windows.probe().window?.is_waiting, true)
    await change(root)
    await root.start()
    const { window } = root.windows.probe()
    assert.deepEqual([window?.is_waiting, window?.seconds_left], [false, 60])
  })

  it('goes on with the time that is left where the helper is killed while it is open', async () => {
    const { root, opening } = await host()
    await root.open(60)
    await change(root)
    root.clock.stall(40_000)
    await root.start()
    assert.equal(root.windows.probe().window?.seconds_left, 20)
    await root.clock.advance(20_000)
    await new Promise((resolve) => setTimeout(resolve, 50))
    assert.equal(root.picture(), opening)
  })

  it('is taken back ahead of serving by a helper that starts after its time', async () => {
    const { root, opening } = await host()
    await root.open(60)
    await change(root)
    root.clock.stall(60_000)
    await root.start()
    assert.equal(root.picture(), opening)
    assert.equal(root.windows.probe().ended?.how, 'expired')
  })

  it('is taken back ahead of serving after a reboot, with all other rules in place', async () => {
    const { root, opening } = await host()
    await root.open(3600)
    await change(root)
    await root.reboot()
    assert.equal(root.picture(), opening)
    assert.equal(root.windows.probe().ended?.how, 'rebooted')
  })

  it('holds a change that was cut short at any step as it holds any other: all is taken back', async () => {
    for (let at = 1; ; at += 1) {
      const { root, opening } = await host()
      await root.open(60)
      await root.rules([two], [{ ...two, bind_port: 9443 }])
      if (!(await killedAt(root, at, () => change(root)))) break
      await root.start()
      assert.equal(root.windows.probe().window?.state, 'open', `step ${at}`)
      await root.handlers['window.cancel']({ window_id: ID })
      assert.equal(root.picture(), opening, `step ${at}`)
    }
  })

  it('knows what was made in it also where the helper is killed as that is deleted again', async () => {
    const ends = { ikey: 77, okey: 77, addresses: [{ address: '172.17.9.1', peer_address: '', prefix_length: 30 }] }
    const made = exampleTunnel(ends, 'made')
    const third = exampleRule({ route_rule_id: 3, bind_port: 7443, sort_order: 3 })
    for (let at = 1; ; at += 1) {
      const { root, opening } = await host()
      await root.open(60)
      await root.rules([], [third])
      await root.tunnel(null, made)
      const isKilled = await killedAt(root, at, async () => {
        await root.rules([third], [])
        await root.tunnel(made, null)
      })
      await root.start()
      const { window } = root.windows.probe()
      assert.deepEqual([window?.route_rule_ids, window?.tunnels], [[3], ['made']], `step ${at}`)
      await root.handlers['window.cancel']({ window_id: ID })
      assert.equal(root.picture(), opening, `step ${at}`)
      if (!isKilled) break
    }
  })

  it('has all of it taken back, or confirmed, wherever between two writes of the disk the helper is killed', async () => {
    const seen = new Set<string>()
    for (const end of ['cancel', 'confirm', 'expire'] as const)
      for (let at = 1; ; at += 1) {
        const { root, opening } = await host()
        const isKilled = await killedAtWrite(root, at, async () => {
          await root.open(60)
          await change(root)
          if (end === 'expire') await root.clock.advance(60_000)
          else await root.handlers[`window.${end}`]({ window_id: ID })
        })
        const changed = root.picture()
        await root.start()
        const { window, ended } = root.windows.probe()
        assert.ok(window === null || window.state === 'open', `${end} at write ${at}`)
        if (window) await root.handlers['window.cancel']({ window_id: ID })
        // Confirmed is what no record is left of.
        const isConfirmed = !window && !ended && end === 'confirm' && !isKilled
        assert.equal(root.picture(), isConfirmed ? changed : opening, `${end} at write ${at}`)
        seen.add(window ? 'open' : (ended?.how ?? 'none'))
        if (!isKilled) break
      }
    assert.deepEqual([...seen].sort(), ['cancelled', 'expired', 'none', 'open'])
  })

  it('that is being taken back when the helper is killed at any step is taken back by the next one', async () => {
    for (let at = 1; ; at += 1) {
      const { root, opening } = await host()
      await root.open(60)
      await change(root)
      const isKilled = await killedAt(root, at, () => root.handlers['window.cancel']({ window_id: ID }))
      await root.start()
      assert.equal(root.picture(), opening, `step ${at}`)
      assert.equal(root.windows.probe().ended?.how, 'cancelled')
      if (!isKilled) break
    }
  })

  it('that has ended is over although its record is still there', async () => {
    const { root, opening } = await host()
    await root.open(60)
    await change(root)
    const record = root.folder.read('window.json') ?? ''
    await root.handlers['window.cancel']({ window_id: ID })
    await root.folder.write('window.json', record)
    await root.start()
    assert.deepEqual([root.windows.probe().window, root.windows.probe().ended?.how], [null, 'cancelled'])
    assert.equal(root.picture(), opening)
  })

  it('is not confirmed where its record cannot be removed, and is confirmed where only the answer is lost', async () => {
    const { root } = await host()
    await root.open(60)
    await change(root)
    const there = root.picture()
    const { remove } = root.folder
    root.folder.remove = () => Promise.reject(new Error('The disk is gone'))
    await assert.rejects(root.handlers['window.confirm']({ window_id: ID }), /The disk is gone/)
    assert.equal(root.windows.probe().window?.state, 'open')
    root.folder.remove = remove
    await root.handlers['window.confirm']({ window_id: ID })
    await root.start()
    assert.deepEqual([root.picture(), root.windows.probe()], [there, { window: null, ended: null }])
  })

  it('that cannot be taken back says so, is tried again after 1, 10 and 60 s, and keeps changes from beginning', async () => {
    const { root, opening } = await host()
    let isBroken = true
    await root.start(new FaultyKernel(root.kernel, () => (isBroken && isEnding ? 'refuses' : null)))
    let isEnding = false
    await root.open(60)
    await change(root)
    isEnding = true
    const { window } = await root.handlers['window.cancel']({ window_id: ID })
    assert.equal(window?.state, 'stuck')
    assert.ok(window.detail.length > 0 && window.remediation.length > 0)
    assert.match(root.windows.trouble() ?? '', /could not be taken back/)
    await assert.rejects(root.rules([two], []), { code: 'window_ended' })
    const waits: number[] = []
    for (const wait of [1000, 10_000, 60_000]) {
      await root.clock.advance(wait - 1)
      const before = root.kernel.changes.length
      isBroken = wait < 60_000
      await root.clock.advance(1)
      await new Promise((resolve) => setTimeout(resolve, 250))
      waits.push(root.kernel.changes.length - before)
    }
    assert.ok((waits[2] ?? 0) > 0, 'the last try changed the host')
    assert.deepEqual(
      [root.picture(), root.windows.probe().ended?.how, root.windows.trouble()],
      [opening, 'cancelled', null],
    )
  })

  it('that cannot be taken back can be given up by hand, and the host stays as it is', async () => {
    const { root } = await host()
    let isEnding = false
    await root.start(new FaultyKernel(root.kernel, () => (isEnding ? 'refuses' : null)))
    await root.open(60)
    await change(root)
    isEnding = true
    await root.handlers['window.cancel']({ window_id: ID })
    const there = root.picture()
    assert.deepEqual(await root.handlers['window.forget']({ window_id: ID }), { window: null, ended: null })
    isEnding = false
    assert.equal(root.picture(), there)
    assert.equal((await root.tunnel(changed, tunnel)).outcome, 'applied')
  })

  for (const [what, text] of Object.entries({
    'is empty': '',
    'is garbage': '{',
    'is of a later format': '{"format":2}',
    'has no fold': `{"format":1,"window_id":"${ID}"}`,
    'speaks of something unknown': `{"format":1,"window_id":"${ID}","seconds":60,"boot_id":"x","deadline":1,"changed":1,"changes":1,"how":null,"folds":{"quota":{"before":null,"after":null}}}`,
  }))
    it(`whose record ${what} keeps every change from beginning, and says which file and what to do`, async () => {
      const { root } = await host()
      await root.folder.write('window.json', text)
      await root.start()
      const reason = /window\.json is damaged \(.+\).*sudo tunnel-panel set-aside window\.json/
      await assert.rejects(root.tunnel(tunnel, changed), { code: 'state_unusable', message: reason })
      await assert.rejects(root.open(), { code: 'state_unusable' })
      assert.match(root.windows.trouble() ?? '', reason)
      assert.equal(root.folder.read('window.json'), text)
      await root.folder.remove('window.json')
      assert.equal((await (await root.start()).tunnel(tunnel, changed)).outcome, 'applied')
    })
})

describe('In a window a change does not begin', () => {
  quietly()
  const irreversible = { code: 'irreversible' }
  const opened = async () => {
    const made = await host()
    await made.root.open(60)
    return made
  }
  const untouched = (root: Root, opening: string): void => {
    assert.equal(root.picture(), opening)
    assert.equal(root.windows.probe().window?.changes, 0)
  }

  it('whose way back the kernel would refuse', async () => {
    const { root, opening } = await opened()
    root.kernel.rulesets.refusesRehearsal = 'nft: Error: syntax error'
    await assert.rejects(root.rules([one], [moved]), { ...irreversible, message: /way back would fail.*syntax error/ })
    untouched(root, opening)
  })

  it('that deletes a link with something that nobody could put back', async () => {
    const { root } = await opened()
    const link = root.kernel.held.get('gre-a-1') ?? assert.fail()
    link.unmodelled = ['a qdisc']
    const opening = root.picture()
    await assert.rejects(root.tunnel(tunnel, null), { ...irreversible, message: /a qdisc/ })
    untouched(root, opening)
  })

  it('where a file could not be put back for want of room', async () => {
    const { root, opening } = await opened()
    root.kernel.foldersTrouble = 'Nothing could be put back in /etc: its disk has less than 1 MiB left'
    await assert.rejects(root.tunnel(tunnel, changed), { ...irreversible, message: /less than 1 MiB/ })
    untouched(root, opening)
  })

  it('whose record cannot be written, or does not hold what was written', async () => {
    for (const damage of ['', '{}']) {
      const { root, opening } = await opened()
      const { read } = root.folder
      root.folder.read = (name) => (name === 'window.json' ? damage : read(name))
      await assert.rejects(root.tunnel(tunnel, changed), irreversible)
      root.folder.read = read
      root.folder.write = () => Promise.reject(new Error('The disk is full'))
      await assert.rejects(root.tunnel(tunnel, changed), /The disk is full/)
      untouched(root, opening)
    }
  })

  it('that the journal cannot hold, and is not counted in the window', async () => {
    const { root, opening } = await opened()
    for (const how of ['write', 'append'] as const) {
      const put = root.folder[how]
      root.folder[how] = (name, text) =>
        name === 'change-under-way.json' ? Promise.reject(new Error('The disk is full')) : put(name, text)
    }
    await assert.rejects(root.tunnel(tunnel, changed), /The disk is full/)
    untouched(root, opening)
    assert.deepEqual(root.windows.probe().window?.tunnels, [])
  })

  it('but begins as ever where no window is open', async () => {
    const { root } = await host()
    root.kernel.rulesets.refusesRehearsal = 'nft: Error: syntax error'
    assert.equal((await root.rules([one], [moved])).outcome, 'applied')
  })
})
