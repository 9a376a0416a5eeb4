// Where the panel listens: laws over arbitrary tries, confirmations, deaths and addresses that come and go, on sockets
// of the test. Whatever happens, there is a way in.
import assert from 'node:assert/strict'
import { generateKeySync } from 'node:crypto'
import fc from 'fast-check'
import { IN_MEMORY, openStore } from '@panel/web-daemon/app/store.ts'
import { Listeners } from '@panel/web-daemon/features/listeners/listeners.ts'
import { forgetListener, keptListener } from '@panel/web-daemon/features/listeners/store.ts'
import type { Place, Way } from '@panel/web-daemon/platform/http/sockets.ts'
import type { Store } from '@panel/web-daemon/platform/db/store.ts'
import type { CertificatePair } from '@panel/web-daemon/platform/tls/certificate.ts'
import { SecretBox } from '@panel/web-daemon/platform/secret-box.ts'
import { makeLogger } from '@panel/web-daemon/platform/log.ts'
import { Certificates, pairIn } from '../../api/support/certificates.ts'
import { FakeSockets, keyOf } from '../../support/fake-sockets.ts'

const CONFIGURED: Place = { address: '127.0.0.1', port: 8480 }
const PLACES: readonly Place[] = [
  CONFIGURED,
  { address: '10.0.0.1', port: 8443 },
  { address: '10.0.0.1', port: 8444 },
  { address: '192.168.0.1', port: 8443 },
]
const certificates = new Certificates()
const [OWN, OTHER, THIRD] = ['own', 'other', 'third'].map((name) => pairIn(certificates.make(name))) as [
  CertificatePair,
  CertificatePair,
  CertificatePair,
]

const place = fc.constantFrom(...PLACES)
const pair = fc.constantFrom(null, OWN, OTHER, THIRD)
/**
 * The kinds of confirmations: by a connection from after the change or before it, with a handshake or without one, or
 * to another listener.
 */
const from = fc.constantFrom('itself', 'before', 'resumed', 'another')
const which = fc.constantFrom('trial', 'trial', 'kept', 'none')
const as = <T extends string>(name: T) => fc.constant(name)
/** What leads on is likelier, or else few would come far. */
const deeds = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ do: as('try'), place, pair, seconds: fc.constantFrom(15, 60) }) },
    { weight: 4, arbitrary: fc.record({ do: as('keep'), which: as('trial'), from: as('itself') }) },
    { weight: 2, arbitrary: fc.record({ do: as('keep'), which, from }) },
    { weight: 2, arbitrary: fc.record({ do: as('remove'), which }) },
    { weight: 2, arbitrary: fc.record({ do: as('wait'), seconds: fc.constantFrom(3, 16, 61) }) },
    { weight: 1, arbitrary: fc.record({ do: as('vanish'), place }) },
    { weight: 2, arbitrary: fc.record({ do: as('appear'), place }) },
    { weight: 1, arbitrary: fc.record({ do: as('die') }) },
    { weight: 1, arbitrary: fc.record({ do: as('renew'), pair: fc.constantFrom(OWN, THIRD) }) },
    { weight: 3, arbitrary: fc.record({ do: as('come late'), seconds: fc.constantFrom(3, 16) }) },
  ),
  { maxLength: 25, size: 'max' },
)
type Deed = typeof deeds extends fc.Arbitrary<(infer D)[]> ? D : never

class Host {
  sockets = new FakeSockets()
  seconds = 0
  /** The listener of its files. */
  configured = OWN
  listeners!: Listeners
  readonly #db: Store
  readonly #key = generateKeySync('hmac', { length: 256 })

  constructor(db: Store) {
    this.#db = db
  }

  async start(): Promise<void> {
    this.listeners = new Listeners({
      sockets: this.sockets,
      db: this.#db,
      keyBox: new SecretBox(this.#key, 'listener'),
      configured: { ...CONFIGURED, pair: () => this.configured },
      now: () => new Date(),
      monotonic: () => this.seconds * 1000,
      logger: makeLogger({ write: () => undefined }),
      onExpired: async () => undefined,
    })
    await this.listeners.start()
  }

  /** What is refused is refused with a word of the API, and changes nothing. */
  async carryOut(deed: Deed): Promise<void> {
    const { sockets, listeners } = this
    const state = (): string => JSON.stringify([sockets.all, [...sockets.shown]])
    const before = state()
    const refused = (failure: unknown): void => {
      assert.equal((failure as Error).name, 'Refusal')
      assert.equal(state(), before)
    }
    if (deed.do === 'try')
      await listeners.tryOne({ ...deed.place, pair: deed.pair, seconds: deed.seconds }, this.way()).catch(refused)
    else if (deed.do === 'keep') await this.#keep(deed.which, deed.from).catch(refused)
    else if (deed.do === 'renew') listeners.renewConfigured((this.configured = deed.pair))
    else if (deed.do === 'remove') await listeners.remove(this.#find(deed.which)[0]).catch(refused)
    else if (deed.do === 'wait') await this.#wait(deed.seconds)
    else if (deed.do === 'appear') sockets.gone.delete(deed.place.address)
    else if (deed.do === 'vanish' && deed.place !== CONFIGURED) sockets.gone.add(deed.place.address)
    else if (deed.do === 'die') await this.#die()
    else if (deed.do === 'come late') await this.#comeLate(deed.seconds)
  }

  way(place: Place = CONFIGURED): Way {
    return { ...place, accepted_at: ++this.sockets.now, is_resumed: false }
  }

  async #keep(which: string, from: string): Promise<void> {
    const [id, itself] = this.#find(which)
    const isInPlace = this.#view(which)?.is_in_place === true
    const before = this.#find('kept')[0]
    const way = {
      itself: this.way(itself),
      before: { ...this.way(itself), accepted_at: 0 },
      resumed: { ...this.way(itself), is_resumed: true },
      another: this.way({ address: '::1', port: 1 }),
    }[from]
    assert.ok(way)
    try {
      await this.listeners.keep(id, way)
    } finally {
      if (from === 'another' || (isInPlace && from !== 'itself'))
        assert.equal(this.#find('kept')[0], before, 'nobody came through it')
      else if (id !== 999) assert.equal(this.#find('kept')[0], id, 'whoever came through it keeps it')
    }
  }

  #view(state: string) {
    return this.listeners.views(this.way()).find((view) => view.state === state)
  }

  /** One that is not there has an id that nobody has. */
  #find(state: string): [number, Place] {
    const one = this.#view(state)
    return [one?.listener_id ?? 999, one ?? CONFIGURED]
  }

  async #wait(seconds: number): Promise<void> {
    this.seconds += seconds
    await this.listeners.check()
    const [configured, kept, trial] = ['configured', 'kept', 'trial'].map((state) => this.#view(state))
    if (seconds > 15) assert.ok(!trial || (trial.seconds_left ?? 0) > 0, 'a trial goes by itself')
    if (!kept || seconds < 15 || this.sockets.gone.has(kept.address) || (trial && keyOf(trial) === keyOf(kept))) return
    assert.deepEqual([kept.is_open, configured?.is_open], [true, false], 'the kept one has its place again')
  }

  /** Adds the address late, like a tunnel's address at boot. */
  async #comeLate(seconds: number): Promise<void> {
    const { address } = this.#find('kept')[1]
    if (address !== CONFIGURED.address) this.sockets.gone.add(address)
    await this.#die()
    this.sockets.gone.delete(address)
    await this.#wait(seconds)
  }

  async #die(): Promise<void> {
    await this.listeners.stop()
    await this.start()
  }
}

describe('Wherever the panel listens', function () {
  let db: Store
  before(async () => (db = await openStore(IN_MEMORY)))
  after(async () => {
    certificates.remove()
    await db.destroy()
  })

  const whole = async (host: Host): Promise<void> => {
    const open = host.sockets.all.map(keyOf)
    const views = host.listeners.views(host.way())
    const at = (state: string) => views.find((one) => one.state === state)
    const stored = await keptListener(db, CONFIGURED)
    assert.ok(at('configured')?.is_open || at('kept')?.is_open, 'a way in that no time takes away')
    assert.deepEqual(
      open.sort(),
      [...new Set(views.filter(({ is_open }) => is_open).map(keyOf))].sort(),
      'what is open is shown',
    )
    for (const socket of open) {
      const there = views.filter((one) => one.is_open && keyOf(one) === socket)
      const wanted = there.find(({ state }) => state === 'trial') ?? there[0]
      assert.equal(host.sockets.shown.get(socket), wanted?.certificate?.fingerprint ?? '', 'the certificate is shown')
    }
    assert.deepEqual(stored?.listener_id ?? null, at('kept')?.listener_id ?? null, 'what is kept is stored')
    for (const one of [...host.sockets.all, CONFIGURED])
      assert.ok(host.listeners.ports().includes(one.port), 'every port is protected')
  }

  it('there is a way in that no time takes away, all of it is shown, stored where it is kept, and protected', async () => {
    await fc.assert(
      fc.asyncProperty(deeds, async (all) => {
        await forgetListener(db)
        const host = new Host(db)
        await host.start()
        for (const deed of all) {
          await host.carryOut(deed)
          await whole(host)
        }
        await host.listeners.stop()
      }),
      { numRuns: 150 },
    )
  })

  it('after a death the kept one is open, and else the configured one alone', async () => {
    await fc.assert(
      fc.asyncProperty(deeds, async (all) => {
        await forgetListener(db)
        const host = new Host(db)
        await host.start()
        for (const deed of all) await host.carryOut(deed)
        await host.carryOut({ do: 'die' })
        const kept = await keptListener(db, CONFIGURED)
        const wanted = kept && !host.sockets.gone.has(kept.address) ? kept : CONFIGURED
        assert.deepEqual(host.sockets.all.map(keyOf), [keyOf(wanted)])
        await host.listeners.stop()
      }),
      { numRuns: 150 },
    )
  })
})
