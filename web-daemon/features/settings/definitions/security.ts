// The settings of the category security: the lifetime of a session, limits on password guessing, and origins that may
// use the API (decisions.md, A2, A12, A17).
import { Type } from '@panel/shared/schema.ts'
import { message } from '@panel/shared/messages/message.ts'
import { int, json, type Shape } from '../kinds.ts'

const ORIGINS: Shape = {
  schema: Type.Array(
    Type.String({
      maxLength: 200,
      pattern: '^https?://([a-z0-9]([a-z0-9.-]*[a-z0-9])?|\\[[0-9a-f:]+\\])(:[1-9][0-9]{0,4})?$',
    }),
    { maxItems: 32, uniqueItems: true },
  ),
  json_shape: '[text]',
  refusal: message('setting.origins'),
}

export const SECURITY = {
  'security.token_ttl_minutes': int(
    60,
    { min: 1, max: 43_200, unit: 'minutes' },
    'Time after which a session has to be renewed; a shorter one also holds for the sessions that there are. A shorter time ends a stolen session sooner.',
  ),
  'security.refresh_ttl_days': int(
    30,
    { min: 1, max: 3650, unit: 'days' },
    'Time for which a session can be renewed without signing in; a shorter one also holds for the sessions that there are. Lower it where others can use your browser.',
  ),
  'security.login_rate_limit_per_minute': int(
    5,
    { min: 1, max: 1000 },
    'Failed sign-ins under one username within a minute, whether or not it exists, after which more have to wait. Lower it where somebody tries passwords.',
  ),
  'security.login_lockout_minutes': int(
    15,
    { min: 1, max: 1440, unit: 'minutes' },
    'Time that an address waits after five failed sign-ins in a row. Raise it where somebody tries passwords.',
  ),
  'security.allowed_origins': json<readonly string[]>(
    [],
    ORIGINS,
    "Origins of other pages that may use this API from a browser. The panel's own page needs no entry.",
  ),
}
