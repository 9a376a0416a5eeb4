// What safe apply says.
export const SAFE_APPLY = {
  'safe_apply.under_way':
    'Changes are waiting for a confirmation already, for {seconds} seconds more: keep them or put them back first.',
  'safe_apply.whole_under_way':
    'An import that is put back as a whole if one item fails is under way. Wait for it to end.',
  'safe_apply.over_confirmed': 'These changes were kept already.',
  'safe_apply.over_cancelled': 'These changes were put back already, by request.',
  'safe_apply.over_expired': 'These changes were put back already, since nobody kept them in time.',
  'safe_apply.over_rebooted':
    'These changes were put back already, since the server was restarted before they were confirmed.',
  'safe_apply.unknown': 'No changes with this window_id are waiting for a confirmation.',
  'safe_apply.trial_over': 'The window that this change was meant for is over, so it was not made.',
  'safe_apply.same_connection':
    'This connection is older than the last change, so it does not show that the panel can still be reached: confirm over a new one.',
} as const
