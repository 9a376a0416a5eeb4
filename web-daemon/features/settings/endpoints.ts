// The endpoints of the section Settings.
import { ResetSettingsBody, SettingsSchemaAnswer } from '@panel/shared/api/settings.ts'
import type { Message } from '@panel/shared/messages/message.ts'
import type { ReadContext } from '../../platform/context.ts'
import { declarations, type Incoming } from '../../platform/http/endpoint.ts'
import { defaultValues, type References } from './change.ts'
import { AllSettings, ChangedSettings, SettingsBody, type SettingValues } from './definitions.ts'
import { changesGuarded } from './guarded.ts'
import { keysToReset, resetSettings, updateSettings } from './update.ts'
import { listSettings, showSchema } from './view.ts'

const tag = 'settings'

/** The table of all endpoints does not know the settings; this one has a schema of each. */
const { query, command } = declarations({
  'GET /settings': { answer: AllSettings },
  'GET /settings/schema': { answer: SettingsSchemaAnswer },
  'PUT /settings': { body: SettingsBody, answer: ChangedSettings },
  'POST /settings/reset': { body: ResetSettingsBody, answer: ChangedSettings },
})

const updatesGuarded = ({ settings }: ReadContext, { body }: Incoming<Partial<SettingValues>>): boolean =>
  changesGuarded(settings, body)
const resetsGuarded = ({ settings }: ReadContext, { body }: Incoming<ResetSettingsBody>): boolean =>
  changesGuarded(settings, defaultValues(keysToReset(body)))

export function settingsEndpoints(references: References, whyNoProbes: () => Message | null) {
  return [
    query('GET /settings', { tag, summary: 'Every setting with its value.' }, listSettings),
    query(
      'GET /settings/schema',
      { tag, summary: 'What each setting is, what it may be and what it is by default.' },
      showSchema(whyNoProbes),
    ),
    command(
      'PUT /settings',
      {
        tag,
        summary: 'Change settings: all that are given, or none where one is refused. Acts at once.',
        gathersProblems: true,
        audit: 'SettingUpdate',
        fresh: updatesGuarded,
      },
      updateSettings(references, whyNoProbes),
    ),
    command(
      'POST /settings/reset',
      {
        tag,
        summary: 'Put settings back to their defaults: those of "keys", or all.',
        audit: 'SettingUpdate',
        fresh: resetsGuarded,
      },
      resetSettings(references, whyNoProbes),
    ),
  ]
}
