// The answer of tunnel.digest for one name: enough to see that it is in sync, without sending the state.
import { nullable, strict, Type, type Static } from '../schema.ts'
import { Revision } from '../revision.ts'
import { LinkSnapshot, TunnelFound } from '../tunnel/observed.ts'

/** `digest` is the SHA-256, in hexadecimal, of the canonical state as JSON; of "null" where there is none. */
export const TunnelDigest = strict({
  interface_name: TunnelFound.properties.interface_name,
  digest: Type.String({ pattern: '^[0-9a-f]{64}$' }),
  observed: nullable(LinkSnapshot.properties.observed),
  unmodelled: TunnelFound.properties.unmodelled,
  foreign_files: TunnelFound.properties.foreign_files,
})
export type TunnelDigest = Static<typeof TunnelDigest>

/** `tunnels` is empty where nothing has changed since the revision that the request names. */
export const DigestsFound = strict({
  revision: Revision,
  is_unchanged: Type.Boolean(),
  tunnels: Type.Array(TunnelDigest),
})
export type DigestsFound = Static<typeof DigestsFound>
