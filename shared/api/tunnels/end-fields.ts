// Between which addresses a tunnel runs; the far end may have a name.
import { message, verbatim } from '../../messages/message.ts'
import { nullable, Type } from '../../schema.ts'
import { MessageView } from '../base/errors.ts'
import { field } from '../base/field-list.ts'
import { flag, hostname, maybe, orNull, refusedWith } from '../base/fields.ts'
import { described, Flag, Instant, Text } from '../base/shapes.ts'

const endpoint = (name: string, description: string) =>
  Type.String({
    minLength: 2,
    maxLength: 45,
    ...refusedWith('INVALID_ENDPOINT', message('input.ip', { field: name }), description),
  })

/** A backup has it beside a name, too. */
export const FAR_ADDRESS = endpoint(
  'remote_endpoint',
  'The address of the other server; required without a remote_hostname, and without effect beside one.',
)

/** A backup has it beside the choice, too. */
export const OWN_ADDRESS = endpoint(
  'local_endpoint',
  'The address of this server that outer packets come from. Null: what the route to the other server has, which is followed.',
)

export const END_FIELDS = {
  local_endpoint: field({
    answer: described(Text, 'Where it is automatic: what the route to the other server last had.'),
    request: orNull(OWN_ADDRESS),
  }),
  is_local_endpoint_automatic: field({
    answer: Flag,
    request: maybe(
      flag(
        'is_local_endpoint_automatic',
        'Whether local_endpoint follows the route to the other server. Absent: only if that is null.',
      ),
    ),
    byDefault: false,
  }),
  local_endpoint_problem: field({
    answer: described(Text, 'Why the tunnel does not follow the route to the other server; "" where it does.'),
    byDefault: '',
  }),
  local_endpoint_problem_message: field({ answer: MessageView, byDefault: verbatim('') }),
  remote_endpoint: field({
    answer: described(Text, 'Of a remote_hostname what it was last resolved to.'),
    request: maybe(FAR_ADDRESS),
  }),
  remote_hostname: field({
    answer: nullable(Text),
    request: maybe(
      orNull(
        hostname(
          'remote_hostname',
          'In the place of remote_endpoint: the name that is resolved, and resolved again as long as the tunnel is there. Null: the address.',
        ),
      ),
    ),
    byDefault: null,
  }),
  remote_resolved_date: field({
    answer: described(nullable(Instant), 'When remote_endpoint was taken from remote_hostname; null without one.'),
    byDefault: null,
  }),
  remote_hostname_problem: field({
    answer: described(Text, 'Why the tunnel does not follow its remote_hostname; "" where it does.'),
    byDefault: '',
  }),
  remote_hostname_problem_message: field({ answer: MessageView, byDefault: verbatim('') }),
}
