// The endpoints of the section Settings.
import { ResetSettingsBody, SettingsSchemaAnswer } from '@panel/shared/api/settings.ts'
import type { ReadContext } from '../../platform/context.ts'
import { command, query, type Incoming } from '../../platform/http/endpoint.ts'
import { defaultValues, type References } from './change.ts'
import { AllSettings, ChangedSettings, SettingsBody, type SettingValues } from './definitions.ts'
import { changesGuarded } from './guarded.ts'
import { keysToReset, resetSettings, updateSettings } from './update.ts'
import { listSettings, showSchema } from './view.ts'

const tag = 'settings'

const updatesGuarded = ({ settings }: ReadContext, { body }: Incoming<Partial<SettingValues>>): boolean =>
  changesGuarded(settings, body)
const resetsGuarded = ({ settings }: ReadContext, { body }: Incoming<ResetSettingsBody>): boolean =>
  changesGuarded(settings, defaultValues(keysToReset(body)))

export function settingsEndpoints(references: References) {
  return [
    query('GET /settings', { tag, summary: 'Every setting with its value.', answer: AllSettings }, listSettings),
    query(
      'GET /settings/schema',
      { tag, summary: 'What each setting is, what it may be and what it is by default.', answer: SettingsSchemaAnswer },
      showSchema,
    ),
    command(
      'PUT /settings',
      {
        tag,
        summary: 'Change settings: all that are given, or none where one is refused. Acts at once.',
        answer: ChangedSettings,
        body: SettingsBody,
        gathersProblems: true,
        audit: 'SettingUpdate',
        fresh: updatesGuarded,
      },
      updateSettings(references),
    ),
    command(
      'POST /settings/reset',
      {
        tag,
        summary: 'Put settings back to their defaults: those of "keys", or all.',
        answer: ChangedSettings,
        body: ResetSettingsBody,
        audit: 'SettingUpdate',
        fresh: resetsGuarded,
      },
      resetSettings(references),
    ),
  ]
}
