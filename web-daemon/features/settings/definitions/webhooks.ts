// The settings of the category webhooks: where notifications may go, and what is worth one (decisions.md, section 12).
import { bool, int } from '../kinds.ts'

export const WEBHOOKS = {
  'webhooks.allow_private': bool(
    false,
    'Whether notifications may go to addresses inside the networks of this server, and over plain HTTP. Turn it on only where the receiver runs there.',
  ),
  'webhooks.sign_in_failures': int(
    5,
    { min: 1, max: 1000 },
    'How many failed sign-ins within ten minutes are reported. Raise it where people mistype often.',
  ),
}
