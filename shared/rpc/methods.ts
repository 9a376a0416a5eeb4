// Everything that may be asked of root, on one screen. A line here is the whole of a power; the golden table in the tests shows each change.
import { strict, stringEnum, Type, type Static, type TSchema } from '../model/schema.ts'
import { HOST_PARTS, HostFound } from '../model/host.ts'
import { SeenLink, TunnelFound } from '../model/observed.ts'
import { InterfaceName, TunnelState } from '../model/tunnel.ts'
import { changeOf } from '../plan/change.ts'
import { Check } from '../plan/check.ts'
import { Outcome } from './outcome.ts'

type Effect = 'read' | 'write'

const method = <E extends Effect, P extends TSchema, R extends TSchema>(effect: E, params: P, result: R) => ({ effect, params, result })

const Names = strict({ interface_names: Type.Array(InterfaceName, { maxItems: 2000 }) })
const TunnelChange = changeOf(TunnelState)

export const METHODS = {
  /** The live side of the given links, of whatever kind; a name without a link is left out. Reads no file, so a list of many is quick. */
  'link.probe': method('read', Names, strict({ links: Type.Array(SeenLink) })),
  /** The links and files of the given names; of all tunnels where the list is empty. */
  'tunnel.probe': method('read', Names, strict({ tunnels: Type.Array(TunnelFound) })),
  /** The checks of `after` against what the host holds now. */
  'tunnel.verify': method('read', TunnelChange, strict({ ok: Type.Boolean(), checks: Type.Array(Check) })),
  /** Refused unless the host holds `before`. One at a time. */
  'tunnel.apply': method('write', TunnelChange, Outcome),
  'host.probe': method('read', strict({ parts: Type.Array(stringEnum(HOST_PARTS), { maxItems: HOST_PARTS.length }) }), HostFound),
} as const

export type MethodName = keyof typeof METHODS
export type MethodsThat<E extends Effect> = { [M in MethodName]: (typeof METHODS)[M]['effect'] extends E ? M : never }[MethodName]
export type Params<M extends MethodName> = Static<(typeof METHODS)[M]['params']>
export type Result<M extends MethodName> = Static<(typeof METHODS)[M]['result']>

/** What a caller holds who may only look, and one who may also change. */
export type Ask<M extends MethodName> = <N extends M>(method: N, params: Params<N>) => Promise<Result<N>>
export type Reader = Ask<MethodsThat<'read'>>
export type Writer = Ask<MethodName>
