// What every command that can change the host takes and answers beside its own (reference.md, Safe apply).
import { SafeApplyPending } from '@panel/shared/api/safe-apply.ts'
import { integer, strict, type TSchema } from '@panel/shared/schema.ts'
import { WINDOW_SECONDS } from '@panel/shared/window/model.ts'
import { CONFIRM_WITHIN } from '../../platform/http/confirm-within.ts'
import { changesHost, type Endpoint } from '../../platform/http/endpoint.ts'

const WITHIN = integer(WINDOW_SECONDS.least, WINDOW_SECONDS.most, {
  description:
    'The change is put back unless it is confirmed within so many seconds, and opens a window for that where none is open; or as the header X-Confirm-Within.',
})

/** Adds the field, under a title of its own, because other operations take the same body without it. */
export function bodyOf(endpoint: Endpoint): TSchema | undefined {
  if (!changesHost(endpoint)) return endpoint.body
  const { body = strict({}) } = endpoint
  return { ...withField(body, CONFIRM_WITHIN, WITHIN), title: `${body.title ?? ''}InWindow` }
}

/** The schema of an answer, with what it reports of an open window. */
export const answerOf = (endpoint: Endpoint, answer: TSchema): TSchema =>
  changesHost(endpoint) ? withField(answer, 'safe_apply', SafeApplyPending) : answer

const withField = (schema: TSchema, name: string, field: TSchema): TSchema => ({
  ...schema,
  properties: { ...(schema['properties'] as object), [name]: field },
})
