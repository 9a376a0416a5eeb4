// What a real kernel with GRE tells through the shipped helper's socket, to an administrator with socat.
import { becomes } from './eventually.ts'
import { startLab, type Lab } from './lab/index.ts'
import { putPanel } from './panel/bundles.ts'
import { Panel } from './panel/panel.ts'

describe('Events of a real kernel', function () {
  let lab: Lab
  let panel: Panel

  before(async () => {
    lab = await startLab()
    await putPanel(lab)
    const { a } = await lab.twoServers()
    panel = new Panel(a)
    await panel.startHelper()
  })
  after(() => lab?.stop())

  it('tell of a GRE link that is made, changed and removed by hand, and end when they are cancelled', async () => {
    const reader = panel.server.spawn('socat', ['-', `UNIX-CONNECT:${panel.socket}`])
    await reader.write('{"jsonrpc":"2.0","id":1,"method":"events.subscribe","params":{}}\n')
    await reader.says(/"subject":"lost"/)
    const shows = async (command: string, wanted: RegExp): Promise<void> => {
      const before = reader.text('stdout').length
      await panel.server.run(command)
      const shown = (): string => reader.text('stdout').slice(before)
      await becomes(shown, (text) => wanted.test(text), command)
    }
    const link = (name: string, isRemoval: boolean): RegExp =>
      new RegExp(`"subject":"link","interface_name":"${name}","index":\\d+,"is_removal":${isRemoval}`)
    await shows('ip link add gre-e-1 type gre local 192.0.2.1 remote 192.0.2.2 key 9', link('gre-e-1', false))
    await shows('ip link set gre-e-1 mtu 1300', link('gre-e-1', false))
    await shows(
      'ip address add 172.17.9.1/30 dev gre-e-1',
      /"subject":"address","interface_name":"","index":\d+,"is_removal":false/,
    )
    await shows('ip link del gre-e-1', link('gre-e-1', true))
    await reader.write('{"jsonrpc":"2.0","id":2,"method":"stream.cancel","params":{"id":1}}\n')
    await reader.says(/"id":1,"result":\{\}/)
    await reader.says(/"id":2,"result":\{"was_running":true\}/)
    reader.kill('TERM')
    await reader.exited
  })
})
