// limits.conf: what a line of it says, and the line that is wrong.
import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { limitsFile } from '@panel/root-helper/kernel/files/limits-file.ts'
import { isFault, lineThatAllows, parseLimits } from '@panel/shared/limits/file.ts'
import { DEFAULT_LIMITS, type Limits } from '@panel/shared/limits/model.ts'

const limitsOf = (text: string): Limits => {
  const found = parseLimits(text)
  return isFault(found) ? assert.fail(found.why.message) : found
}

describe('limits.conf', () => {
  it('is the defaults if it has nothing but comments and blank lines', () => {
    assert.deepEqual(limitsOf(''), DEFAULT_LIMITS)
    assert.deepEqual(limitsOf('# tunnels = 1\n\n   # more\n'), DEFAULT_LIMITS)
  })

  it('adds to a list, empties it by a line without values, and sets a number', () => {
    assert.deepEqual(limitsOf('tunnel_networks = 8.8.4.0/24 9.9.9.9 # ours\n').tunnel_networks, [
      ...DEFAULT_LIMITS.tunnel_networks,
      '8.8.4.0/24',
      '9.9.9.9',
    ])
    assert.deepEqual(limitsOf('reserved_names =\nreserved_names = !wg-own wg*\n').reserved_names, ['!wg-own', 'wg*'])
    assert.equal(limitsOf('tunnels=7\r\n').tunnels, 7)
    assert.deepEqual(DEFAULT_LIMITS, limitsOf(''), 'the defaults are as they were')
  })

  for (const [text, line, why] of [
    ['tunnels = 1\nrubbish\n', 2, /not of the form "key = values"/],
    ['tunnel = 1', 1, /no key tunnel/],
    ['constructor = 1', 1, /no key constructor/],
    ['tunnels = many', 1, /tunnels is one number from 0 to 4096/],
    ['tunnels = 4097', 1, /from 0 to 4096/],
    ['tunnels = 1 2', 1, /one number/],
    ['tunnels =', 1, /one number/],
    ['tunnels = -1', 1, /one number/],
    ['\n\ntunnel_networks = 8.8.8.0/33', 3, /8\.8\.8\.0\/33 is nothing that tunnel_networks can hold/],
    ['reserved_names = [a', 1, /\[a/],
    ['protected_ports = 0', 1, /protected_ports/],
    ['protected_ports = 9-1', 1, /9-1/],
    ['protected_ports = ssh', 1, /ssh is nothing/],
    ['forbidden_destinations = localhost', 1, /localhost/],
    ['marks = 0x1ffffffff', 1, /0x1ffffffff/],
    ['marks = 1/2/3', 1, /1\/2\/3/],
    [`reserved_names = ${'a '.repeat(1001)}`, 1, /1000 entries at most/],
  ] as const)
    it(`has a fault in line ${line} if it is ${JSON.stringify(text).slice(0, 60)}`, () => {
      const found = parseLimits(text)
      assert.ok(isFault(found))
      assert.equal(found.line, line)
      assert.match(found.why.message, why)
    })

  it('allows by the line that the command adds: an addition, an exception, or a number', () => {
    assert.equal(lineThatAllows('network', '8.8.4.0/24'), 'tunnel_networks = 8.8.4.0/24')
    assert.equal(lineThatAllows('name', 'wg-own'), 'reserved_names = !wg-own')
    assert.equal(lineThatAllows('tunnels', '9'), 'tunnels = 9')
    for (const kind of ['tunnel_networks', 'nothing', 'toString']) assert.equal(lineThatAllows(kind, '1'), null)
  })
})

describe('The file of the limits', () => {
  const folder = mkdtempSync(join(tmpdir(), 'panel-limits-'))
  const path = join(folder, 'limits.conf')
  after(() => rmSync(folder, { recursive: true }))
  const written = (text: string, mode = 0o644): ReturnType<ReturnType<typeof limitsFile>['read']> => {
    writeFileSync(path, text)
    chmodSync(path, mode)
    return limitsFile(path).read()
  }

  it('is the defaults where there is none, and is read again each time', () => {
    assert.deepEqual(limitsFile(path).read(), { path, limits: DEFAULT_LIMITS, fault: null })
    assert.equal(written('tunnels = 5').limits.tunnels, 5)
    assert.equal(written('tunnels = 6').limits.tunnels, 6)
  })

  it('names the file and the line of a fault, and then gives no limit but the defaults', () => {
    const { limits, fault } = written('tunnels = 5\nrubbish')
    assert.deepEqual(limits, DEFAULT_LIMITS)
    assert.match(fault?.message ?? '', /limits\.conf, line 2: it is not of the form/)
  })

  it('has a fault if anybody but its owner can write it, or if it is no file', () => {
    for (const mode of [0o664, 0o646])
      assert.match(written('tunnels = 5', mode).fault?.message ?? '', /chown root:root .* && chmod 644/)
    assert.ok(limitsFile(folder).read().fault)
  })
})
