// Whether others can take the relay rules away by accident, as `nft flush ruleset` does.
import { message } from '../messages/message.ts'
import { line, strict, stringEnum, type Static } from '../schema.ts'

export const PROTECTIONS = ['owned', 'held', 'none'] as const

/** `owned`: the kernel keeps others off our table. `held`: the table can go, and connections live on. */
export const Protection = strict({ how: stringEnum(PROTECTIONS), detail: line(300) })
export type Protection = Static<typeof Protection>

/** Without nftables there is no table of ours that could be owned. */
export const UNPROTECTED: Protection = { how: 'none', detail: message('root.protection_backend').message }
