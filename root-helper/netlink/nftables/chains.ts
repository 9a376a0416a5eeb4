// A table of NAT chains that change nothing, as messages of one commit.
import { attribute, nest, text, u32be } from '../attributes.ts'
import { NLM_F_CREATE } from '../constants.ts'
import type { Request } from '../socket.ts'
import * as k from './constants.ts'
import { nfnetlink } from './nftables.ts'

/** The hooks at which NAT begins in the kernel; just behind our own chains, so that these come first. */
const CHAINS = [
  ['pre', k.NF_INET_PRE_ROUTING, -99],
  ['inp', k.NF_INET_LOCAL_IN, 101],
  ['out', k.NF_INET_LOCAL_OUT, -99],
  ['post', k.NF_INET_POST_ROUTING, 101],
] as const

/**
 * Owned by the socket that sends it, and gone with it. Connection tracking stays on for a rule that looks at a mark.
 */
export const emptyNatTable = (table: string): Request[] => [
  made('make the table', k.NFT_MSG_NEWTABLE, [
    text(k.NFTA_TABLE_NAME, table),
    u32be(k.NFTA_TABLE_FLAGS, k.NFT_TABLE_F_OWNER),
  ]),
  ...CHAINS.map(([name, hook, priority]) => natChain(table, name, hook, priority)),
  made('make the rule', k.NFT_MSG_NEWRULE, [
    text(k.NFTA_RULE_TABLE, table),
    text(k.NFTA_RULE_CHAIN, 'pre'),
    nest(k.NFTA_RULE_EXPRESSIONS, ...acceptMark(0xffff_ffff)),
  ]),
]

const natChain = (table: string, name: string, hook: number, priority: number): Request =>
  made('make the chain', k.NFT_MSG_NEWCHAIN, [
    text(k.NFTA_CHAIN_TABLE, table),
    text(k.NFTA_CHAIN_NAME, name),
    nest(k.NFTA_CHAIN_HOOK, u32be(k.NFTA_HOOK_HOOKNUM, hook), u32be(k.NFTA_HOOK_PRIORITY, priority >>> 0)),
    u32be(k.NFTA_CHAIN_POLICY, k.NF_ACCEPT),
    text(k.NFTA_CHAIN_TYPE, 'nat'),
  ])

/** ct mark <mark> accept */
const acceptMark = (mark: number): Buffer[] => [
  expression('ct', u32be(k.NFTA_CT_DREG, k.NFT_REG_1), u32be(k.NFTA_CT_KEY, k.NFT_CT_MARK)),
  expression(
    'cmp',
    u32be(k.NFTA_CMP_SREG, k.NFT_REG_1),
    u32be(k.NFTA_CMP_OP, k.NFT_CMP_EQ),
    nest(k.NFTA_CMP_DATA, attribute(k.NFTA_DATA_VALUE, ofHost(mark))),
  ),
  expression(
    'immediate',
    u32be(k.NFTA_IMMEDIATE_DREG, k.NFT_REG_VERDICT),
    nest(k.NFTA_IMMEDIATE_DATA, nest(k.NFTA_DATA_VERDICT, u32be(k.NFTA_VERDICT_CODE, k.NF_ACCEPT))),
  ),
]

const expression = (name: string, ...data: readonly Buffer[]): Buffer =>
  nest(k.NFTA_LIST_ELEM, text(k.NFTA_EXPR_NAME, name), nest(k.NFTA_EXPR_DATA, ...data))

/** A mark is a number of the host's byte order. */
const ofHost = (value: number): Uint8Array => new Uint8Array(Uint32Array.of(value).buffer)

const made = (what: string, type: number, attributes: readonly Buffer[]): Request => ({
  ...nfnetlink(what, type, k.NFPROTO_INET, ...attributes),
  flags: NLM_F_CREATE,
})
