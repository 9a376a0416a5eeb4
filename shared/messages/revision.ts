// Sentences about revisions.
export const REVISION = {
  'revision.not_found':
    'There is no revision {revision_id}, or it was folded away: {kept} are kept, and those that are pinned.',
  'revision.to': 'The parameter to must be now, host, or the number of a revision.',
  'revision.only': 'The field {field} must name 1 to 1000 objects, each by its kind and its key.',
  'revision.no_object': 'Neither the revision nor the panel has {kind} {target_key}.',
  'revision.restored': 'Everything is as it was at revision {revision_id}.',
  'revision.nothing': 'Nothing differs from revision {revision_id}.',
  'revision.dry': 'Nothing was changed.',
  'revision.taken_back': 'A step failed, and everything is as it was before the restore.',
} as const
