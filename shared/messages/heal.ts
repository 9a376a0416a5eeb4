// Of what others take away, and the panel puts back.
export const HEAL = {
  'heal.contested': 'Taken away or changed {times, plural, one {# time} other {# times}} since {since}.',
  'heal.contested_by':
    'Taken away or changed {times, plural, one {# time} other {# times}} since {since}, last by {program}.',
  'heal.next': '{text} Next try at {at}.',
  'heal.component':
    'Other programs keep taking away what the panel puts back: {count, plural, one {# tunnel or rule} other {# tunnels and rules}}. {detail}',
  'heal.reset': 'What differs is put back at once, where that is wanted, and then with the shortest pauses again.',
} as const
