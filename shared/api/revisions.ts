// What a client may send about revisions, and what it is answered (reference.md, Revisions; decisions.md, section 13).
import { message } from '../messages/message.ts'
import { nullable, strict, Type, type Static } from '../schema.ts'
import { ErrorEnvelope, Warning, sentence } from './base/errors.ts'
import { flag, maybe, refusedWith } from './base/fields.ts'
import { ApiPath } from './base/ready.ts'
import {
  Anything,
  Count,
  described,
  Flag,
  Id,
  Instant,
  list,
  oneOf,
  Sentence,
  shape,
  Text,
  Value,
} from './base/shapes.ts'

export const REVISION_KINDS = ['setting', 'pool', 'tunnel', 'network', 'route'] as const
export type RevisionKind = (typeof REVISION_KINDS)[number]

/** `target_key` names an object within its kind: the key of a setting, the id of anything else. */
const object = {
  kind: oneOf(REVISION_KINDS),
  target_key: described(Sentence, 'The key of a setting; of anything else its id.'),
}

const named = {
  ...object,
  title: described(Text, 'What people call it.'),
  what: oneOf(['created', 'updated', 'deleted']),
}

export const RevisionItem = shape('RevisionItem', named)
export type RevisionItem = Static<typeof RevisionItem>

export const FieldChange = shape('FieldChange', {
  field: Sentence,
  before: described(Value, 'Null where it was not there.'),
  after: described(Value, 'Null where it is not there.'),
})
export type FieldChange = Static<typeof FieldChange>

export const ObjectDifference = shape('ObjectDifference', {
  ...named,
  changes: described(list(FieldChange), 'Field by field, as its requests name them.'),
})
export type ObjectDifference = Static<typeof ObjectDifference>

const revision = {
  revision_id: Id,
  created_date: Instant,
  user_id: nullable(Id),
  username: described(Text, 'Who requested it, as the audit log has it; "" where nobody did.'),
  origin: oneOf(['operator', 'token', 'panel']),
  file_name: described(Text, 'The file that it comes from (POST /desired); "" where it comes from none.'),
  action: described(Text, 'As the audit log names it; "" of the first revision, which holds what was there.'),
  request_id: Text,
  reason: described(Text, 'As the header X-Change-Reason gave it.'),
  state: described(
    oneOf(['kept', 'waiting', 'taken_back']),
    'waiting: in a window that is not confirmed. taken_back: that window was not confirmed.',
  ),
  is_pinned: described(Flag, 'Whether it stays, however many follow.'),
  item_count: Count,
}

export const RevisionView = shape('Revision', {
  ...revision,
  items: described(list(RevisionItem), 'The first 20.'),
})
export type RevisionView = Static<typeof RevisionView>

export const RevisionDetail = shape('RevisionDetail', { ...revision, items: list(ObjectDifference) })
export type RevisionDetail = Static<typeof RevisionDetail>

export const ListRevisionsAnswer = shape('Revisions', {
  revisions: described(list(RevisionView), 'The newest first.'),
  total: Count,
  limit: Count,
  offset: Count,
})
export type ListRevisionsAnswer = Static<typeof ListRevisionsAnswer>

export const RevisionDiffAnswer = shape('RevisionDiff', {
  from: Id,
  to: described(Sentence, 'now, host, or the number of a revision.'),
  items: described(list(ObjectDifference), 'What leads from the one to the other.'),
})
export type RevisionDiffAnswer = Static<typeof RevisionDiffAnswer>

export const PinRevisionBody = shape('PinRevisionBody', {
  is_pinned: flag('is_pinned', 'Whether it stays, however many follow.'),
})
export type PinRevisionBody = Static<typeof PinRevisionBody>

const only = Type.Array(strict(object), {
  minItems: 1,
  maxItems: 1000,
  ...refusedWith(
    'INVALID_VALUE',
    message('revision.only', { field: 'only' }),
    'The objects to restore. Absent: everything.',
  ),
})

export const RestoreRevisionBody = shape('RestoreRevisionBody', {
  only: maybe(only),
  dry_run: maybe(flag('dry_run', 'Only return what would be done, and do nothing. Default false.')),
  i_understand_i_may_lose_access: maybe(
    flag('i_understand_i_may_lose_access', 'Restore also what carries your own connection to the panel.'),
  ),
})
export type RestoreRevisionBody = Static<typeof RestoreRevisionBody>

const Done = oneOf(['planned', 'done', 'failed', 'not_tried'])
export const RestoreStep = shape('RestoreStep', {
  items: described(list(RevisionItem), 'The objects that it is about.'),
  method: oneOf(['POST', 'PUT', 'PATCH', 'DELETE']),
  path: ApiPath,
  body: described(Anything, 'What is sent there.'),
  outcome: described(Done, 'planned in a dry run. not_tried: an earlier one failed, and nothing would stay.'),
  error: described(nullable(ErrorEnvelope.properties.error), 'Why it failed, or in a dry run would as things stand.'),
  warnings: list(Warning),
})
export type RestoreStep = Static<typeof RestoreStep>

export const RestoreRevisionAnswer = shape('RevisionRestored', {
  revision_id: Id,
  dry_run: Flag,
  is_taken_back: described(Flag, 'Whether everything was put back, since a step failed.'),
  steps: described(list(RestoreStep), 'In their order.'),
  ...sentence('note'),
})
export type RestoreRevisionAnswer = Static<typeof RestoreRevisionAnswer>
