// What a rule that leaves clients their own addresses needs of the server at the far end of its tunnel.
export const FAR_END = {
  'far_end.another_way':
    '{count, plural, one {# packet} other {# packets}} of clients went over {tunnel}, whose far end answers this server, and none came back: answers to the clients themselves leave there another way',
  'far_end.switch':
    'At the far end of {tunnel}, turn on "Answer through this tunnel": else answers to the clients themselves leave there another way, and are lost.',
  'far_end.by_hand':
    'If that server has no panel, run these lines there as root, again after each start; they serve all but UDP that a program takes on every address.',
  'far_end.line': 'At the far end: {command}.',
} as const
