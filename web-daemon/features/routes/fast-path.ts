// What a rule's own word, the setting and the host come to: whether its connections take the fast path (decisions.md,
// F33).
import type { FastPathState } from '@panel/shared/api/routes/fast-path-fields.ts'
import { message, messageFields, type Message } from '@panel/shared/messages/message.ts'
import { slowField, type FastPathFound } from '@panel/shared/ruleset/fast-path.ts'
import type { SettingsReader } from '../../platform/settings.ts'
import type { RouteRecord } from './record.ts'

export function fastPathState(
  own: boolean | null | undefined,
  settings: SettingsReader,
  { is_able }: FastPathFound,
): FastPathState {
  if (!(own ?? settings.get('routes.fast_path') === 'on')) return 'off'
  return is_able ? 'on' : 'unable'
}

export const fastPathView = (record: RouteRecord) => ({
  is_active: record.fast_path_state === 'on' && slowField(record) === null,
  ...messageFields('reason', reasonOf(record)),
})

function reasonOf(record: RouteRecord): Message {
  const field = slowField(record)
  if (record.fast_path_state === 'off')
    return message(record.is_fast_path === false ? 'route.fast_path_own' : 'route.fast_path_off')
  if (record.fast_path_state === 'unable') return message('route.fast_path_unable')
  return field === null ? message('route.fast_path_on') : message('route.fast_path_slow', { field })
}
