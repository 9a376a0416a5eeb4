// The settings of the category system: background checks of the server, and the retention of the audit log.
import { CONFIRM_BY } from '@panel/shared/api/safe-apply.ts'
import { WINDOW_SECONDS } from '@panel/shared/window/model.ts'
import { DeviceName } from '@panel/shared/tunnel/observed.ts'
import { Type } from '@panel/shared/schema.ts'
import { message } from '@panel/shared/messages/message.ts'
import { bool, int, json, oneOf, type Shape } from '../kinds.ts'

const NAMES: Shape = {
  schema: Type.Array(DeviceName, { maxItems: 10_000, uniqueItems: true }),
  json_shape: '[text]',
  refusal: message('setting.interfaces'),
}

export const SYSTEM = {
  'system.reconcile_interval_seconds': int(
    300,
    { min: 10, max: 86_400, unit: 'seconds' },
    'Time after which the server is compared with what is stored, even if no event reported a change. Raise it on a server with very many tunnels and rules.',
  ),
  'system.audit_retention_days': int(
    90,
    { min: 1, max: 3650, unit: 'days' },
    'Age at which entries of the audit log are deleted. Raise it where you have to account for changes for longer.',
  ),
  'system.revisions_kept': int(
    50,
    { min: 1, max: 1000 },
    'How many revisions are kept, to look at and to go back to. Pinned ones stay beside them.',
  ),
  'system.auto_reapply_on_drift': bool(
    false,
    'Whether tunnels and relay rules that were changed or removed outside the panel are reapplied automatically: the same as "all" of the setting below, which it overrides while it is on.',
  ),
  'system.self_heal': oneOf(
    ['off', 'rules', 'all'],
    'off',
    'What is reapplied automatically when it was changed or removed outside the panel: nothing, relay rules, or tunnels too. What is taken away again and again is put back after pauses of up to an hour. Leave tunnels out where other software changes the same ones.',
  ),
  'system.safe_apply_mode': oneOf(
    ['off', 'risky', 'always'],
    'risky',
    'Which changes start a trial by themselves: none, those that cut your own connection to the panel, or all.',
  ),
  'system.safe_apply_confirm_by': oneOf(
    CONFIRM_BY,
    'operator',
    'Who keeps the changes of a trial: you, or also the page by itself, once it has reached the panel several times over new connections and every tunnel that was up is up, with no new incident.',
  ),
  'system.safe_apply_seconds': int(
    60,
    { min: WINDOW_SECONDS.least, max: WINDOW_SECONDS.most, unit: 'seconds' },
    'How long a trial lasts before its changes are put back, from the end of the last one. Give it the time that you need to see whether all is well.',
  ),
  'system.ruleset_protection': oneOf(
    ['auto', 'off'],
    'auto',
    "Whether the kernel keeps other programs from changing or flushing the panel's table of relay rules by accident, as nft flush ruleset does. Their own rules stay theirs. Turn it off where a program of yours changes the table on purpose.",
  ),
  'system.ignored_interfaces': json<readonly string[]>(
    [],
    NAMES,
    'Interfaces that the panel does not manage and does not report. Name those that other software looks after.',
  ),
}
