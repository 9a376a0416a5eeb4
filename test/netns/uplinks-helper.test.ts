// A second uplink with the shipped helper: it follows default routes that come and go, without a request, and brings
// back what answers need before it serves.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Uplink } from '@panel/shared/ruleset/found.ts'
import { askOnce } from '../../packaging/run/ask-once.ts'
import { exampleRule } from '../support/example-rule.ts'
import { becomes } from '../support/eventually.ts'
import { RelayRig } from './relay-rig.ts'

const UPLINK = 'uplink'
const RULE = exampleRule({ bind_address: '198.51.100.2', bind_interface: UPLINK })
const ALL = { route_rule_ids: [], from_id: 0 }
const ANSWERED: readonly Uplink[] = [{ interface_name: UPLINK, family: 4, gateway: '198.51.100.1' }]

describe('The interface that a rule names', function () {
  const rig = new RelayRig()
  const route = (...words: readonly string[]): string => rig.relay.run('ip', ['-4', 'route', ...words])
  const second = ['default', 'via', '198.51.100.1', 'dev', UPLINK, 'metric', '4000'] as const
  const uplinks = async (): Promise<readonly Uplink[]> => (await askOnce(rig.socket, 'ruleset.probe', ALL)).uplinks
  const become = (count: number): Promise<readonly Uplink[]> => becomes(uplinks, (now) => now.length === count)
  const ours = (): string => route('show', 'table', 'all', 'proto', '84')
  before(async () => {
    await rig.open()
    rig.relay.batch(
      `link add ${UPLINK} type veth peer name provider`,
      'link set provider up',
      `addr add 198.51.100.2/24 dev ${UPLINK}`,
      `link set ${UPLINK} up`,
    )
    if (route('show', 'default').trim() === '') route('add', 'default', 'dev', 'provider')
  })
  after(() => rig.close())

  it('has no way of its own while it has no default route, however its rule is applied', async () => {
    const { outcome } = await askOnce(rig.socket, 'ruleset.apply', { before: null, after: [RULE] })
    assert.equal(outcome, 'applied')
    assert.deepEqual([await uplinks(), ours()], [[], ''])
  })

  it('is answered by as soon as it has one, and no more once that is gone', async () => {
    route('add', ...second)
    assert.deepEqual(await become(1), ANSWERED)
    route('del', ...second)
    await becomes(
      async () => ours(),
      (left) => left === '',
    )
    assert.deepEqual(await uplinks(), [])
  })

  it('is answered by another gateway once that is another', async () => {
    route('add', ...second)
    await become(1)
    route('replace', 'default', 'via', '198.51.100.3', 'dev', UPLINK, 'metric', '4000')
    await becomes(uplinks, ([one]) => one?.gateway === '198.51.100.3')
    assert.match(ours(), /^default via 198\.51\.100\.3 dev uplink/m)
    route('replace', ...second)
    await becomes(uplinks, ([one]) => one?.gateway === '198.51.100.1')
  })

  it('is answered by it before a helper serves that starts again, all of it having been lost meanwhile', async () => {
    rig.relay.run('ip', ['-4', 'rule', 'del', 'priority', '19995'])
    rig.relay.run('sh', ['-c', 'ip -4 route flush table all proto 84; nft delete table inet panel_answers'])
    await rig.restartHelper()
    assert.deepEqual(await uplinks(), ANSWERED)
  })

  it('changes the revision of the rules as it comes and goes', async () => {
    const { revision } = await askOnce(rig.socket, 'ruleset.probe', ALL)
    route('del', ...second)
    await become(0)
    const { is_unchanged, uplinks: now } = await askOnce(rig.socket, 'ruleset.probe', { ...ALL, known: revision })
    assert.deepEqual([is_unchanged, now], [false, []])
    route('add', ...second)
    await become(1)
  })

  it('keeps what it has while the file of the rules is damaged, however often the helper starts', async () => {
    const file = join(rig.folder, 'state', 'ruleset.json')
    const [whole, before] = [readFileSync(file), ours()]
    writeFileSync(file, '{"rules":')
    await rig.restartHelper()
    assert.equal(ours(), before)
    assert.match(rig.relay.run('nft', ['list', 'tables']), /panel_answers/)
    writeFileSync(file, whole)
    await rig.restartHelper()
    assert.deepEqual([await uplinks(), ours()], [ANSWERED, before])
  })

  it('has nothing left of it once its last rule is forgotten', async () => {
    await askOnce(rig.socket, 'ruleset.forget', { route_rule_ids: [RULE.route_rule_id] })
    assert.deepEqual([await uplinks(), ours()], [[], ''])
    assert.doesNotMatch(rig.relay.run('nft', ['list', 'tables']), /panel_answers/)
  })
})
