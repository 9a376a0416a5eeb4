// What this server would create from the other server's pairing code; nothing is created (reference.md, POST
// /tunnels/from-pairing-code; decisions.md, R28).
import type { Warning } from '@panel/shared/api/base/errors.ts'
import { kindOfType } from '@panel/shared/api/base/lookups.ts'
import type { FromPairingCodeAnswer, FromPairingCodeBody } from '@panel/shared/api/tunnels/pairing.ts'
import { message, messageFields } from '@panel/shared/messages/message.ts'
import type { Reader } from '@panel/shared/rpc/methods.ts'
import type { ReadContext } from '../../../platform/context.ts'
import { ok, type Answer, type Incoming } from '../../../platform/http/endpoint.ts'
import { Problems } from '../../../platform/http/problems.ts'
import type { PoolRecord } from '../../pools/store.ts'
import { freeNumbers, lowestNumber, templateName } from '../draft/naming.ts'
import { makeDraftContext, type DraftContext } from '../draft/context.ts'
import { decodePairingCode, PairingCodeError } from './code.ts'
import { readContent, type PairingContent } from './content.ts'
import { mirrored, mirroredAddresses, otherSide, summarise, type MirroredAddress } from './mirror.ts'
import { privateThere } from './private-end.ts'
import type { PairingThrottle } from './throttle.ts'

export function fromPairingCode(throttle: PairingThrottle) {
  return async (
    context: ReadContext,
    { body, problems, session }: Incoming<FromPairingCodeBody>,
  ): Promise<Answer<FromPairingCodeAnswer>> => {
    throttle.admit(String(session?.user_id))
    const { content, addresses } = readCode(body, problems)
    const kind = kindOfType(content.type)
    const draft = await makeDraftContext(
      context,
      { tunnel_type_id: content.type, tunnel_side_id: otherSide(content.side) },
      new Problems(),
    )
    const pool = poolFor(content, draft.pools)
    const is_answered_through = await canLeadAnswers(context.request)
    const answer: FromPairingCodeAnswer = {
      tunnel: {
        ...mirrored(content, kind),
        is_answered_through,
        ...chooseNumber(draft, content),
        address_pool_id: pool?.address_pool_id ?? null,
        addresses: addresses.map(({ isChosen: _told, ...address }) => address),
      },
      summary: summarise(content),
      ...messageFields('note', message('note.pairing_read')),
      warnings: [
        ...privateThere(content),
        ...pairingWarnings(content, pool, addresses),
        ...(is_answered_through ? [ANSWERED_THROUGH] : []),
      ],
    }
    return ok(answer)
  }
}

/** The server that reads a code is nearly always the one with the service. */
const ANSWERED_THROUGH: Warning = {
  code: 'ANSWERED_THROUGH',
  ...message('tunnel.answers_from_code'),
  field: 'is_answered_through',
}

/** It takes nft, which a host without it as the backend of relay rules may lack. */
async function canLeadAnswers(request: Reader): Promise<boolean> {
  const { rule_backend } = await request('host.probe', { parts: ['rule_backend'] })
  return rule_backend?.active === 'nftables'
}

/** Throws 422 on pairing_code with the reason. */
function readCode(
  { pairing_code }: FromPairingCodeBody,
  problems: Problems,
): { content: PairingContent; addresses: MirroredAddress[] } {
  try {
    const content = readContent(decodePairingCode(pairing_code))
    const addresses = mirroredAddresses(content)
    if (addresses.length === 0) throw new PairingCodeError(message('pairing.no_address'))
    return { content, addresses }
  } catch (refused) {
    if (!(refused instanceof PairingCodeError)) throw refused
    problems.add('pairing_code', 'INVALID_PAIRING_CODE', refused.sentence)
    problems.throwIfAny()
    throw refused
  }
}

/** Takes the number of the other server, if it and its name are free here. */
function chooseNumber(
  draft: DraftContext,
  { type, num }: PairingContent,
): { tunnel_number: number; interface_name: string } {
  const kind = kindOfType(type)
  const tunnel_number = num !== undefined && freeNumbers(draft, kind)(num) ? num : lowestNumber(draft, kind)
  return { tunnel_number, interface_name: templateName(draft, kind, tunnel_number) }
}

/** Matched by range, since ids differ between servers; of several, the one with the same prefix length. */
function poolFor({ pool_cidr, pool_len }: PairingContent, pools: readonly PoolRecord[]): PoolRecord | undefined {
  const alike = pools.filter(({ cidr }) => cidr === pool_cidr)
  return alike.find(({ prefix_length }) => prefix_length === pool_len) ?? alike[0]
}

function pairingWarnings(
  { pool_cidr, pool_title = '' }: PairingContent,
  pool: PoolRecord | undefined,
  addresses: readonly MirroredAddress[],
): Warning[] {
  const unknown: Warning = {
    code: 'POOL_NOT_FOUND',
    ...message('tunnel.pool_unknown_here', { title: pool_title, cidr: pool_cidr ?? '' }),
    field: 'address_pool_id',
  }
  const chosen = addresses.flatMap(({ address, peer_address, prefix_length, isChosen }, at): Warning[] =>
    isChosen
      ? [
          {
            code: 'PEER_ADDRESS_CHOSEN',
            ...message('tunnel.peer_address_chosen', {
              network: `${peer_address}/${prefix_length}`,
              address,
            }),
            field: `addresses.${at}.address`,
          },
        ]
      : [],
  )
  return [...(pool_cidr !== undefined && !pool ? [unknown] : []), ...chosen]
}
