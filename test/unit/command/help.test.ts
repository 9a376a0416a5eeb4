// --help of every word, made of the list that the manual page is made of.
import assert from 'node:assert/strict'
import { API_COMMANDS } from '@panel/web-daemon/cli/api/commands.ts'
import { bodyOf, optionsOf } from '@panel/web-daemon/cli/api/fields.ts'
import { NOUNS } from '@panel/web-daemon/cli/api/nouns.ts'
import { COMMANDS } from '@panel/web-daemon/cli/list.ts'
import { helpOf } from '@panel/web-daemon/cli/help.ts'

/** Lines are broken anywhere. */
const flat = (text: string): string => text.replaceAll(/\s+/g, ' ')

describe('--help', () => {
  it('lists every command with its usage, and every noun', () => {
    const help = flat(helpOf([]))
    for (const [name, { usage, summary }] of Object.entries(COMMANDS))
      assert.ok(help.includes(` ${flat(`${name} ${usage} ${summary}`)} `), name)
    for (const [noun, what] of Object.entries(NOUNS)) assert.ok(help.includes(` ${noun} ${what} `), noun)
  })

  it('of a command says what it does and what its options do', () => {
    for (const [name, { summary, details = '', options = {} }] of Object.entries(COMMANDS)) {
      const help = flat(helpOf([name]))
      for (const part of [summary, details, ...Object.entries(options).flat()]) assert.ok(help.includes(part), name)
    }
  })

  it('of a noun lists its verbs, each with the ids that it needs', () => {
    const help = flat(helpOf(['routes']))
    for (const { verb, summary } of API_COMMANDS.filter(({ noun }) => noun === 'routes'))
      assert.match(help, new RegExp(` ${verb}( [A-Z_]+)* ${summary.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}`), verb)
    assert.match(help, / destinations-drain ID DESTINATION_ID /)
  })

  it('of a verb says of each field its type, its bounds, whether it is required, and what it means', () => {
    for (const command of API_COMMANDS) {
      const help = flat(helpOf([command.noun, command.verb]))
      for (const { name, description, bounds } of [...optionsOf(command), ...bodyOf(command)]) {
        assert.match(help, new RegExp(`(--| )${name} [A-Z]`), `${command.route} ${name}`)
        assert.ok(help.includes(bounds) && help.includes(flat(description)), `${command.route} ${name}`)
      }
    }
    const create = helpOf(['tunnels', 'create'])
    assert.match(create, /^ {2}--local_endpoint STRING +Required\. \S/m)
    assert.match(
      flat(create),
      /--tunnel_type_id INTEGER 10 \(GRE\), 20 \(GRETAP\), 30 \(IP6GRE\) or 40 \(IP6GRETAP\)\. /,
    )
    assert.match(flat(create), /--mtu INTEGER 576 to 9216\. /)
    assert.match(flat(helpOf(['tunnels', 'list'])), /--limit INTEGER 0 to 1000\. .* Default 100\. /)
    assert.match(
      flat(helpOf(['routes', 'create'])),
      /--destinations JSON LIST .* \. port INTEGER Required\. 1 to 65535\./,
    )
    assert.match(flat(helpOf(['webhooks', 'create'])), /With --data FILE alone: url STRING /)
  })

  it('is no wider than a page', () => {
    const all = [
      [],
      ...Object.keys(COMMANDS).map((name) => [name]),
      ...API_COMMANDS.map(({ noun, verb }) => [noun, verb]),
    ]
    for (const words of all) for (const line of helpOf(words).split('\n')) assert.ok(line.length <= 100, line)
  })

  it('of a word that there is not names the nearest one', () => {
    assert.throws(() => helpOf(['tunels']), {
      message: 'There is no command tunels. Did you mean tunnels?',
      exitCode: 2,
    })
    assert.throws(() => helpOf(['tunnels', 'lsit']), {
      message: 'tunnels has no lsit. Did you mean list?',
      exitCode: 2,
    })
  })
})
