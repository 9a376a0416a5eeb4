// What the compiler refuses: an answer, an endpoint, a call or a code that is otherwise than its table says. Each
// snippet beside one that compiles.
import assert from 'node:assert/strict'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { diagnosticsOf, textOf } from '../../support/compiler.ts'

const FOLDER = fileURLToPath(new URL('.', import.meta.url))

const DAEMON = `
  import { LoginBody, type SignedOutAnswer } from '@panel/shared/api/auth.ts'
  import type { Warning } from '@panel/shared/api/base/errors.ts'
  import { ranged } from '@panel/shared/api/base/fields.ts'
  import { command, ok, type Answer } from '@panel/web-daemon/platform/http/endpoint.ts'
  import { Problems } from '@panel/web-daemon/platform/http/problems.ts'
  import { Refusal } from '@panel/web-daemon/platform/http/refusal.ts'
  import { message, verbatim } from '@panel/shared/messages/message.ts'
  declare const never: (...given: unknown[]) => never
  const described = { audit: 'Logout' } as const
  export const problems = new Problems()
`
const PAGE = `import { call } from '../../../ui/src/core/api.ts'\n`

/** Pairs by title: the code that compiles, the code that does not, and the compiler's reason. */
const PAIRS: Readonly<Record<string, readonly [right: string, wrong: string, because: RegExp]>> = {
  'an answer of another type': [
    `${DAEMON} export const e = command('POST /auth/logout', described, async () => ok({ signed_out: true as const }))`,
    `${DAEMON} export const e = command('POST /auth/logout', described, async () => ok({ signed_out: 'yes' }))`,
    /Type 'string' is not assignable to type 'true'/,
  ],
  'an answer without one of its fields': [
    `${DAEMON} export const a: Answer<SignedOutAnswer> = ok({ signed_out: true })`,
    `${DAEMON} export const a: Answer<SignedOutAnswer> = ok({})`,
    /Property 'signed_out' is missing/,
  ],
  'an endpoint that is not in the table': [
    `${DAEMON} export const e = command('POST /auth/logout', described, async () => ok({ signed_out: true as const }))`,
    `${DAEMON} export const e = command('POST /auth/log-out', described, async () => ok({ signed_out: true as const }))`,
    /"POST \/auth\/log-out"' is not assignable/,
  ],
  'an endpoint that says again what its body is': [
    `${DAEMON} export const e = [LoginBody, command('POST /auth/logout', described, async () => ok({ signed_out: true as const }))]`,
    `${DAEMON} export const e = command('POST /auth/logout', { audit: 'Logout', body: LoginBody }, async () => ok({ signed_out: true as const }))`,
    /'body' does not exist in type/,
  ],
  'a handler that takes another body': [
    `${DAEMON} export const e = command('POST /tunnels/{id}/up', { audit: 'TunnelEnable' }, async (_c, { body }) => body.i_understand_i_may_lose_access ? never() : never())`,
    `${DAEMON} export const e = command('POST /tunnels/{id}/up', { audit: 'TunnelEnable' }, async (_c, { body }) => body.force ? never() : never())`,
    /Property 'force' does not exist/,
  ],
  'a change of the host by a command that foresees nothing': [
    `${DAEMON} export const e = command('POST /auth/logout', { ...described, foresee: async () => never() }, async ({ request }) => never(request('tunnel.apply', never())))`,
    `${DAEMON} export const e = command('POST /auth/logout', described, async ({ request }) => never(request('tunnel.apply', never())))`,
    /"tunnel.apply"' is not assignable/,
  ],
  'a code of a field that nobody declared': [
    `${DAEMON} problems.add('mtu', 'INVALID_MTU', verbatim(''))`,
    `${DAEMON} problems.add('mtu', 'WRONG_MTU', verbatim(''))`,
    /"WRONG_MTU"' is not assignable/,
  ],
  'a code of a schema that nobody declared': [
    `${DAEMON} export const s = ranged('integer', 0, 1, 'INVALID_MTU', 'mtu', '')`,
    `${DAEMON} export const s = ranged('integer', 0, 1, 'WRONG_MTU', 'mtu', '')`,
    /"WRONG_MTU"' is not assignable/,
  ],
  'a code of an error that nobody declared': [
    `${DAEMON} export const r = new Refusal('CONFLICT', verbatim(''))`,
    `${DAEMON} export const r = new Refusal('QUARREL', verbatim(''))`,
    /"QUARREL"' is not assignable/,
  ],
  'a sentence that is not in the catalogue': [
    `${DAEMON} export const r = new Refusal('CONFLICT', message('panel.stopping'))`,
    `${DAEMON} export const r = new Refusal('CONFLICT', 'The panel is stopping.')`,
    /'string' is not assignable to parameter of type 'Message'/,
  ],
  'a sentence without one of its parameters': [
    `${DAEMON} export const m = message('tunnel.not_found', { tunnel_id: 1 })`,
    `${DAEMON} export const m = message('tunnel.not_found', {})`,
    /Property 'tunnel_id' is missing/,
  ],
  'a code of a warning that nobody declared': [
    `${DAEMON} export const w: Warning = { code: 'NO_GRE_KEY', message: '', message_id: '', params: {}, field: '' }`,
    `${DAEMON} export const w: Warning = { code: 'NO_KEY', message: '', message_id: '', params: {}, field: '' }`,
    /"NO_KEY"' is not assignable/,
  ],
  'a call of an endpoint that is not there': [
    `${PAGE} export const a = call('GET /tunnels/{id}', { id: 1 })`,
    `${PAGE} export const a = call('PUT /tunnels/{id}', { id: 1 })`,
    /"PUT \/tunnels\/\{id\}"' is not assignable/,
  ],
  'a call without the parameter of its path': [
    `${PAGE} export const a = call('GET /tunnels/{id}', { id: 1 })`,
    `${PAGE} export const a = call('GET /tunnels/{id}')`,
    /Expected 2 arguments/,
  ],
  'a call with a parameter that its query does not have': [
    `${PAGE} export const a = call('GET /tunnels', { query: { limit: 1 } })`,
    `${PAGE} export const a = call('GET /tunnels', { query: { most: 1 } })`,
    /'most' does not exist/,
  ],
  'a call whose body lacks a field': [
    `${PAGE} export const a = call('POST /tunnels', { body: { local_endpoint: '', remote_endpoint: '' } })`,
    `${PAGE} export const a = call('POST /tunnels', { body: { remote_endpoint: '' } })`,
    /'local_endpoint' is missing/,
  ],
  'an answer that is read as another': [
    `${PAGE} export const a = async (): Promise<string> => (await call('GET /tunnels/{id}', { id: 1 })).note`,
    `${PAGE} export const a = async (): Promise<number> => (await call('GET /tunnels/{id}', { id: 1 })).note`,
    /Type 'string' is not assignable to type 'number'/,
  ],
}

describe('The compiler', () => {
  let errors: ReadonlyMap<string, readonly string[]>
  before(function () {
    errors = errorsOf(
      Object.entries(PAIRS).flatMap(([what, [right, wrong]]) => [
        [`right ${what}`, right],
        [`wrong ${what}`, wrong],
      ]),
    )
  })

  for (const [what, [, , because]] of Object.entries(PAIRS))
    it(`refuses ${what}, and nothing beside it`, () => {
      assert.deepEqual(errors.get(`right ${what}`), [])
      const found = errors.get(`wrong ${what}`) ?? []
      assert.equal(found.length, 1, found.join('\n'))
      assert.match(String(found[0]), because)
    })
})

/** One program for all snippets; each is a module that lies in this folder. */
function errorsOf(snippets: readonly (readonly [string, string])[]): Map<string, string[]> {
  const { options } = ts.parseJsonConfigFileContent(
    ts.readConfigFile(`${FOLDER}../../tsconfig.json`, (path) => ts.sys.readFile(path)).config,
    ts.sys,
    `${FOLDER}../..`,
  )
  const sources = new Map(snippets.map(([, text], at) => [`${FOLDER}snippet-${at}.ts`, text]))
  const settings: ts.CompilerOptions = { ...options, composite: false, declaration: false, emitDeclarationOnly: false }
  const found = [...diagnosticsOf(sources, settings).values()]
  return new Map(
    snippets.map(([name], at) => {
      // What a snippet imports and does not use is nothing of it.
      const own = (found[at] ?? []).filter(({ code }) => ![6133, 6192, 6196].includes(code))
      return [name, own.map(textOf)]
    }),
  )
}
