import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { HostedClass } from '../import/forms/form.ts'
import { inEnglish } from '../notices/in-english.ts'
import { notice } from '../notices/notice.ts'
import type { JsonObject } from '../values/json.ts'
import { applyClasses } from './class-apply.ts'
import type { Management } from './management.ts'
import type { ShownClass } from './shown-class.ts'
import { compareSchema } from './verify/compare-schema.ts'

beforeEach(() => {
  vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  vi.spyOn(process.stderr, 'write').mockReturnValue(true)
})
afterEach(() => void vi.restoreAllMocks())

const shown = (className: string, fields: ShownClass['fields'], indexes: readonly string[] = []): ShownClass => ({
  className,
  fields,
  permissions: {},
  defaultAcl: {},
  indexes,
})

/** Applies a schema to classes. @param refused the fields of the index that the server rejects */
async function apply(className: string, hosted: HostedClass, here: readonly ShownClass[], refused?: string) {
  const bodies: unknown[] = []
  const request = async (method: string, _path: string, body?: { indexes?: { fields: string[] }[] }) => {
    if (method === 'GET') return { classes: here }
    const isRefused = body?.indexes?.some(({ fields }) => fields.join() === refused)
    if (isRefused) throw new Error('values repeat')
    bodies.push(body)
    return {}
  }
  const applied = await applyClasses(
    { request } as unknown as Management,
    'path',
    new Map([[className, hosted]]),
    false,
  )
  return { ...applied, bodies }
}

const index = (key: JsonObject, unique = false): JsonObject => ({ key, unique, name: 'x' })

describe('indexes are applied one by one', () => {
  const here = [shown('Post', { a: { type: 'String' }, b: { type: 'String' } })]
  const indexes = [index({ a: 1 }, true), index({ b: 1 }, true)]

  it('so that an index which the server rejects does not affect the others, the fields and the permissions', async () => {
    const schema = { c: { type: 'String' } }
    const applied = await apply('Post', { schema, permissions: { find: { '*': false } }, indexes }, here, 'a')
    expect({ ...applied, notApplied: applied.notApplied.map(inEnglish) }).toEqual({
      isComplete: false,
      notApplied: ['Post: index unique a was not created: values repeat'],
      bodies: [
        { fields: { c: { type: 'String' } }, permissions: { find: 'master' } },
        { indexes: [{ fields: ['b'], unique: true }] },
      ],
    })
  })

  it('of which two over a pointer and its id are one', async () => {
    const owned = [shown('Post', { owner: { type: 'Pointer', className: '_User' } })]
    const applied = await apply('Post', { indexes: [index({ owner: 1 }), index({ 'owner.objectId': 1 })] }, owned)
    expect(applied.notApplied).toEqual([])
    expect(applied.bodies).toEqual([{ indexes: [{ fields: ['owner'], unique: false }] }])
  })

  it.each<[string, JsonObject, RegExp]>([
    ['a column that the class lacks', { subscriptionUri: 1 }, /no field 'subscriptionUri'/],
    ['one column of several that the class lacks', { a: 1, gone: -1 }, /no field 'gone'/],
    ['a member of a column', { 'a.b': 1 }, /when queries need them/],
    ['a relation', { likes: 1 }, /Relation/],
    ['a place', { place: 1 }, /GeoPoint/],
  ])('so that one over %s does not affect the others, and verify calls the class safe', async (_what, key, note) => {
    const fields: ShownClass['fields'] = {
      ...here[0]!.fields,
      likes: { type: 'Relation', className: '_User' },
      place: { type: 'GeoPoint' },
    }
    for (const unique of [true, false]) {
      const hosted = { indexes: [index(key, unique), ...indexes] }
      const applied = await apply('Post', hosted, [shown('Post', fields)])
      expect(applied.isComplete).toBe(true)
      expect(applied.notApplied.map(inEnglish)).toEqual([expect.stringMatching(note)])
      expect(applied.bodies).toEqual([
        { indexes: [{ fields: ['a'], unique: true }] },
        { indexes: [{ fields: ['b'], unique: true }] },
      ])
      const now = [shown('Post', fields, ['unique a', 'unique b'])]
      expect(compareSchema(new Map([['Post', hosted]]), now, () => []).faults).toEqual([])
      expect(
        compareSchema(new Map([['Post', hosted]]), [shown('Post', fields, ['unique a'])], () => []).faults,
      ).toEqual([notice('indexMissing', { className: 'Post', index: 'unique b' })])
    }
  })

  it('and indexes that a new class has anyway are not requested', async () => {
    const hosted = {
      schema: { nick: { type: 'String' } },
      indexes: [
        index({ sessionToken: 1 }, true),
        index({ username: 1 }, true),
        index({ nick: 1 }),
        index({ createdAt: 1 }),
      ],
    }
    expect(await apply('_User', hosted, [])).toEqual({
      isComplete: true,
      notApplied: [],
      bodies: [
        { fields: { nick: { type: 'String' } } },
        { indexes: [{ fields: ['nick'], unique: false }] },
        { indexes: [{ fields: ['createdAt'], unique: false }] },
      ],
    })
  })
})
