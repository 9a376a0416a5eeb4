// Whatever root refuses, regrets or advises, and what the panel advises about other firewalls: a sentence of the
// catalogue, known again where it comes as text.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { placeholderNames } from '@panel/shared/messages/format.ts'
import { fromRoot, PHRASES, type Params } from '@panel/shared/messages/message.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const FOLDERS = ['root-helper', 'shared/change', 'shared/foreign', 'shared/ruleset', 'shared/path', 'shared/tunnel']

/** English that no answer to an operator has in it, or that is not the panel's to translate. */
const KEPT: Readonly<Record<string, string>> = {
  'root-helper/dispatch.ts': 'what a peer that breaks the protocol is told before it is cut off',
  'root-helper/main.ts': 'for the log, before anything is served',
  'root-helper/kernel/files/state-folder.ts': 'the text of a file that is removed at once',
  'shared/tunnel/keepalive-unit.ts': 'the text of a unit file',
  'shared/tunnel/networkd.ts': 'the text of a file of systemd-networkd',
  'shared/tunnel/systemd-unit.ts': 'the text of a unit file',
}
/** The functions whose texts go to the log, to a bug report, or to a client that breaks the protocol. */
const UNSEEN = ['log', 'logFailure', 'Error', 'RangeError', 'SyntaxError', 'TypeError']

interface Literal {
  readonly file: string
  readonly text: string
}

const isUnseen = (node: ts.Node): boolean => {
  if (!ts.isCallExpression(node) && !ts.isNewExpression(node)) return false
  const [first] = node.arguments ?? []
  return UNSEEN.includes(node.expression.getText()) || (first !== undefined && first.getText() === "'malformed'")
}

function textOf(node: ts.Node): string | null {
  if (ts.isStringLiteralLike(node)) return node.text
  return ts.isTemplateExpression(node)
    ? node.head.text + node.templateSpans.map(({ literal }) => `{}${literal.text}`).join('')
    : null
}

function literals(file: string): Literal[] {
  const found: Literal[] = []
  const walk = (node: ts.Node): void => {
    if (isUnseen(node)) return
    const text = textOf(node)
    if (text !== null) found.push({ file, text })
    ts.forEachChild(node, walk)
  }
  walk(ts.createSourceFile(file, readFileSync(join(ROOT, file), 'utf8'), ts.ScriptTarget.Latest, true))
  return found
}

/** It begins as a sentence does, and goes on in words. */
const BEGINS = /^(The|All|Look|Set|Remove|Let|Reapply|Compare|Nothing|Too|There|This|What|It|Rule|Relay|Recreating) \S/
const GOES_ON = /^\{\}\.? (\{\} )?(is|are|was|has|cannot|would|holds|takes|belongs|streams|tables|Undoing|Putting)\b/

const isSentence = ({ text }: Literal): boolean => (BEGINS.test(text) || GOES_ON.test(text)) && / [a-z]{2,}/.test(text)

const sources = FOLDERS.flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.includes('node_modules'))
    .map((file) => join(folder, file)),
)

/** They are nothing without a phrase within them. */
const OF_PARTS = ['root.both', 'root.of_something']

/** A value for a placeholder, such as root would name. */
const SAMPLES: Readonly<Record<string, string>> = {
  address: '192.0.2.1',
  count: '12',
  error: 'EPERM',
  file: '/run/x.json',
  folder: '/run',
  name: 'gre-a-1',
  number: '7',
  size: '1400',
  time: '100',
}

describe('The sentences of the root helper', () => {
  it('all come from the catalogue', () => {
    const found = sources.flatMap(literals).filter(isSentence)
    assert.deepEqual(
      found.filter(({ file }) => !(file in KEPT)).map(({ file, text }) => `${file}: ${text}`),
      [],
    )
  })

  it('are each known again, with what they name', () => {
    for (const [id, phrase] of Object.entries(PHRASES).filter(([one]) => !OF_PARTS.includes(one))) {
      const params: Params = Object.fromEntries(placeholderNames(phrase).map((name) => [name, SAMPLES[name] ?? 'x1']))
      const text = phrase.replace(/\{(\w+)\}/g, (_, name: string) => String(params[name]))
      const { message_id, params: found } = fromRoot(text)
      assert.deepEqual([message_id, found], [id, params], text)
    }
  })
})
