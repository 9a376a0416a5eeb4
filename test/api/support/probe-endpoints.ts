// Endpoints that only tests have: one of each kind, to see the machinery without a feature in the way.
import { message, verbatim } from '@panel/shared/messages/message.ts'
import { command, preview, query } from './declare.ts'
import { created, ok, type Endpoint } from '@panel/web-daemon/platform/http/endpoint.ts'
import { queryParameters, textParameter, integerParameter } from '@panel/shared/api/base/queries.ts'
import { integer, nullable, strict, stringEnum, Type } from '@panel/shared/schema.ts'

export const WidgetBody = strict({
  name: Type.String({ minLength: 1, maxLength: 10 }),
  mtu: Type.Optional(
    integer(68, 9000, {
      'x-code': 'INVALID_MTU',
      'x-message': message('input.whole', { field: 'mtu', minimum: 68, maximum: 9000 }),
    }),
  ),
  ttl: Type.Optional(nullable(integer(0, 255))),
  is_enabled: Type.Optional(Type.Boolean()),
  colour: Type.Optional(stringEnum(['red', 'blue'])),
  parts: Type.Optional(
    Type.Array(strict({ address: Type.String(), weight: Type.Optional(integer(0, 9)) }), { maxItems: 2 }),
  ),
  pin: Type.Optional(Type.String({ 'x-secret': true })),
})

export const probeEndpoints = (): { endpoints: Endpoint[]; made: unknown[] } => {
  const made: unknown[] = []
  const endpoints = [
    query(
      'GET /widgets/{id}',
      { tag: 'other', summary: 'One', query: queryParameters({ a: integerParameter('A'), b: textParameter('B') }) },
      async (_context, { params, query }) => ok({ params, query }),
    ),
    query('GET /widgets/first', { tag: 'other', summary: 'Literal' }, async () => ok({ literal: true })),
    preview(
      'POST /widgets/preview',
      { tag: 'other', summary: 'Preview', body: WidgetBody },
      async (context, { body }) => ok({ body, can: Object.keys(context).sort() }),
    ),
    command(
      'POST /widgets',
      { tag: 'other', summary: 'Make', body: WidgetBody, statuses: [201], audit: 'TunnelCreate', isCreating: true },
      async ({ note }, { body }) => {
        made.push(body)
        note.target('widget', made.length)
        note.operation('Made it')
        return created({ body, number: made.length })
      },
    ),
    command(
      'PUT /widgets',
      { tag: 'other', summary: 'Gather', body: WidgetBody, gathersProblems: true, audit: 'TunnelUpdate' },
      async (_context, { body, problems }) => {
        if (!problems.has('name')) problems.add('name', 'TUNNEL_NAME_CONFLICT', verbatim('The name is taken'))
        problems.throwIfAny()
        return ok(body)
      },
    ),
    command('DELETE /widgets/{id}', { tag: 'other', summary: 'Break', audit: 'TunnelDelete' }, async () => {
      throw new Error('a secret of the inside')
    }),
  ]
  return { endpoints, made }
}
