// What the operator does with the panel while both daemons are confined.
import assert from 'node:assert/strict'
import type { ChangeRouteAnswer } from '@panel/shared/api/routes/answers.ts'
import type { CreateTunnelAnswer } from '@panel/shared/api/tunnels/answers.ts'
import { expect, OPERATOR } from '../panel/panel.ts'
import { becomes } from '../eventually.ts'
import { HERE, type Installed } from './installed.ts'

export function works(panel: Installed): void {
  it('does its work in these sandboxes: tunnels kept by systemd, by networkd and by nothing, a keepalive, a relay rule, and a look at all of it', async () => {
    expect(await panel.operator.post('/auth/setup', OPERATOR), 201)
    for (const [number, body] of [
      { persistence_type_id: 10, keepalive_interval_seconds: 5 },
      { persistence_type_id: 20 },
      { persistence_type_id: 30 },
    ].entries()) {
      const { verification } = expect(
        await panel.operator.post<CreateTunnelAnswer>('/tunnels', {
          local_endpoint: HERE,
          remote_endpoint: `192.0.2.${number + 11}`,
          ...body,
        }),
        201,
      )
      assert.ok(verification.ok)
    }
    const { verification } = expect(
      await panel.operator.post<ChangeRouteAnswer>('/routes', {
        bind_address: HERE,
        bind_port: 9000,
        destination_address: '172.17.1.2',
        destination_port: 80,
      }),
      201,
    )
    assert.ok(verification.ok)
    assert.deepEqual(await panel.statuses(), ['gre-a-1 InSync', 'gre-a-2 InSync', 'gre-a-3 InSync', '1 InSync'])
    // It is started without waiting for it.
    await becomes(
      async () => (await panel.lab.try('systemctl', ['is-active', 'tunnel-panel-keepalive-gre-a-1.service'])).stdout,
      (state) => state === 'active\n',
    )
  })
}
