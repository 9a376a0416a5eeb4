// tunnel-panel over the API (reference.md, Command line): on the host without a token, from elsewhere with one.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import { join } from 'node:path'
import { signingKey } from '@panel/web-daemon/features/auth/key.ts'
import { signRequest } from '@panel/web-daemon/features/auth/local-request.ts'
import { Certificates, filesIn, pairIn } from './support/certificates.ts'
import type { Client, Reply } from './support/client.ts'
import { startCommandLine, type CommandLine, type Ended } from './support/command-line.ts'
import type { TestPanel } from './support/panel.ts'
import { listening } from './support/receivers.ts'
import { createTunnel } from './support/tunnels.ts'

describe('The command line over the API', function () {
  let folder: string
  let panel: TestPanel
  let operator: Client
  let run: CommandLine['run']
  let close: CommandLine['close']

  before(async () => {
    ;({ folder, panel, operator, run, close } = await startCommandLine())
    await createTunnel(operator, { display_name: 'Hamburg relay' })
  })
  after(() => close())

  const token = async (scopes: readonly string[]): Promise<string> =>
    (await operator.post<{ text: string }>('/auth/tokens', { title: scopes.join(), scopes })).body.text

  it('on the host takes no token: it lists as a table or as JSON, and shows one', async () => {
    const table = await run(['tunnels', 'list'])
    assert.deepEqual([table.code, table.output], [0, ''])
    assert.match(table.out, /^ID +INTERFACE +ENDS +ADDRESS +STATE +IN +OUT\n *1 +gre-a-1 /)
    const { tunnels } = JSON.parse((await run(['tunnels', '-o', 'json'])).out) as {
      tunnels: { display_name: string }[]
    }
    assert.equal(tunnels[0]?.display_name, 'Hamburg relay')
    assert.match((await run(['tunnels', 'show', '1'])).out, /^display_name: Hamburg relay$/m)
  })

  it('changes things, with a query, fields and a body from the standard input, and the audit log says who', async () => {
    assert.equal((await run(['tunnels', 'update', '1', '--display_name', 'Bremen'])).code, 0)
    assert.equal((await run(['pools', 'list', '-o', 'json'])).code, 0)
    const created = await run(
      ['pools', 'create', '--data', '-'],
      {},
      JSON.stringify({ address_pool_title: 'Lab', base_cidr: '10.99.0.0/16', prefix_length: 30 }),
    )
    assert.ok([0, 1].includes(Number(created.code)), created.output)
    const { entries } = (await operator.get<{ entries: { username: string; action: string }[] }>('/audit?limit=9')).body
    const entry = entries.find(({ action }) => action === 'TunnelUpdate')
    assert.equal(entry?.username, 'command line')
  })

  it('from elsewhere takes a token from the environment or a file', async () => {
    const text = await token(['read'])
    const elsewhere = { PANEL_STATE_DIR: '/nonexistent', PANEL_TOKEN: text }
    assert.equal((await run(['tunnels', 'list', '--url', panel.base], elsewhere)).code, 0)
    const file = join(folder, 'token')
    writeFileSync(file, `${text}\n`, { mode: 0o600 })
    const byFile = ['routes', 'list', `--url=${panel.base}`, '--token-file', file]
    assert.equal((await run(byFile, { PANEL_STATE_DIR: '/nonexistent' })).code, 0)
    const refused = await run(['tunnels', 'delete', '1', '--url', panel.base], elsewhere)
    assert.equal(refused.code, 3)
    assert.match(refused.output, /needs one of the scopes tunnels/)
  })

  it('says in words and by its exit code what is wrong', async () => {
    const codes: [readonly string[], number, RegExp][] = [
      [['tunnels', 'nonsense'], 2, /tunnels has no nonsense\. There are: .*list, /],
      [['tunnels', 'lsit'], 2, /tunnels has no lsit\. Did you mean list\?/],
      [['tunels'], 2, /There is no command tunels\. Did you mean tunnels\?/],
      [['tunnels', 'show'], 2, /needs the id of one/],
      [['tunnels', 'show', '9999'], 4, /./],
      [['tunnels', 'update', '1', '--mtu', 'x'], 2, /--mtu takes an integer/],
      [['tunnels', 'update', '1', '--nonsense', '1'], 2, /has no option --nonsense\. There are: /],
      [['tunnels', 'update', '1', '--mtv', '1'], 2, /Did you mean --mtu\?/],
      [['tunnels', 'update', '1', '--mtu', '1'], 1, /mtu: /],
      [['tunnels', 'list', '-o', 'xml'], 2, /json or table/],
      [['tunnels', 'list', '--url', 'http://127.0.0.1:1/', '--token-file', '/dev/null'], 2, /takes an API token/],
    ]
    for (const [args, code, words] of codes) {
      const ended = await run(args)
      assert.deepEqual([ended.code, ended.out], [code, ''], `${args.join(' ')}: ${ended.output}`)
      assert.match(ended.output, words)
    }
    const away = await run(['tunnels', 'list', '--url', 'http://127.0.0.1:1/'], { PANEL_TOKEN: 'x' })
    assert.equal(away.code, 5)
  })

  it('makes this end of a tunnel from a pairing code, and says what is wrong with one that cannot be read', async () => {
    const { tunnel_id } = (await createTunnel(operator, { local_endpoint: '203.0.113.1' })).body.tunnel
    const { pairing_code } = (await operator.get<{ pairing_code: string }>(`/tunnels/${tunnel_id}/pairing-code`)).body
    await operator.delete(`/tunnels/${tunnel_id}`)
    const made = await run(['pair', pairing_code])
    assert.deepEqual([made.code, made.output], [0, ''])
    assert.match(made.out, /^gre-b-\d is made, from 198\.51\.100\.7 to 203\.0\.113\.1\.$/m)
    const damaged = await run(['pair', pairing_code.slice(0, -9)])
    assert.deepEqual([damaged.code, damaged.out], [1, ''])
    assert.match(damaged.output, /pairing_code: /)
    for (const args of [[], [pairing_code, 'more']]) assert.equal((await run(['pair', ...args])).code, 2)
  })

  it('says that a token is expired or was made up, and exits with 3', async () => {
    const requests = { title: 'short', scopes: ['read'], expires_date: new Date(Date.now() + 3_600_000).toISOString() }
    const { status, body, text } = await operator.post<{ text: string }>('/auth/tokens', requests)
    assert.equal(status, 201, text)
    panel.clock.advance(3601)
    for (const PANEL_TOKEN of [body.text, `tp_aaaaaaaa_${'x'.repeat(32)}`]) {
      const ended = await run(['tunnels', 'list', '--url', panel.base], { PANEL_TOKEN })
      assert.deepEqual([ended.code, ended.out], [3, ''], ended.output)
      assert.match(ended.output, /token/i)
    }
    operator = await panel.signIn()
  })

  it('says that a host is unknown or its certificate is not trusted, and exits with 5', async () => {
    const certificates = new Certificates()
    const place = certificates.make('elsewhere')
    const server = createServer(pairIn(place), (_req, res) => res.end('{}'))
    const port = await listening(server)
    const list = (url: string, env = {}): Promise<Ended> =>
      run(['tunnels', 'list', '--url', url], { PANEL_TOKEN: 'x', ...env })
    const unknown = await list('https://panel.invalid/')
    const refused = await list(`https://localhost:${port}/`)
    const trusted = await list(`https://localhost:${port}/`, { NODE_EXTRA_CA_CERTS: filesIn(place).cert })
    server.close()
    certificates.remove()
    assert.deepEqual([unknown.code, refused.code, trusted.code], [5, 5, 0])
    assert.match(unknown.output, /panel\.invalid \((ENOTFOUND|EAI_AGAIN)\)/)
    assert.match(refused.output, /DEPTH_ZERO_SELF_SIGNED_CERT/)
  })

  it('is completed by bash: commands, verbs, options and their values', async () => {
    const file = join(folder, 'completion')
    writeFileSync(file, (await run(['completion', 'bash'])).out)
    const complete = (words: string, at: number): string[] =>
      execFileSync('bash', [
        '-c',
        `. ${file}; COMP_WORDS=(${words}); COMP_CWORD=${at}; _tunnel_panel; printf '%s\\n' "\${COMPREPLY[@]}"`,
      ])
        .toString()
        .trim()
        .split('\n')
    assert.ok(complete('tunnel-panel tun', 1).includes('tunnels'))
    assert.ok(complete('tunnel-panel tunnels res', 2).includes('restart'))
    assert.ok(complete('tunnel-panel tunnels update 1 --mt', 4).includes('--mtu'))
    assert.deepEqual(complete('tunnel-panel tunnels create --tunnel_type_id ""', 4), ['10', '20', '30', '40'])
    assert.deepEqual(complete('tunnel-panel tunnels list --state = D', 5), ['Degraded', 'Down', 'Disabled'])
    assert.deepEqual(complete('tunnel-panel incidents list --state ""', 4), ['open', 'ended'])
    assert.deepEqual(complete('tunnel-panel tunnels list -o ""', 4), ['table', 'json'])
    assert.deepEqual(complete('tunnel-panel set-aside pa', 2), ['panel.db'])
    assert.deepEqual(complete('tunnel-panel interfaces --o', 2), ['--own'])
    assert.deepEqual(complete('tunnel-panel help sett', 2), ['settings'])
  })

  describe('on the host signs each request, which', () => {
    const target = '/hidden/api/v1/settings'
    const signed = (method: string, path: string, body: string): string =>
      `Panel-Local ${signRequest(signingKey(join(folder, 'session.key')), panel.clock.now(), method, path, body)}`
    const put = (Authorization: string, body: object): Promise<Reply> =>
      panel.visitor().put('/settings', body, { headers: { Authorization } })
    const BODY = { 'display.theme': 'dark' }

    it('is let in once', async () => {
      const authorization = signed('PUT', target, JSON.stringify(BODY))
      assert.deepEqual([(await put(authorization, BODY)).status, (await put(authorization, BODY)).status], [200, 401])
    })

    it('is good for its own method, path and body alone', async () => {
      assert.equal((await put(signed('PUT', target, JSON.stringify(BODY)), { 'display.theme': 'light' })).status, 401)
      assert.equal((await put(signed('GET', target, JSON.stringify(BODY)), BODY)).status, 401)
      assert.equal((await put(signed('PUT', `${target}/x`, JSON.stringify(BODY)), BODY)).status, 401)
    })

    it('is good for a minute, and never for the sign-in', async () => {
      const old = signed('PUT', target, JSON.stringify(BODY))
      const headers = { Authorization: signed('GET', '/hidden/api/v1/auth/me', '') }
      assert.equal((await panel.visitor().get('/auth/me', { headers })).status, 403)
      panel.clock.advance(61)
      assert.equal((await put(old, BODY)).status, 401)
    })
  })
})
