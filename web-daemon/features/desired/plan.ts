// What leads from the panel as it is to the panel as a file says: what differs, and the requests for that.
import type { DesiredBody } from '@panel/shared/api/desired.ts'
import { message } from '@panel/shared/messages/message.ts'
import type { ReadContext } from '../../platform/context.ts'
import type { Incoming } from '../../platform/http/endpoint.ts'
import type { Problems } from '../../platform/http/problems.ts'
import { Refusal } from '../../platform/http/refusal.ts'
import { differing, type Pair } from '../revisions/difference.ts'
import { nameOf, type RevisionObject } from '../revisions/items.ts'
import { stepsFor, type Step } from '../revisions/steps.ts'
import { digestNow, stateNow } from '../revisions/store.ts'
import { isSettingKey, SETTINGS } from '../settings/definitions.ts'
import { adoptedTunnels } from '../tunnels/store.ts'
import { completing } from './complete.ts'
import { readDocument, SECTIONS, type Wanted } from './document.ts'
import { nextIds, objectsOf } from './store.ts'

export interface Plan {
  readonly pairs: readonly Pair[]
  readonly steps: readonly Step[]
  /** Names of adopted tunnels that would be deleted if the panel had made them. */
  readonly spared: readonly string[]
  /** The objects that the file names, by kind and key, with the path of each in the request. */
  readonly paths: ReadonlyMap<string, string>
}

/** Plans by reading alone. Throws 422 with everything that is wrong with the file by itself. */
export async function planFile(
  context: ReadContext,
  { body, problems }: Pick<Incoming<DesiredBody>, 'body' | 'problems'>,
): Promise<Plan> {
  if (problems.hasWhole('document')) problems.throwIfAny()
  const { document, base } = body
  if (base !== undefined && base !== (await digestNow(context.db)))
    throw new Refusal('DESIRED_IS_STALE', message('desired.stale'), { field: 'base' })
  const present = await stateNow(context.db)
  const wanted = readDocument(document, present, await nextIds(context.db), problems)
  const settings = wantedSettings(document.settings ?? {}, present, problems)
  problems.throwIfAny()
  const complete = await completing(context, wanted)
  const objects = await Promise.all(wanted.map((one) => objectOf(one, complete)))
  const { kept, spared } = await keptObjects(context, body, present, wanted)
  const pairs = differing(present, [...settings, ...objects, ...kept])
  const named = [
    ...wanted,
    ...Object.keys(document.settings ?? {}).map((key) => ({
      kind: 'setting' as const,
      target_key: key,
      path: `document.settings.${key}`,
    })),
  ]
  return {
    pairs,
    steps: stepsFor(pairs),
    spared,
    paths: new Map(named.map((one) => [nameOf(one), one.path])),
  }
}

/** All of them: those that the file does not name stay as they are. */
function wantedSettings(
  given: Readonly<Record<string, unknown>>,
  present: readonly RevisionObject[],
  problems: Problems,
): RevisionObject[] {
  for (const key of Object.keys(given))
    if (!isSettingKey(key))
      problems.add(`document.settings.${key}`, 'UNKNOWN_FIELD', message('setting.unknown', { name: key.slice(0, 100) }))
  return present
    .filter(({ kind }) => kind === 'setting')
    .map((one) =>
      Object.hasOwn(given, one.target_key) && Object.hasOwn(SETTINGS, one.target_key)
        ? { ...one, item: { key: one.target_key, value: given[one.target_key] } }
        : one,
    )
}

async function objectOf(wanted: Wanted, complete: Awaited<ReturnType<typeof completing>>): Promise<RevisionObject> {
  const { kind, target_key, title, given, stored, path } = wanted
  if (!stored) return { kind, target_key, title, item: given }
  const item = await complete(wanted).catch((thrown: unknown) => {
    throw thrown instanceof Refusal ? below(path, thrown) : thrown
  })
  return { kind, target_key, title, item: item ?? { ...stored.item, ...given } }
}

/** The same, with its field within the file. */
export function below(path: string, refusal: Refusal): Refusal {
  const field = refusal.field === '' ? path : `${path}.${refusal.field}`
  return new Refusal(refusal.code, refusal, { field, details: refusal.details })
}

/** What is there, is not named, and is not to be deleted for that. */
async function keptObjects(
  { db }: ReadContext,
  { document, name, prune = 'none', include_adopted = false }: DesiredBody,
  present: readonly RevisionObject[],
  wanted: readonly Wanted[],
): Promise<{ kept: RevisionObject[]; spared: string[] }> {
  const isNamed = new Set(wanted.map(nameOf))
  const ofFile = new Set(name === undefined ? [] : (await objectsOf(db, name)).map(nameOf))
  const sections = new Set<string>(SECTIONS.filter(({ section }) => document[section]).map(({ kind }) => kind))
  const adopted = include_adopted ? [] : await adoptedTunnels(db)
  const isAdopted = new Set(adopted.map((id) => nameOf({ kind: 'tunnel', target_key: String(id) })))
  const unnamed = present.filter((one) => one.kind !== 'setting' && !isNamed.has(nameOf(one)))
  const isPruned = (one: RevisionObject): boolean =>
    prune === 'named' ? ofFile.has(nameOf(one)) : prune === 'all' && sections.has(one.kind)
  const spared = unnamed.filter((one) => isPruned(one) && isAdopted.has(nameOf(one)))
  const kept = unnamed.filter((one) => !isPruned(one))
  return { kept: [...kept, ...spared], spared: spared.map(({ title }) => title) }
}
