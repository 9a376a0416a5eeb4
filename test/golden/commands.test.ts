// The commands over the API, made from the endpoints: as a file, which the command line reads without a daemon, and with
// the other commands as sections of the manual page.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { OWN_OPTIONS } from '@panel/web-daemon/cli/api/arguments.ts'
import { apiCommands, openEndpoints, type ApiCommand } from '@panel/web-daemon/cli/api/catalogue.ts'
import { bodyOf, queryOf } from '@panel/web-daemon/cli/api/fields.ts'
import { withCommands } from '@panel/web-daemon/cli/api/manual.ts'
import { NOUNS } from '@panel/web-daemon/cli/api/nouns.ts'
import { COMMANDS } from '@panel/web-daemon/cli/list.ts'
import type { Endpoint } from '@panel/web-daemon/platform/http/endpoint.ts'
import type { TSchema } from '@panel/shared/schema.ts'
import { startPanel } from '../api/support/panel.ts'
import { sameAsFile } from './golden.ts'

const FILE = join(import.meta.dirname, '../../web-daemon/cli/api/commands.json')
const PAGE = join(import.meta.dirname, '../../packaging/debian/tunnel-panel.1')

describe('The commands over the API', () => {
  let commands: ApiCommand[]
  let endpoints: Endpoint[]
  before(async () => {
    const panel = await startPanel()
    endpoints = openEndpoints(panel.endpoints)
    commands = apiCommands(panel.endpoints)
    await panel.close()
  })

  it('are those in commands.json, each by a name of its own', () => {
    const names = commands.map(({ noun, verb }) => `${noun} ${verb}`)
    assert.deepEqual(
      names.filter((name, at) => names.indexOf(name) !== at),
      [],
    )
    sameAsFile(FILE, `${JSON.stringify(commands, null, 1)}\n`)
  })

  it('have no field with the name of an option of the command itself, but for the url of a target', () => {
    const own: ReadonlySet<string> = new Set(OWN_OPTIONS.map((name) => name.replaceAll('-', '_')))
    const fields = commands.flatMap((one) => [...queryOf(one), ...bodyOf(one)].map(({ name }) => ({ ...one, name })))
    const shared = fields.filter(({ name }) => own.has(name)).map((one) => `${one.noun} ${one.verb} ${one.name}`)
    assert.deepEqual(shared, ['webhooks create url', 'webhooks update url', 'webhooks try url'])
  })

  it('take the fields that the daemon takes at their endpoints', () => {
    for (const { route, body, query } of endpoints) {
      const names = (schema?: TSchema): string[] => Object.keys((schema?.['properties'] ?? {}) as object)
      assert.deepEqual(
        [...queryOf({ route }), ...bodyOf({ route })].map(({ name }) => name),
        [...names(query), ...names(body)],
        route,
      )
    }
  })

  it('have nouns that are each described in one line', () =>
    assert.deepEqual(Object.keys(NOUNS).sort(), [...new Set(commands.map(({ noun }) => noun))].sort()))

  it('stand in the manual page with those that need no API, each with its summary and its options', () =>
    sameAsFile(PAGE, withCommands(readFileSync(PAGE, 'utf8'), COMMANDS, commands)))
})
