// Requests that an answer holds ready to be sent (reference.md, Addressing).
import { strict, Type, type TSchema } from '../../schema.ts'
import { oneOf } from './shapes.ts'

/** The one spelling, which POST /impact takes too: below the base of the API, without the web path. */
export const ApiPath = Type.String({
  pattern: '^/(?!api/)[a-z]',
  description: 'Below the base of the API, such as /tunnels/3.',
})

export const readyRequest = <const M extends 'POST' | 'PATCH', B extends TSchema>(method: M, body: B) =>
  strict({ method: oneOf([method]), path: ApiPath, body })
