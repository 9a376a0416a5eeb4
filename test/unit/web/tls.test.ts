// The certificate's files: what is refused at the start, and what is taken while the server runs.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createPrivateKey } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { ConfigError } from '@panel/web-daemon/platform/config-error.ts'
import { makeLogger } from '@panel/web-daemon/platform/log.ts'
import { CertificateWatcher } from '@panel/web-daemon/platform/tls/certificate-watcher.ts'
import {
  CertificateError,
  readCertificatePair,
  type CertificatePair,
} from '@panel/web-daemon/platform/tls/certificate.ts'
import { Certificates, filesIn, pairIn } from '../../api/support/certificates.ts'

const DAY_MS = 86_400_000

describe('A certificate and its key', () => {
  // Keys take their time to be made.
  const stock = new Certificates()
  const [one, two] = [stock.make('one'), stock.make('two')]
  let folder: string
  let place: string
  /** The other pair, in a folder of its own. */
  let next: string
  beforeEach(() => {
    folder = mkdtempSync(join(stock.folder, 'case-'))
    ;[place, next] = [join(folder, 'own'), join(folder, 'next')]
    cpSync(one, place, { recursive: true })
    cpSync(two, next, { recursive: true })
  })
  after(() => stock.remove())

  const kept = (files = filesIn(place), now = (): Date => new Date()) => {
    const log: Record<string, unknown>[] = []
    const taken: CertificatePair[] = []
    const pair = new CertificateWatcher({
      files,
      now,
      logger: makeLogger({ write: (line) => void log.push(JSON.parse(line) as Record<string, unknown>) }),
    })
    return { pair, log, taken, look: () => pair.check((found) => void taken.push(found)) }
  }

  describe('are refused at the start', () => {
    const spoil: [string, () => void, RegExp][] = [
      ['where there is no certificate', () => rmSync(filesIn(place).cert), /file of the certificate does not exist/],
      ['where there is no key', () => rmSync(filesIn(place).key), /file of the key does not exist/],
      [
        'where one is a folder',
        () => (rmSync(filesIn(place).key), mkdirSync(filesIn(place).key)),
        /file of the key is a folder/,
      ],
      [
        'where the certificate is none',
        () => writeFileSync(filesIn(place).cert, 'nonsense'),
        /does not begin with one in PEM form/,
      ],
      [
        'where the key is none',
        () => writeFileSync(filesIn(place).key, 'nonsense'),
        /holds no private key in PEM form/,
      ],
      ['where the key is cut off', () => truncateSync(filesIn(place).key, 900), /or is not complete/],
      [
        'where the key is that of another',
        () => copyFileSync(filesIn(next).key, filesIn(place).key),
        /The key is not that of the first certificate/,
      ],
      [
        'where the key asks for a passphrase',
        () =>
          writeFileSync(
            filesIn(place).key,
            createPrivateKey(pairIn(place).key).export({
              type: 'pkcs8',
              format: 'pem',
              cipher: 'aes-128-cbc',
              passphrase: 'secret',
            }),
          ),
        /protected by a passphrase/,
      ],
    ]
    for (const [what, change, output] of spoil) {
      it(`${what}, with the names of the settings and the files`, () => {
        change()
        assert.throws(
          () => kept(),
          (failure) => {
            assert.ok(failure instanceof ConfigError)
            assert.match(failure.message, output)
            for (const part of ['PANEL_TLS_CERT=', 'PANEL_TLS_KEY=', filesIn(place).cert])
              assert.ok(failure.message.includes(part), failure.message)
            return true
          },
        )
      })
    }

    it('where they may not be read', () => {
      chmodSync(filesIn(place).key, 0)
      const isRoot = process.getuid?.() === 0
      if (isRoot) process.seteuid?.(65534)
      try {
        assert.throws(() => kept(), /cannot be read by the user that the web daemon runs as; give it the right to/)
      } finally {
        if (isRoot) process.seteuid?.(0)
      }
    })
  })

  describe('are worried about', () => {
    const stateAt = (now: Date) => kept(filesIn(place), () => now).pair.component()

    it('in health and the log where they have expired, or are not valid yet, or nobody renews them', () => {
      assert.equal(stateAt(new Date()).status, 'ok')
      for (const [days, output] of [
        [826, /expired on/],
        [-5, /not valid before/],
        [825 - 29, /nobody has renewed it yet/],
      ] as const) {
        const { status, detail } = stateAt(new Date(Date.now() + days * DAY_MS))
        assert.deepEqual([status, output.test(detail.message)], ['degraded', true], detail.message)
      }
      assert.equal(stateAt(new Date(Date.now() + (825 - 31) * DAY_MS)).status, 'ok')
      const { log } = kept(filesIn(stock.make('old', new Date(Date.now() - 900 * DAY_MS))))
      assert.match(String(log[0]?.['warning']), /expired on/)
    })

    it('where every user of the server can read the key', () => {
      chmodSync(filesIn(place).key, 0o644)
      assert.match(kept().pair.component().detail.message, /Every user of this server can read the key/)
      chmodSync(filesIn(place).key, 0o640)
      assert.equal(kept().pair.component().status, 'ok')
    })

    it('without a path in what health shows to anybody', () => {
      const { pair, look } = kept()
      rmSync(filesIn(place).key)
      look()
      assert.ok(!pair.component().detail.message.includes('/'))
    })
  })

  describe('that change while the server runs', () => {
    it('are taken, once', () => {
      const { pair, taken, log, look } = kept()
      look()
      assert.equal(taken.length, 0)
      for (const name of ['panel.key', 'panel.crt']) renameSync(join(next, name), join(place, name))
      look()
      look()
      assert.deepEqual(
        [taken.length, taken[0]?.cert, pair.pair],
        [1, readFileSync(filesIn(place).cert, 'utf8'), taken[0]],
      )
      assert.equal(log.at(-1)?.['msg'], 'a new certificate is in use')
    })

    it('are taken where links to them are swapped, one after the other, as those who renew certificates do', () => {
      const live = join(folder, 'live')
      mkdirSync(live)
      for (const name of ['panel.key', 'panel.crt']) symlinkSync(join(place, name), join(live, name))
      const { pair, taken, look } = kept(filesIn(live))
      const swap = (name: string): void => {
        symlinkSync(join(next, name), join(live, 'new'))
        renameSync(join(live, 'new'), join(live, name))
      }
      swap('panel.crt')
      look()
      assert.deepEqual([taken.length, pair.component().status], [0, 'degraded'])
      swap('panel.key')
      look()
      assert.deepEqual([taken.length, pair.component().status, pair.pair.cert], [1, 'ok', pairIn(next).cert])
    })

    it('are taken where a folder that is a link is swapped', () => {
      const current = join(folder, 'current')
      symlinkSync(place, current)
      const { taken, look } = kept(filesIn(current))
      symlinkSync(next, `${current}.new`)
      renameSync(`${current}.new`, current)
      look()
      assert.equal(taken.length, 1)
    })

    it('are left alone if they cannot be used, which is in the log once and stays in health, until they can', () => {
      const { pair, taken, log, look } = kept()
      const old = pair.pair
      const whole = readFileSync(filesIn(next).cert, 'utf8')
      writeFileSync(filesIn(place).cert, whole.slice(0, 700))
      for (const _time of [1, 2, 3]) look()
      const { status, detail } = pair.component()
      assert.deepEqual([taken.length, pair.pair, status], [0, old, 'degraded'])
      assert.match(detail.message, /cannot be used, so the previous one stays in use, until .* or is not complete/)
      assert.equal(
        log.filter(({ msg }) => msg === 'the new certificate cannot be used; the previous one stays in use').length,
        1,
      )
      writeFileSync(filesIn(place).cert, whole)
      look()
      assert.match(pair.component().detail.message, /The key is not that of the first certificate/)
      copyFileSync(filesIn(next).key, filesIn(place).key)
      look()
      assert.deepEqual([taken.length, pair.component().status], [1, 'ok'])
    })

    it('are left alone where they are gone, and where OpenSSL does not take them', () => {
      const { pair, taken, look } = kept()
      rmSync(place, { recursive: true })
      look()
      assert.deepEqual([taken.length, pair.component().status], [0, 'degraded'])
      mkdirSync(place)
      execFileSync(
        'openssl',
        [
          'req',
          '-x509',
          '-newkey',
          'rsa:512',
          '-nodes',
          '-subj',
          '/CN=weak',
          '-days',
          '5',
          '-keyout',
          filesIn(place).key,
          '-out',
          filesIn(place).cert,
        ],
        { stdio: 'ignore' },
      )
      look()
      assert.match(pair.component().detail.message, /cannot be used: .*key too small/)
    })
  })

  it('differ from anything else that goes wrong', () => {
    assert.throws(() => readCertificatePair({ cert: '/nowhere/a', key: '/nowhere/b' }), CertificateError)
  })
})
