// The configuration: defaults, file and environment, and what is refused.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '@panel/web-daemon/app/config.ts'
import { ConfigError } from '@panel/web-daemon/platform/config-error.ts'

describe('the configuration', () => {
  const directory = mkdtempSync(join(tmpdir(), 'panel-config-'))
  after(() => rmSync(directory, { recursive: true }))
  const file = (text: string): string => {
    const path = join(directory, 'panel.conf')
    writeFileSync(path, text)
    return path
  }
  const problemsOf = (environment: Record<string, string>): string => {
    try {
      readConfig(environment)
    } catch (failure) {
      assert.ok(failure instanceof ConfigError)
      return failure.message
    }
    throw new assert.AssertionError({ message: `accepted: ${JSON.stringify(environment)}` })
  }

  it('is on loopback, port 8480, without a prefix, by default', () => {
    const { listen_address, listen_port, web_path } = readConfig({})
    assert.deepEqual([listen_address, listen_port, web_path], ['127.0.0.1', 8480, ''])
  })

  it('is read from a file, with comments and quotes, and the environment wins', () => {
    const path = file('# the panel\nPANEL_LISTEN_PORT=9000\n\nPANEL_WEB_PATH = "hidden"\nPANEL_HELPER_GROUP=panel\n')
    const config = readConfig({ PANEL_CONFIG_FILE: path, PANEL_LISTEN_PORT: '9001', HOME: '/root' })
    assert.deepEqual([config.listen_port, config.web_path], [9001, 'hidden'])
  })

  it('has the slashes around the web path trimmed', () => {
    assert.equal(readConfig({ PANEL_WEB_PATH: '//a.b~c-d_e/' }).web_path, 'a.b~c-d_e')
    assert.equal(readConfig({ PANEL_WEB_PATH: '/' }).web_path, '')
  })

  for (const bad of ['a/b', 'api', 'assets', 'a b', 'x'.repeat(65), '..', '%61', 'ä']) {
    it(`refuses the web path ${bad} and says what to write`, () =>
      assert.match(problemsOf({ PANEL_WEB_PATH: bad }), /PANEL_WEB_PATH: .* write /))
  }

  it('tells of everything that is wrong at once', () => {
    const path = file('PANEL_LISTEN_PROT=1\nnonsense\n')
    const output = problemsOf({
      PANEL_CONFIG_FILE: path,
      PANEL_LISTEN_ADDRESS: 'localhost',
      PANEL_LISTEN_PORT: '70000',
      PANEL_STATE_DIR: 'state',
      PANEL_HELPER_SOCKET: 'sock',
    })
    for (const part of [
      'no option PANEL_LISTEN_PROT',
      'line 2: write NAME=value',
      'PANEL_LISTEN_ADDRESS',
      'PANEL_LISTEN_PORT',
      'PANEL_STATE_DIR',
      'PANEL_HELPER_SOCKET',
    ])
      assert.ok(output.includes(part), part)
    assert.match(problemsOf({ PANEL_CONFIG_FILE: join(directory, 'none') }), /cannot be read \(ENOENT\)/)
  })

  it('serves plain HTTP and trusts no proxy unless both files, and proxies, are named', () => {
    assert.deepEqual([readConfig({}).tls, readConfig({}).trusted_proxies], [null, []])
    assert.deepEqual(readConfig({ PANEL_TLS_CERT: '/c', PANEL_TLS_KEY: '/k' }).tls, { cert: '/c', key: '/k' })
    assert.deepEqual(
      readConfig({ PANEL_TRUSTED_PROXIES: '127.0.0.1, 10.0.0.0/24 ::1,2001:db8::/32' }).trusted_proxies,
      ['127.0.0.1', '10.0.0.0/24', '::1', '2001:db8::/32'],
    )
  })

  it('knows the names of the host that the operator gives, and refuses what is no name', () => {
    assert.deepEqual(readConfig({}).host_names, [])
    assert.deepEqual(readConfig({ PANEL_HOST_NAMES: 'panel.example, b.lan c' }).host_names, [
      'panel.example',
      'b.lan',
      'c',
    ])
    for (const name of ['https://panel.example', 'panel.example:8480', 'panel.example/', '*', '*.example', '.example'])
      assert.match(problemsOf({ PANEL_HOST_NAMES: name }), /PANEL_HOST_NAMES: "[^"]*": write names/)
  })

  it('refuses one of the two files without the other, and a proxy that is no address', () => {
    assert.match(problemsOf({ PANEL_TLS_CERT: '/c' }), /PANEL_TLS_KEY is missing: PANEL_TLS_CERT is set/)
    assert.match(problemsOf({ PANEL_TLS_KEY: '/k' }), /PANEL_TLS_CERT is missing: PANEL_TLS_KEY is set/)
    assert.match(
      problemsOf({ PANEL_TLS_CERT: 'c', PANEL_TLS_KEY: 'k' }),
      /PANEL_TLS_CERT: "c" is not an absolute path[^]*PANEL_TLS_KEY: "k" is not/,
    )
    for (const proxy of ['proxy.example', '10.0.0.0/33', '10.0.0.0/', '::1/129', '10.0.0', 'loopback'])
      assert.match(
        problemsOf({ PANEL_TRUSTED_PROXIES: `127.0.0.1,${proxy}` }),
        /PANEL_TRUSTED_PROXIES: "[^"]*": write IP addresses or networks/,
      )
  })
})
