// The endpoints of API tokens. No token opens them.
import type {
  CreateTokenAnswer,
  CreateTokenBody,
  DeleteTokenAnswer,
  ListTokensAnswer,
  TokenView,
} from '@panel/shared/api/tokens.ts'
import { TOKEN_DAYS } from '@panel/shared/api/scopes.ts'
import { message } from '@panel/shared/messages/message.ts'
import type { StoreContext } from '../../platform/context.ts'
import { command, created, ok, query, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import type { Problems } from '../../platform/http/problems.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import { networkProblem } from '../../platform/network/client-network.ts'
import { networksOfToken, scopesOfToken, type ApiTokens } from './api-tokens.ts'
import { ownAccount } from './me.ts'
import type { TokenRow } from './store-tokens.ts'
import { newTokenText, tokenHash } from './token-text.ts'

const tag = 'auth'

export function tokenEndpoints(tokens: ApiTokens) {
  return [
    query('GET /auth/tokens', { tag, summary: 'The API tokens' }, listTokens(tokens)),
    command(
      'POST /auth/tokens',
      {
        tag,
        summary: 'Create an API token. Its text is shown this once.',
        statuses: [201, 409],
        gathersProblems: true,
        audit: 'TokenCreate',
        fresh: true,
      },
      createToken(tokens),
    ),
    command(
      'DELETE /auth/tokens/{id}',
      { tag, summary: 'Revoke an API token', audit: 'TokenRevoke' },
      revokeToken(tokens),
    ),
  ]
}

const listTokens = (tokens: ApiTokens) => async (): Promise<Answer<ListTokensAnswer>> =>
  ok({ tokens: (await tokens.all()).map((row) => tokenView(tokens, row)) })

const createToken =
  (tokens: ApiTokens) =>
  async ({ db, now, note }: StoreContext, incoming: Incoming<CreateTokenBody>): Promise<Answer<CreateTokenAnswer>> => {
    const { user_id } = await ownAccount(db, incoming)
    const { body, problems } = incoming
    const expires_date = readExpiry(body, problems, now())
    if ((body.allowed_networks ?? []).some((network) => networkProblem(network)))
      problems.add('allowed_networks', 'INVALID_CIDR', message('input.cidr', { field: 'allowed_networks' }))
    problems.throwIfAny()
    if ((await tokens.all()).some(({ title }) => title === body.title))
      throw new Refusal('CONFLICT', message('panel.token_title_taken'), { field: 'title' })
    const { text, lookup } = newTokenText()
    const row = await tokens.add({
      lookup,
      title: body.title,
      hash: tokenHash(text),
      scopes: JSON.stringify(body.scopes),
      allowed_networks: JSON.stringify(body.allowed_networks ?? []),
      user_id,
      created_date: now().toISOString(),
      expires_date,
    })
    note.target('api_token', row.token_id)
    note.operation(`Token ${row.title}: ${body.scopes.join(', ')}`)
    return created({ token: tokenView(tokens, row), text })
  }

const revokeToken =
  (tokens: ApiTokens) =>
  async ({ note }: StoreContext, { params }: Incoming): Promise<Answer<DeleteTokenAnswer>> => {
    const token_id = params['id'] ?? 0
    const row = await tokens.find(token_id)
    if (!row) throw new Refusal('NOT_FOUND', message('panel.no_such_token'))
    note.target('api_token', token_id)
    await tokens.revoke(row)
    note.operation(`Token ${row.title} revoked`)
    return ok({ deleted: true, token_id })
  }

const DAY_MS = 24 * 60 * 60 * 1000

/** Null: never, which has to be requested. */
const readExpiry = ({ expires_date }: Partial<CreateTokenBody>, problems: Problems, now: Date): string | null => {
  if (expires_date === undefined) return new Date(now.getTime() + TOKEN_DAYS * DAY_MS).toISOString()
  if (expires_date === null) return null
  const at = /^\d{4}-\d{2}-\d{2}T/.test(expires_date) ? Date.parse(expires_date) : Number.NaN
  if (at > now.getTime()) return new Date(at).toISOString()
  problems.add('expires_date', 'INVALID_VALUE', message('panel.token_expiry'))
  return null
}

const tokenView = (tokens: ApiTokens, row: TokenRow): TokenView => ({
  token_id: row.token_id,
  title: row.title,
  prefix: `tp_${row.lookup}`,
  scopes: [...scopesOfToken(row)],
  allowed_networks: [...networksOfToken(row)],
  created_date: row.created_date,
  expires_date: row.expires_date,
  is_expired: tokens.isExpired(row),
  last_used_date: row.last_used_date,
  last_used_ip: row.last_used_ip,
})
