// tunnel-panel over the API as it is installed: with Debian's node, which cannot give root up by itself, and as users who
// may not read what is the panel's.
import assert from 'node:assert/strict'
import type { CreateTokenAnswer } from '@panel/shared/api/tokens.ts'
import type { MonitorSummaryAnswer } from '@panel/shared/api/monitor.ts'
import type { ListRoutesAnswer } from '@panel/shared/api/routes/answers.ts'
import type { ListTunnelsAnswer } from '@panel/shared/api/tunnels/answers.ts'
import type { ListWebhooksAnswer } from '@panel/shared/api/webhooks.ts'
import { expect } from '../panel/panel.ts'
import { HERE, SLOW, type Installed } from './installed.ts'

const SECRET_PATH = 'T000-of-the-lab'
const HOOK = { title: 'Lab', kind: 'slack', url: `https://hooks.example/${SECRET_PATH}`, events: ['tunnel_state'] }
/** It can read neither the configuration nor the state of the panel. */
const AS_NOBODY = 'runuser -u nobody --'

export function isAtHand(panel: Installed): void {
  const run = async <A>(command: string): Promise<A> => JSON.parse(await panel.lab.run(command, SLOW)) as A

  it('lists and changes for root without a token, whatever a value looks like, as the user of the panel', async () => {
    const { tunnels } = await run<ListTunnelsAnswer>('tunnel-panel tunnels list -o json')
    assert.deepEqual(
      tunnels.map(({ interface_name }) => interface_name),
      ['gre-a-1', 'gre-a-2', 'gre-a-3'],
    )
    const { routes } = await run<ListRoutesAnswer>('tunnel-panel routes list -o json')
    assert.deepEqual([routes.length, routes[0]?.route.bind_port], [1, 9000])
    await panel.lab.run("tunnel-panel tunnels update 1 --display_name 'see https://wiki.example/'", SLOW)
    const { tunnels: changed } = expect(await panel.operator.get<ListTunnelsAnswer>('/tunnels'), 200)
    assert.equal(changed[0]?.display_name, 'see https://wiki.example/')
    assert.equal((await run<MonitorSummaryAnswer>('tunnel-panel monitor -o json')).total, 3)
    assert.equal((await panel.lab.run('find /var/lib/tunnel-panel ! -user tunnel-panel')).trim(), '')
  })

  it('reads a file that only root can read, for the secret of a target, and removes the target again', async () => {
    const { lab } = panel
    await lab.write('/root/hook.json', JSON.stringify(HOOK))
    await lab.run('chmod 600 /root/hook.json && tunnel-panel webhooks create --data /root/hook.json', SLOW)
    const { webhooks } = expect(await panel.operator.get<ListWebhooksAnswer>('/webhooks'), 200)
    assert.deepEqual(
      webhooks.map(({ title, address }) => [title, address]),
      [['Lab', 'https://hooks.example']],
    )
    const inArguments = await lab.try(`tunnel-panel webhooks create --title X --url ${HOOK.url}`, SLOW)
    assert.deepEqual([inArguments.code, /--data FILE/.test(inArguments.stderr)], [2, true], inArguments.stderr)
    const id = String(webhooks[0]?.webhook_id)
    assert.match(await lab.run(`tunnel-panel webhooks delete ${id} && rm /root/hook.json`, SLOW), /^deleted: true$/m)
    const left = await lab.try(`journalctl -o cat --no-pager | grep -F ${SECRET_PATH}`)
    assert.deepEqual([left.code, left.stdout], [1, ''])
  })

  it('tells another user to be root or to name a panel and a token, and works with these', async () => {
    const { lab } = panel
    const alone = await lab.try(`${AS_NOBODY} tunnel-panel tunnels list`, SLOW)
    assert.equal(alone.code, 3, alone.stderr)
    assert.match(alone.stderr, /Run this as root.*\n.*--panel https:.* --token-file FILE/)
    const { text } = expect(
      await panel.operator.post<CreateTokenAnswer>('/auth/tokens', {
        title: 'lab',
        scopes: ['read'],
      }),
      201,
    )
    await lab.write('/tmp/token', text)
    await lab.run(
      'install -m 644 /var/lib/tunnel-panel/panel.crt /tmp/panel.crt && chmod 600 /tmp/token && chown nobody /tmp/token',
    )
    const at = `--url https://${HERE}:8480/${await panel.webPath()}/ --token-file /tmp/token`
    const { tunnels } = await run<ListTunnelsAnswer>(
      `NODE_EXTRA_CA_CERTS=/tmp/panel.crt ${AS_NOBODY} tunnel-panel tunnels list -o json ${at}`,
    )
    assert.equal(tunnels.length, 3)
    const refused = await lab.try(`${AS_NOBODY} tunnel-panel tunnels list ${at}`, SLOW)
    assert.deepEqual([refused.code, /SELF_SIGNED/.test(refused.stderr)], [5, true], refused.stderr)
  })

  it('is completed by bash, and has its page where man looks for it', async () => {
    const { lab } = panel
    const file = '/usr/share/bash-completion/completions/tunnel-panel'
    assert.equal(
      (await lab.run(`bash -c '. ${file} && complete -p tunnel-panel'`)).trim(),
      'complete -F _tunnel_panel tunnel-panel',
    )
    assert.match(await lab.run('zcat /usr/share/man/man1/tunnel-panel.1.gz'), /^\.TH TUNNEL/m)
  })
}
