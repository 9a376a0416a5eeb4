// The sysctls of a link that something else has deleted: made again between the same ends it has those of the last look
// (decisions.md, T26).
import assert from 'node:assert/strict'
import type { TunnelState } from '@panel/shared/tunnel/model.ts'
import type { LinkSettings } from '@panel/root-helper/kernel/facilities.ts'
import { CarriedSysctls } from '@panel/root-helper/nouns/tunnel/carried-sysctls.ts'
import { digestTunnels } from '@panel/root-helper/nouns/tunnel/digest.ts'
import { tunnelSubject } from '@panel/root-helper/nouns/tunnel/subject.ts'
import { Transaction } from '@panel/root-helper/transaction.ts'
import { asStates } from '@panel/shared/tunnel/plans.ts'
import { exampleTunnel } from '../../support/example.ts'
import { FakeKernel } from '../../support/fake-kernel.ts'
import { noJournal } from '../../support/in-process-helper.ts'

const NAME = 'gre-a-1'
const OWN: LinkSettings = [
  { family: 'ipv4', key: 'rp_filter', value: '2' },
  { family: 'ipv4', key: 'accept_local', value: '1' },
]
const TUNNEL = exampleTunnel({}, NAME)
const OTHER = exampleTunnel({ remote_endpoint: '198.51.100.99' }, NAME)

describe('The own sysctls of a link that vanished', () => {
  let kernel: FakeKernel
  let sysctls: CarriedSysctls
  const apply = (before: TunnelState | null, after: TunnelState | null) =>
    new Transaction(tunnelSubject(kernel, sysctls), noJournal()).apply(asStates({ before, after }))
  const look = () => digestTunnels(kernel, undefined, sysctls)
  beforeEach(async () => {
    kernel = new FakeKernel()
    sysctls = new CarriedSysctls(kernel)
    await apply(null, TUNNEL)
    kernel.sysctls.set(NAME, OWN)
  })

  /** Leaves the files, like `ip link del`. */
  const vanishes = (): TunnelState => {
    kernel.held.delete(NAME)
    kernel.sysctls.delete(NAME)
    return { ...TUNNEL, link: null }
  }

  it('are those of the link that is made again, once a look has found them', async () => {
    await look()
    await apply(vanishes(), TUNNEL)
    assert.deepEqual(kernel.sysctls.get(NAME), OWN)
  })

  it('are forgotten where they were put back, or where no look has found them', async () => {
    await apply(vanishes(), TUNNEL)
    assert.equal(kernel.sysctls.get(NAME), undefined)
    kernel.sysctls.set(NAME, OWN)
    await look()
    kernel.sysctls.delete(NAME)
    await look()
    await apply(vanishes(), TUNNEL)
    assert.equal(kernel.sysctls.get(NAME), undefined)
  })

  it('are not those of another link under the name', async () => {
    await look()
    await apply(vanishes(), OTHER)
    assert.equal(kernel.sysctls.get(NAME), undefined)
  })

  it('are not those of a link that the panel itself has deleted', async () => {
    await look()
    await apply(TUNNEL, null)
    await apply(null, TUNNEL)
    assert.equal(kernel.sysctls.get(NAME), undefined)
  })
})
