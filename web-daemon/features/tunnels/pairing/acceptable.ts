// Whether another panel would take a pairing code of this tunnel: an adopted one may be what no request may ask for.
import { kindOfType } from '@panel/shared/api/base/lookups.ts'
import { CreateTunnelBody } from '@panel/shared/api/tunnels/bodies.ts'
import { FromPairingCodeBody } from '@panel/shared/api/tunnels/pairing.ts'
import { Problems, type Problem } from '../../../platform/http/problems.ts'
import { validate } from '../../../platform/http/validate.ts'
import type { SettingsReader } from '../../../platform/settings.ts'
import { draftFields } from '../draft/draft.ts'
import { NO_FACTS } from '../facts.ts'
import { decodePairingCode, PairingCodeError } from './code.ts'
import { readContent, type PairingContent } from './content.ts'
import { mirrored, mirroredAddresses } from './mirror.ts'

interface RefusalReason {
  /** The field of this end. */
  readonly field: string
  readonly message: string
}

/** What the other server would object to wherever it stands; null if nothing. */
export function refusalReason(
  settings: SettingsReader,
  content: PairingContent,
  pairing_code: string,
): RefusalReason | null {
  const [problem] = problemsThere(settings, content)
  if (problem) return { field: fieldHere(problem), message: problem.message }
  const problems = new Problems()
  validate(FromPairingCodeBody, { pairing_code }, problems)
  const [tooLong] = problems.all
  if (tooLong) return { field: 'addresses', message: 'The code would be longer than a panel reads.' }
  try {
    readContent(decodePairingCode(pairing_code))
    return null
  } catch (refused) {
    if (!(refused instanceof PairingCodeError)) throw refused
    return { field: '', message: refused.message }
  }
}

/** The draft of the other end, on a host that has nothing yet. */
function problemsThere(settings: SettingsReader, content: PairingContent): readonly Problem[] {
  const kind = kindOfType(content.type)
  const addresses = mirroredAddresses(content).map(({ isChosen: _told, ...address }) => address)
  const problems = new Problems(Object.keys(CreateTunnelBody.properties))
  const body: Partial<CreateTunnelBody> = validate(
    CreateTunnelBody,
    { ...mirrored(content, kind), addresses },
    problems,
  )
  if (problems.isEmpty)
    draftFields({
      settings,
      body,
      kind,
      problems,
      warnings: [],
      facts: NO_FACTS,
      stored: null,
      existing: [],
      pools: [],
    })
  return problems.all
}

const OTHER_END: Readonly<Record<string, string>> = {
  local_endpoint: 'remote_endpoint',
  remote_endpoint: 'local_endpoint',
  ikey: 'okey',
  okey: 'ikey',
}

function fieldHere({ field }: Problem): string {
  const [first = ''] = field.split('.')
  return OTHER_END[first] ?? first
}
