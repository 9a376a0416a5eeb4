// A daemon that is away, and what the other one makes of it.
import assert from 'node:assert/strict'
import type { ListTunnelsAnswer } from '@panel/shared/api/tunnel-answers.ts'
import { expect } from '../panel/panel.ts'
import { becomes, SLOW, WEB, type Installed } from './installed.ts'

export function survives(panel: Installed): void {
  const isKnown = async (): Promise<boolean[]> => [...new Set(expect(await panel.operator.get<ListTunnelsAnswer>('/tunnels'), 200).tunnels.map(({ observed }) => observed.is_known))]

  it('shows what is stored while the helper is away, says what it cannot know, and finds it again', async () => {
    const { lab, operator } = panel
    const web = await panel.property(WEB, 'MainPID')
    await lab.run('systemctl stop tunnel-panel-helper', SLOW)
    assert.deepEqual(await becomes(isKnown, ([known, ...others]) => known === false && others.length === 0), [false])
    assert.equal((await operator.post('/tunnels/1/down', { i_understand_i_may_lose_access: true })).status, 503)
    const { code, stdout } = await lab.try('tunnel-panel status', SLOW)
    assert.deepEqual([code, /^tunnel-panel-helper +inactive\ntunnel-panel-web +active$/m.test(stdout), /^ +helper +error /m.test(stdout)], [1, true, true], stdout)
    await lab.run('systemctl start tunnel-panel-helper', SLOW)
    assert.deepEqual(await becomes(isKnown, ([known, ...others]) => known === true && others.length === 0), [true])
    assert.equal(await panel.property(WEB, 'MainPID'), web)
  })
}
