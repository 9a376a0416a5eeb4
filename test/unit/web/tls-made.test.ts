// The certificate and key that the panel makes by itself.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { makeSelfSigned, SelfSignedError } from '@panel/web-daemon/platform/tls/self-signed.ts'
import { shipped } from '../../support/shipped.ts'
import { Certificates, filesIn, fingerprintIn, pairIn } from '../../api/support/certificates.ts'

const DAY_MS = 86_400_000

describe('The pair that is made here', () => {
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

  describe('that are made here', () => {
    it('are for the names that are given, for 825 days, and belong to the owner of the folder alone', () => {
      const made = makeSelfSigned(next, ['panel.example', '192.0.2.1', '2001:db8::1', '*.example'])
      const found = new X509Certificate(readFileSync(made.cert))
      assert.equal(
        found.subjectAltName,
        'DNS:panel.example, IP Address:192.0.2.1, IP Address:2001:DB8:0:0:0:0:0:1, DNS:*.example',
      )
      assert.deepEqual([found.subject, found.ca, found.fingerprint256], ['CN=panel.example', false, made.fingerprint])
      assert.ok(found.verify(found.publicKey))
      assert.equal(Math.round((new Date(found.validTo).getTime() - Date.now()) / DAY_MS), 825)
      assert.deepEqual([statSync(made.key).mode & 0o777, statSync(made.cert).mode & 0o777], [0o600, 0o644])
      assert.equal(statSync(made.key).uid, statSync(join(made.key, '..')).uid)
    })

    it('hold as many names as are given, and dates from 2050 on, in the form that OpenSSL checks strictly', () => {
      const names = Array.from({ length: 4000 }, (_, at) => `server-${at}.panel.example`)
      const { cert } = makeSelfSigned(next, names, new Date('2049-06-01T12:34:56Z'))
      const found = new X509Certificate(readFileSync(cert))
      assert.deepEqual(
        found.subjectAltName?.split(', '),
        names.map((name) => `DNS:${name}`),
      )
      assert.deepEqual([found.validFrom, found.validTo], ['May 31 12:34:56 2049 GMT', 'Sep  4 12:34:56 2051 GMT'])
      const at_2050 = ['-attime', String(Date.UTC(2050, 0) / 1000)]
      execFileSync('openssl', ['verify', '-x509_strict', ...at_2050, '-CAfile', cert, cert], { stdio: 'ignore' })
    })

    it('are made again on request, each time with another key and number', () => {
      const before = [pairIn(place).key, new X509Certificate(pairIn(place).cert).serialNumber]
      makeSelfSigned(place, ['localhost'])
      assert.notEqual(pairIn(place).key, before[0])
      assert.notEqual(new X509Certificate(pairIn(place).cert).serialNumber, before[1])
      assert.deepEqual(readdirSync(place).sort(), ['panel.crt', 'panel.key'])
    })

    it('never replace a certificate that another key has signed, nor a key without its certificate', () => {
      const [ca, leaf] = [place, next]
      const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'ignore' })
      openssl('req', '-new', '-key', filesIn(leaf).key, '-subj', '/CN=leaf', '-out', join(leaf, 'csr'))
      openssl(
        'x509',
        '-req',
        '-in',
        join(leaf, 'csr'),
        '-CA',
        filesIn(ca).cert,
        '-CAkey',
        filesIn(ca).key,
        '-set_serial',
        '7',
        '-out',
        filesIn(leaf).cert,
      )
      assert.throws(() => makeSelfSigned(leaf, ['localhost']), /not a self-signed pair. Move them away/)
      rmSync(filesIn(ca).cert)
      assert.throws(() => makeSelfSigned(ca, ['localhost']), SelfSignedError)
    })

    for (const names of [
      [],
      ['https://panel.example'],
      ['panel.example:8480'],
      ['a b'],
      ['-a.example'],
      ['x'.repeat(64)],
      ['fe80::1%eth0'],
    ]) {
      it(`are not made for ${JSON.stringify(names)}, with a word on what to write`, () => {
        assert.throws(
          () => makeSelfSigned(place, names),
          (failure) => failure instanceof SelfSignedError && /host name/.test(failure.message),
        )
      })
    }

    it('are made by a command that says what to put into the configuration', function () {
      const [program, script] = shipped('tunnel-panel')
      const made = next
      const run = (state_dir: string, ...names: string[]) =>
        execFileSync(program, [script, 'make-certificate', ...names], {
          env: { ...process.env, PANEL_STATE_DIR: state_dir },
          encoding: 'utf8',
          stdio: ['ignore', 'pipe', 'pipe'],
        })
      const output = run(made, 'panel.example')
      assert.ok(output.startsWith(`PANEL_TLS_CERT=${filesIn(made).cert}\nPANEL_TLS_KEY=${filesIn(made).key}\n`))
      assert.ok(output.includes(fingerprintIn(made)))
      for (const [wrong, reported] of [
        [() => run(join(folder, 'none'), 'a'), /^There is no store in [^\n]*\n$/],
        [() => run(made), /^Say what the panel is reached by[^\n]*\n$/],
      ] as const)
        assert.throws(wrong, (failure) => reported.test((failure as { stderr: string }).stderr))
    })
  })
})
