// Root changes only links that the panel made or adopted, whatever the request: over the fake kernel, which the
// contract holds to what a real one does.
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TunnelState } from '@panel/shared/tunnel/model.ts'
import { asStates } from '@panel/shared/tunnel/plans.ts'
import { ownLinksIn } from '@panel/root-helper/kernel/files/own-links.ts'
import { stateFolder } from '@panel/root-helper/kernel/files/state-folder.ts'
import { forgetGone } from '@panel/root-helper/nouns/tunnel/ownership.ts'
import { transactionsOf } from '@panel/root-helper/nouns/transactions.ts'
import { recover } from '@panel/root-helper/recover.ts'
import { exampleTunnel } from '../../support/example.ts'
import { FakeKernel } from '../../support/fake-kernel.ts'
import { inProcessHelper, memoryJournal, type InProcessHelper } from '../../support/in-process-helper.ts'
import { quietly } from '../../support/quietly.ts'

const NAME = 'gre-a-1'
const example = exampleTunnel()
const bare: TunnelState = { ...example, saved: null }
const withMtu = (mtu: number): TunnelState => ({ ...exampleTunnel({ mtu }), saved: null })

describe('A foreign link', () => {
  quietly()
  let kernel: FakeKernel
  let helper: InProcessHelper
  beforeEach(() => {
    kernel = new FakeKernel()
    helper = inProcessHelper(kernel)
    kernel.plant(NAME, { state: structuredClone(bare.link) })
  })
  const apply = (before: TunnelState | null, after: TunnelState | null) =>
    helper.request('tunnel.apply', { before, after })
  const isOurs = async (): Promise<boolean | undefined> =>
    (await helper.request('tunnel.probe', { interface_names: [NAME] })).tunnels[0]?.is_ours
  const adopt = (link = bare.link!) => helper.request('tunnel.adopt', { interface_name: NAME, link })

  it('is neither changed nor deleted nor given a file nor renamed, and the refusal says what to do', async () => {
    const wishes = [withMtu(1400), null, example, exampleTunnel({}, 'gre-b-2'), bare]
    for (const after of wishes)
      await assert.rejects(apply(bare, after), {
        code: 'protected_interface',
        message: 'The link gre-a-1 was not made by the panel: adopt it first',
      })
    assert.deepEqual([kernel.changes, await isOurs()], [[], false])
  })

  it('is changed and deleted once it is adopted, which touches nothing', async () => {
    await adopt()
    assert.deepEqual([kernel.changes, await isOurs()], [[], true])
    assert.equal((await apply(bare, withMtu(1400))).outcome, 'applied')
    assert.equal((await apply(withMtu(1400), null)).outcome, 'applied')
    assert.equal(kernel.held.has(NAME), false)
  })

  it('is not adopted unless it is as it was seen, nor where it is no tunnel', async () => {
    await assert.rejects(adopt(withMtu(1400).link!), { code: 'stale_state' })
    kernel.held.delete(NAME)
    await assert.rejects(adopt(), { code: 'stale_state' })
    kernel.plant(NAME, { kind: 'vxlan' })
    await assert.rejects(adopt(), { code: 'protected_interface' })
    await assert.rejects(helper.request('tunnel.adopt', { interface_name: 'gre0', link: bare.link! }), {
      code: 'protected_interface',
    })
    const odd = exampleTunnel().link!
    odd.config.local_endpoint = '999.0.2.1'
    await assert.rejects(adopt(odd), { code: 'malformed' })
    assert.equal(await isOurs(), false)
  })

  it('is safe from a change that began with the link of the panel in its place', async () => {
    kernel.held.delete(NAME)
    await apply(null, bare)
    const { addAddress } = kernel.links
    // Between two steps of the change another program puts its link there.
    kernel.links.addAddress = async (name, address) => {
      kernel.plant(NAME, { state: exampleTunnel({ remote_endpoint: '192.0.2.99' }).link })
      return addAddress(name, address)
    }
    const more = [{ address: '172.17.9.1', peer_address: '', prefix_length: 30 }, ...bare.link!.config.addresses]
    const { outcome } = await apply(bare, { ...exampleTunnel({ addresses: more }), saved: null })
    assert.equal(outcome, 'stuck')
    assert.deepEqual(kernel.held.get(NAME)?.state, exampleTunnel({ remote_endpoint: '192.0.2.99' }).link)
  })

  it('is the panel’s where a unit of its own makes that link, as at boot, and not where it makes another', async () => {
    kernel.held.delete(NAME)
    await apply(null, example)
    for (const [ikey, expected] of [
      [4711, true],
      [5, false],
    ] as const) {
      kernel.plant(NAME, { state: exampleTunnel({ ikey, mtu: 1300 }).link })
      assert.equal(await isOurs(), expected)
    }
  })

  it('that a unit of ours makes stays the panel’s when the unit goes', async () => {
    kernel.held.delete(NAME)
    await apply(null, example)
    kernel.plant(NAME, { state: structuredClone(example.link) })
    assert.equal((await apply(example, bare)).outcome, 'applied')
    assert.equal(await isOurs(), true)
  })

  it('is what a released link becomes, with a unit of ours or without', async () => {
    kernel.held.delete(NAME)
    for (const state of [bare, example]) {
      await apply(null, state)
      await helper.request('tunnel.release', { interface_name: NAME })
      await assert.rejects(apply(state, null), { code: 'protected_interface' })
      await helper.request('tunnel.adopt', { interface_name: NAME, link: state.link! })
      assert.equal((await apply(state, null)).outcome, 'applied')
    }
    assert.deepEqual(await helper.request('tunnel.release', { interface_name: NAME }), {})
  })
})

describe('A helper that was killed between making a link and noting that it is its own', () => {
  quietly()
  const interrupted = async (kernel: FakeKernel, change: Parameters<typeof asStates>[0]): Promise<unknown> => {
    const journal = memoryJournal()
    await journal.begin('tunnel', asStates(change))
    await recover(journal, transactionsOf(kernel, journal))
    return journal.read()
  }

  it('takes the link away when it starts again: the journal proves it', async () => {
    const kernel = new FakeKernel()
    kernel.plant(NAME, { state: { is_up: false, config: { ...example.link!.config, addresses: [] } } })
    assert.equal(await interrupted(kernel, { before: null, after: example }), null)
    assert.equal(kernel.held.size, 0)
  })

  it('has the link as it was before, where it was made again', async () => {
    for (const made of [example, exampleTunnel({ ikey: 9 })]) {
      const kernel = new FakeKernel()
      kernel.plant(NAME, { state: structuredClone(made.link) })
      assert.equal(await interrupted(kernel, { before: bare, after: exampleTunnel({ ikey: 9 }) }), null)
      assert.deepEqual(kernel.held.get(NAME)?.state, bare.link)
    }
  })

  it('leaves a link that another program has put there since', async () => {
    const kernel = new FakeKernel()
    kernel.plant(NAME, { state: exampleTunnel({ remote_endpoint: '192.0.2.99' }).link })
    assert.notEqual(await interrupted(kernel, { before: null, after: example }), null)
    assert.deepEqual(kernel.changes, [])
  })
})

describe('The record of the links that are the panel’s', () => {
  let folder: string
  beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'panel-links-'))))
  afterEach(() => rmSync(folder, { recursive: true }))
  const path = (): string => join(folder, 'links.json')
  const opened = (boot_id = 'one') => ownLinksIn(stateFolder(folder), boot_id)

  it('outlasts the helper and not the boot, after which the kernel numbers links again', async () => {
    const own = opened()
    await own.keep(7)
    await own.keep(8)
    await own.release(8)
    assert.deepEqual([7, 8, 9].map(opened().isOwn), [true, false, null])
    const next = opened('two')
    assert.deepEqual([next.isOwn(7), next.trouble()], [null, null])
    await next.keep(3)
    assert.deepEqual(JSON.parse(readFileSync(path(), 'utf8')), { boot_id: 'two', links: [[3, true]] })
  })

  it('forgets links that are gone', async () => {
    const kernel = new FakeKernel()
    kernel.plant(NAME, { state: bare.link })
    const own = opened()
    const index = kernel.held.get(NAME)!.index
    for (const one of [index, 901, 902]) await own.keep(one)
    own.gone(902)
    await forgetGone({ links: kernel.links, ownLinks: own })
    await own.keep(903)
    assert.deepEqual([index, 901, 902, 903].map(opened().isOwn), [true, null, null, true])
  })

  it('that cannot be written leaves a link as it was, and no new one is left behind', async () => {
    const full = { ...stateFolder(folder), write: () => Promise.reject(new Error('The disk is full')) }
    const own = ownLinksIn(full, 'one')
    await assert.rejects(own.keep(7), /full/)
    assert.equal(own.isOwn(7), null)
    const kernel = Object.assign(new FakeKernel(), { ownLinks: own })
    const { outcome } = await inProcessHelper(kernel).request('tunnel.apply', { before: null, after: example })
    assert.deepEqual([outcome, kernel.held.size], ['restored', 0])
  })

  for (const content of ['', 'garbage', 'null', '[]', '{"boot_id":"one"}', '{"boot_id":"one","links":[7]}']) {
    it(`that is ${JSON.stringify(content)} is reported, and no tunnel is changed until it is set aside`, async () => {
      writeFileSync(path(), content)
      const kernel = new FakeKernel()
      const own = opened()
      const { request } = inProcessHelper(Object.assign(kernel, { ownLinks: own }))
      const refusal = {
        code: 'state_unusable',
        message: /links\.json is damaged \(.+\).*sudo tunnel-panel set-aside links\.json/,
      }
      await assert.rejects(request('tunnel.apply', { before: null, after: example }), refusal)
      assert.match(own.trouble() ?? '', refusal.message)
      assert.deepEqual([kernel.changes, readFileSync(path(), 'utf8')], [[], content])
      assert.equal((await request('tunnel.probe', { interface_names: [NAME] })).tunnels.length, 1)
      rmSync(path())
      assert.equal((await request('tunnel.apply', { before: null, after: example })).outcome, 'applied')
    })
  }
})
