// What tunnel-panel prints of an answer (reference.md, Command line): tables by the columns beside the schemas, objects,
// and the answer itself.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { LISTINGS } from '@panel/shared/api/columns/all.ts'
import { API_COMMANDS } from '@panel/web-daemon/cli/api/commands.ts'
import { startCommandLine, type CommandLine } from './support/command-line.ts'
import { createRoute } from './support/routes.ts'
import { createTunnel } from './support/tunnels.ts'

describe('The command line', function () {
  let command: CommandLine
  let run: CommandLine['run']

  before(async () => {
    command = await startCommandLine()
    run = command.run
    await createTunnel(command.operator, { display_name: 'Hamburg relay' })
    await createRoute(command.operator, { route_rule_title: 'web of the customers in Bremen', bind_port: 8080 })
    await command.operator.post('/networks', {
      network_title: 'office',
      destination: '10.9.0.0/16',
      paths: [{ tunnel_id: 1 }],
    })
    await command.operator.post('/webhooks', {
      title: 'Hook',
      kind: 'slack',
      url: 'https://hooks.example/x',
      events: ['disk'],
    })
  })
  after(() => command.close())

  const out = async (...args: string[]): Promise<string> => {
    const ended = await run(args)
    assert.deepEqual([ended.code, ended.output], [0, ''], args.join(' '))
    return ended.out
  }
  const headings = (text: string): string[] =>
    text
      .split('\n')[0]
      ?.split(/ {2,}/)
      .map((word) => word.trim()) ?? []
  /** What a terminal of this width shows. */
  const onTerminal = async (columns: number, ...args: string[]): Promise<string> => {
    const program = [process.execPath, join(command.folder, 'tunnel-panel.cjs'), ...args].join(' ')
    const { stdout } = await promisify(execFile)('script', ['-qec', `stty cols ${columns}; ${program}`, '/dev/null'], {
      env: {
        PATH: process.env['PATH'],
        PANEL_STATE_DIR: command.folder,
        PANEL_LISTEN_PORT: new URL(command.panel.base).port,
        PANEL_WEB_PATH: 'hidden',
      },
    })
    return stdout.replaceAll('\r', '')
  }

  it('lists what each endpoint lists by its columns', async () => {
    const lists = API_COMMANDS.filter(({ route }) => route in LISTINGS)
    assert.ok(lists.length > 25)
    for (const { noun, verb, route } of lists) {
      const args = [noun, verb, ...(route.includes('{id}') ? ['1'] : [])]
      const text = await out(...args, '--wide')
      if (text === 'None.\n') continue
      const listing = LISTINGS[route as keyof typeof LISTINGS] ?? []
      const expected = listing.map(({ columns, extra }) => [...Object.keys(columns), ...Object.keys(extra)])
      assert.ok(
        expected.some((titles) => titles.join() === headings(text).join()),
        `${args.join(' ')}:\n${text}`,
      )
    }
  })

  it('has columns for whatever lists things of their own', () => {
    const plural = API_COMMANDS.filter(({ verb, noun }) => verb === 'list' && noun !== 'settings')
    assert.deepEqual(
      plural.filter(({ route }) => !(route in LISTINGS)),
      [],
    )
  })

  it('shows a tunnel by its interface, ends, address, state and traffic, and a rule by listener and destination', async () => {
    assert.match(
      await out('tunnels', 'list'),
      /^ID +INTERFACE +ENDS +ADDRESS +STATE +IN +OUT\n *1 +gre-a-1 +192\.0\.2\.1 - 198\.51\.100\.7 +172\.17\.1\.1\/30 +unknown +- +-\n$/,
    )
    assert.match(
      await out('routes', 'list'),
      /^ID +TITLE +LISTENER +DESTINATION +STATE +IN +OUT\n *1 +web of the customers in Bremen +tcp 192\.0\.2\.1:8080 +\S+:\d+ +up +\S+( \S+)? +\S+( \S+)?\n$/,
    )
  })

  it('writes the traffic of a tunnel in units of people', async () => {
    const { metrics } = command.panel
    await metrics.start()
    try {
      assert.match(await out('tunnels', 'list'), / (\d+ bit\/s|-) +(\d+ bit\/s|-)\n$/)
    } finally {
      await metrics.stop()
    }
  })

  it('is no wider than the terminal, shows more on a wide one, and everything with --wide', async () => {
    for (const list of [['tunnels'], ['routes'], ['networks'], ['pools'], ['webhooks'], ['audit'], ['reconcile']]) {
      const [narrow, wide] = await Promise.all([onTerminal(80, ...list), onTerminal(160, ...list)])
      for (const [text, columns] of [
        [narrow, 80],
        [wide, 160],
      ] as const)
        for (const line of text.split('\n')) assert.ok(line.length <= columns, `${columns}: ${line}`)
      assert.ok(headings(wide).length >= headings(narrow).length)
    }
    assert.match(await onTerminal(160, 'tunnels'), /Hamburg relay/)
    assert.doesNotMatch(await onTerminal(80, 'tunnels'), /Hamburg relay/)
    assert.match(await onTerminal(80, 'tunnels', '--wide'), /Hamburg relay/)
    assert.match(await out('tunnels', '--wide'), /Hamburg relay/)
  })

  it('prints what it has made and changed', async () => {
    const made = await out('tunnels', 'create', '--local_endpoint', '192.0.2.1', '--remote_endpoint', '198.51.100.9')
    assert.match(made, /^tunnel_id: 2\n/)
    assert.match(made, /^interface_name: gre-a-2$/m)
    assert.match(made, /^addresses:\n {2}- tunnel_address_id: \d+\n {4}address: 172\.17\.2\.1$/m)
    assert.doesNotMatch(made, /None\.|^plan:|_message:/m)
    assert.match(await out('tunnels', 'update', '2', '--note', 'new'), /^note: new$/m)
    const pool = ['--address_pool_title', 'Lab', '--cidr', '10.99.0.0/16', '--prefix_length', '30']
    assert.match(await out('pools', 'create', ...pool), /^address_pool_title: Lab$/m)
    assert.match(
      await out('routes', 'update', '1', '--description', 'new'),
      /^route_rule_id: 1\n[^]*^description: new$/m,
    )
    const taken = ['--bind_port', '9999', '--destination_address', '203.0.113.99']
    const warned = await out('routes', 'create', ...taken)
    assert.match(warned, /^route_rule_id: \d+\n/)
    assert.match(warned, /^warnings:(\n {2}- \S.*)+\n$/m)
    assert.match(await out('tunnels', 'delete', '2'), /^tunnel_id: 2$/m)
  })

  it('prints the whole answer with -o json', async () => {
    const { body } = await command.operator.get('/pools')
    assert.deepEqual(JSON.parse(await out('pools', '-o', 'json')), body)
  })

  it('says on the standard error where a list goes on', async () => {
    const { code, out: listed, output } = await run(['audit', 'list', '--limit', '1'])
    assert.equal(code, 0)
    assert.equal(listed.split('\n').length, 3)
    assert.match(output, /^1 of \d+ are listed; --limit and --offset list the others\.\n$/)
  })

  it('names both ids that a path takes', async () => {
    const ended = await run(['networks', 'paths-take-out', '1'])
    assert.deepEqual([ended.code, /needs ID and TUNNEL_ID, which are numbers/.test(ended.output)], [2, true])
    assert.match(await out('networks', 'paths-take-out', '1', '1'), /^network_id: 1\n/)
  })

  it('shows its version, and help in the place of a command', async () => {
    assert.match(await out('--version'), /^tunnel-panel \d+\.\d+\.\d+ \([0-9a-f]{40}\)\n$/)
    for (const args of [
      ['--help'],
      ['help'],
      ['tunnels', '--help'],
      ['tunnels', 'create', '--help'],
      ['help', 'routes'],
      ['url', '-h'],
    ])
      assert.match(await out(...args), /^Usage: tunnel-panel /, args.join(' '))
  })
})
