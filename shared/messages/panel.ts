// The panel itself: requests, sessions, the root helper, the store, and how a change ended.
export const PANEL = {
  'panel.too_many_attempts': 'Too many attempts. Try again in {seconds} seconds.',
  'panel.changed_meanwhile':
    'It has been changed meanwhile, and nothing was done. Compare it with your change, and send that again for the version of now.',
  'panel.stopping': 'The panel is stopping. Try again in a moment.',
  'panel.too_many_streams':
    'There are already {count} of these streams open. Close some pages of the panel and try again.',
  'panel.method': 'The method {method} is not possible here, but {allowed}',
  'panel.body_not_json': 'The request body must be JSON, with Content-Type: application/json',
  'panel.body_cut': 'The request ended before its body did',
  'panel.body_not_object': 'The request body must be a JSON object',
  'panel.body_nested': 'The request body is nested more than {levels} levels deep',
  'panel.body_invalid': 'The request body is not valid JSON in UTF-8',
  'panel.body_too_large': 'The request body is larger than {bytes} bytes',
  'panel.nothing_here': 'There is nothing here',
  'panel.origin_forbidden':
    'Pages of this origin may not use the API. The operator can allow it in the setting security.allowed_origins.',
  'panel.other_site': 'This request comes from a page of another site',
  'panel.host_unknown':
    'The panel does not know the name {name}. If it leads here, add it to PANEL_HOST_NAMES in the configuration and restart the web daemon; the address of the server works without that.',
  'panel.setup_required': 'The panel has no operator account yet. Create it first.',
  'panel.csrf': 'The X-CSRF-Token header is missing or is not the value of the panel_csrf cookie',
  'panel.sign_in': 'Sign in first: there is no session, or it has ended',
  'panel.sign_in_no_session': 'Sign in again: there is no session to refresh, or it has ended',
  'panel.sign_in_changed': 'Sign in again: the account has changed meanwhile',
  'panel.setup_complete': 'The operator account exists already. Sign in instead.',
  'panel.wrong_current_password': 'The current password is wrong',
  'panel.wrong_credentials': 'The username or the password is wrong',
  'panel.account_unchanged': 'There is nothing to change: give a username or a new_password',
  'panel.internal_error': 'Something went wrong inside the panel. Its log has more under the id of this request.',
  'panel.helper_away': 'The root helper cannot be reached or does not answer in time',
  'panel.helper_other_version':
    'The root helper answers in a way that this build does not understand. Are both of the same version?',
  'panel.helper_silent_abilities': 'The root helper did not tell what this host can do',
  'panel.helper_silent_host': 'The root helper did not tell what this host has',
  'panel.stale_state': '{detail}',
  'panel.unsupported': '{detail}',
  'panel.busy': '{detail}',
  'panel.kernel_refused': '{detail}',
  'panel.protected_interface': '{detail}',
  'panel.foreign_unit_file': '{detail}',
  'panel.unmodelled_state': '{detail}',
  'panel.foreign_sysctl_file': '{detail}',
  'panel.protected_port': '{detail}',
  'panel.state_unusable': '{detail}',
  'panel.protected_address': '{detail}',
  'panel.store_disk_full':
    "The disk that holds the panel's store is full, so nothing can be stored. Make room on it and try again.",
  'panel.store_read_only':
    "The panel's store cannot be written, because its disk is read-only. Make that writable and try again; where the kernel made it so after an error, restart the panel too.",
  'panel.store_locked':
    "Another program holds the panel's store locked. End that one (a second panel, or a shell of sqlite3 in a transaction) and try again.",
  'panel.store_moved':
    "The file of the panel's store was moved or replaced while the panel runs. Put it back, or restart the panel.",
  'panel.store_damaged':
    "The file of the panel's store is damaged, or its disk fails. Look at the kernel's log first, and mend the disk where that tells of errors. Where it does not: stop the panel, put the newest copy in the file's place and start it again; the panel's log names both.",
  'panel.store_unreachable':
    "The file of the panel's store cannot be read or written. Look at its rights, and at what the kernel's log says of its disk: after an error of that one the kernel makes it read-only.",
  'panel.change_restored': 'The change of {what} did not work, and everything is as it was before: {why}.',
  'panel.change_stuck': 'The change of {what} did not work, and could not be undone either: {why}.',
  'panel.change_unknown':
    '{reason}. Whether the change of {what} was carried out is not known: it is pending, and the panel checks the host as soon as the helper answers',
  'panel.reason_unknown': 'the reason is not known',
  'panel.nothing_to_change': 'There is nothing to change: give at least one setting with its value',
  'panel.setting_refused': 'The setting {key} was refused, and nothing was changed. {reason}',
  'panel.no_such_action': 'There is no such action in the audit log',
  'panel.filter_whole': 'The filter {field} must be a whole number.',
  'panel.filter_flag': 'The filter {field} must be true or false.',
  'panel.filter_instant': 'The filter {field} must be an instant such as 2026-01-31T12:00:00Z.',
  'panel.not_sampling': 'Metrics are not being sampled: the panel is starting or stopping. Try again in a moment.',
  'panel.too_many_tests': '{count} tests are under way already. Try again in a moment.',
} as const
