// The limits of a host against the helper as a process, with real rules, by any request that its socket takes.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { askOnce } from '../../packaging/run/ask-once.ts'
import { BUNDLE } from '../../packaging/build/build.ts'
import { IN_ROTATION, type RelayRule } from '@panel/shared/ruleset/model.ts'
import { RelayRig, ruleOfRig, SERVERS } from './relay-rig.ts'

describe('Beyond the limits of a host', function () {
  const folder = mkdtempSync(join(tmpdir(), 'panel-limits-'))
  const file = join(folder, 'limits.conf')
  let rig: RelayRig
  before(async () => {
    rig = new RelayRig({ PANEL_LIMITS_FILE: file })
    await rig.open()
    await rig.become(ruleOfRig(1))
  })
  after(async () => {
    await rig.close()
    rmSync(folder, { recursive: true })
  })
  afterEach(() => rmSync(file, { force: true }))

  const picture = (): string => rig.relay.run('nft', ['list', 'ruleset'])
  const refused = async (why: RegExp, ...rules: RelayRule[]): Promise<void> => {
    const before = picture()
    await assert.rejects(rig.apply([], rules), why)
    assert.equal(picture(), before)
  }
  const to = (address: string, port = 80): Partial<RelayRule> => ({
    destinations: [{ address, port, port_range_end: null, weight: 1, ...IN_ROTATION }],
  })

  for (const address of ['224.0.0.1', '255.255.255.255', '0.0.0.0', '169.254.169.254', '100.100.100.200'])
    it(`no rule leads to ${address}`, () => refused(/tunnel-panel allow destination/, ruleOfRig(2, to(address))))

  it('no rule sends from an address that the host does not have, and one does from one that it has', async () => {
    await refused(
      /8\.8\.8\.8 is no address of this server/,
      ruleOfRig(2, { nat_mode: 'snat', snat_address: '8.8.8.8' }),
    )
    assert.equal(
      (await rig.apply([], [ruleOfRig(2, { nat_mode: 'snat', snat_address: '10.9.0.1' })])).outcome,
      'applied',
    )
    await rig.become(ruleOfRig(1))
  })

  it('no rule has a mark of other software', () =>
    refused(/tunnel-panel allow mark 0x80000$/, ruleOfRig(2, { fwmark: 0x8_0000 })))

  it('no rule has pairs of sources and destinations that hold the helper for long', () => {
    const destinations = Array.from({ length: 64 }, (_, at) => to(`10.9.1.${at + 1}`).destinations ?? []).flat()
    const allowed_sources = Array.from({ length: 200 }, (_, at) => `10.${at}.0.0/16`)
    return refused(/12800 pairs/, ruleOfRig(2, { balance: 'round_robin', destinations, allowed_sources }))
  })

  it('what the file says holds at once, a fault in it names its line, and what goes may go', async () => {
    writeFileSync(file, `forbidden_destinations = ${SERVERS[1]}\nrules = 1\n`)
    await refused(/10\.9\.0\.3 forbids/, ruleOfRig(2, to(SERVERS[1])))
    await refused(/There would be 2 relay rules, and 1 are allowed/, ruleOfRig(2))
    writeFileSync(file, 'rules = 2\n\nrules = some\n')
    await refused(/limits\.conf, line 3: rules is one number/, ruleOfRig(2))
    assert.equal((await rig.apply([ruleOfRig(1)], [])).outcome, 'applied')
    rmSync(file)
    assert.equal((await rig.apply([], [ruleOfRig(1)])).outcome, 'applied')
    writeFileSync(file, 'rules = 20\n')
    chmodSync(file, 0o666)
    await refused(/chmod 644/, ruleOfRig(2))
  })

  it('the command that the refusal shows allows it', async () => {
    const rule = ruleOfRig(3, to('169.254.7.7'))
    const refusal = await rig.apply([], [rule]).catch((error: unknown) => String(error))
    const [, command = ''] = /tunnel-panel (allow .+)$/.exec(String(refusal)) ?? []
    const output = execFileSync(process.execPath, [join(BUNDLE, 'tunnel-panel.cjs'), ...command.split(' ')], {
      env: { ...process.env, PANEL_LIMITS_FILE: file },
      encoding: 'utf8',
    })
    assert.match(output, /in force at once: forbidden_destinations = !169\.254\.7\.7/)
    assert.equal((await rig.apply([], [rule])).outcome, 'applied')
    const { limits, limits_used } = await askOnce(rig.socket, 'host.probe', { parts: ['limits', 'limits_used'] })
    assert.equal(limits?.path, file)
    assert.deepEqual([limits_used?.rules, limits_used?.tunnels], [2, 0])
    await rig.become(ruleOfRig(1))
  })
})
