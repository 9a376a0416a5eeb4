// The endpoints of the section Settings.
import { ResetSettingsBody, SettingsSchemaAnswer } from '@panel/shared/api/settings.ts'
import { command, query } from '../../platform/http/endpoint.ts'
import type { References } from './change.ts'
import { AllSettings, ChangedSettings, SettingsBody } from './definitions.ts'
import { resetSettings, updateSettings } from './update.ts'
import { listSettings, showSchema } from './view.ts'

const tag = 'settings'

export const settingsEndpoints = (references: References) => [
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
    },
    resetSettings(references),
  ),
]
