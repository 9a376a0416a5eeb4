// A history of figures by interval: joined in memory as in the store, read in points, and deleted when it is old.
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { sql } from 'kysely'
import { IN_MEMORY, openStore } from '@panel/web-daemon/app/store.ts'
import type { Store } from '@panel/web-daemon/platform/db/store.ts'
import { joinIntervals, makeSeries, type Interval } from '@panel/web-daemon/platform/series/series.ts'
import { addIntervals, deleteIntervalsBefore, readPoints } from '@panel/web-daemon/platform/series/store.ts'
import { UnsavedIntervals } from '@panel/web-daemon/platform/series/unsaved.ts'

interface Sample extends Interval {
  readonly thing_id: number
  readonly total: number | null
  readonly whole: number | null
  readonly least: number | null
  readonly most: number | null
}

const SAMPLES = makeSeries<Sample, 'thing_id'>('sample', 'thing_id', {
  total: 'sum',
  whole: 'whole',
  least: 'min',
  most: 'max',
})
const figure = fc.option(fc.nat(1000))
const sample: fc.Arbitrary<Sample> = fc.record({
  thing_id: fc.integer({ min: 1, max: 2 }),
  bucket_start: fc.nat(9).map((minute) => minute * 60),
  total: figure,
  whole: figure,
  least: figure,
  most: figure,
})
const SPAN = { from: 0, to: 600, resolution_seconds: 60 }

describe('A series of intervals', () => {
  let db: Store
  beforeEach(async () => {
    db = await openStore(IN_MEMORY)
    await sql`create table sample (thing_id integer, bucket_start integer, total integer, whole integer,
      least integer, most integer, primary key (thing_id, bucket_start))`.execute(db)
  })
  afterEach(() => db.destroy())

  const pointsOf = async (key: number, unsaved: readonly Sample[], resolution_seconds = 60): Promise<object[]> => {
    const span = { ...SPAN, resolution_seconds }
    const { points, total } = await readPoints(db, SAMPLES, { key, span, limit: 100, unsaved })
    assert.equal(total, points.length)
    return points.map(({ samples: _count, ...point }) => point)
  }

  it('has the same points, whatever is stored of it and whatever is in memory', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(sample, fc.boolean())), async (parts) => {
        await sql`delete from sample`.execute(db)
        const [all, unsaved] = [new UnsavedIntervals(SAMPLES), new UnsavedIntervals(SAMPLES)]
        for (const [part, isStored] of parts) {
          all.add(part)
          if (isStored) await addIntervals(db, SAMPLES, [part])
          else unsaved.add(part)
        }
        for (const key of [1, 2]) {
          const of = ({ thing_id }: Sample): boolean => thing_id === key
          assert.deepEqual(
            await pointsOf(key, unsaved.all.filter(of)),
            all.all.filter(of).map((one) => ({ ...one })),
          )
        }
      }),
    )
  })

  it('joins its intervals to longer ones in the store as in memory', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(sample, { selector: ({ bucket_start }) => bucket_start }), async (some) => {
        const parts = some.map((one) => ({ ...one, thing_id: 1 }))
        await sql`delete from sample`.execute(db)
        await addIntervals(db, SAMPLES, parts)
        const [first, ...rest] = parts
        const joined = first && rest.reduce((before, one) => joinIntervals(SAMPLES, before, one), first)
        assert.deepEqual(await pointsOf(1, [], 600), joined ? [{ ...joined, bucket_start: 0 }] : [])
      }),
    )
  })

  it('says nothing of a whole of which a part is not known, and leaves any other figure as it is', () => {
    const known = { thing_id: 1, bucket_start: 0, total: 5, whole: 5, least: 5, most: 5 }
    const unknown = { ...known, total: null, whole: null, least: null, most: null }
    assert.deepEqual(joinIntervals(SAMPLES, known, unknown), { ...known, whole: null })
    assert.deepEqual(joinIntervals(SAMPLES, unknown, known), { ...known, whole: null })
  })

  it('is deleted from its beginning, of the named keys, and only so many rows at once', async () => {
    const minutes = [0, 60, 120].flatMap((bucket_start) =>
      [1, 2].map((thing_id) => ({ thing_id, bucket_start, total: 1, whole: 1, least: 1, most: 1 })),
    )
    await addIntervals(db, SAMPLES, minutes)
    assert.equal(await deleteIntervalsBefore(db, SAMPLES, 120, { most: 9, keys: [2] }), 2)
    assert.equal(await deleteIntervalsBefore(db, SAMPLES, 120, { most: 1 }), 1)
    assert.equal((await pointsOf(1, [])).length, 2)
    assert.equal((await pointsOf(2, [])).length, 1)
  })

  it('keeps the newest intervals in memory while they cannot be stored', () => {
    const unsaved = new UnsavedIntervals(SAMPLES, 2)
    for (const bucket_start of [60, 0, 120])
      unsaved.add({ thing_id: 1, bucket_start, total: 1, whole: 1, least: 1, most: 1 })
    assert.deepEqual(
      unsaved.all.map(({ bucket_start }) => bucket_start),
      [60, 120],
    )
    assert.equal(unsaved.take(({ bucket_start }) => bucket_start < 120).length, 1)
    assert.deepEqual(
      unsaved.all.map(({ bucket_start }) => bucket_start),
      [120],
    )
  })
})
