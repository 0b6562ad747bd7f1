import { describe, expect, it } from 'vitest'
import { audienceOf, type Condition, type Draft, EMPTY, requestOf } from './push-draft.ts'

const draft = (changes: Partial<Draft>): Draft => ({ ...EMPTY, alert: 'Hi', ...changes })
const condition = (changes: Partial<Condition>): Condition => ({
  id: 1,
  field: 'level',
  type: 'Number',
  operator: 'above',
  value: '3',
  ...changes,
})

describe('the request of a draft', () => {
  it.each<[changes: Partial<Draft>, body: object]>([
    [{}, { data: { alert: 'Hi' }, where: {}, prod: 'prod' }],
    [
      { title: 'T', badge: 'Increment', sound: 'a.caf', custom: '{"k":1}' },
      { data: { k: 1, alert: 'Hi', title: 'T', badge: 'Increment', sound: 'a.caf' }, where: {}, prod: 'prod' },
    ],
    [{ badge: '0' }, { data: { alert: 'Hi', badge: 0 }, where: {}, prod: 'prod' }],
    [
      { form: 'json', json: '{"silent":true}' },
      { data: { silent: true }, where: {}, prod: 'prod' },
    ],
    [
      { target: 'channels', channels: ['news'], platforms: ['ios'], environment: 'dev' },
      { data: { alert: 'Hi' }, where: { deviceType: 'ios' }, channels: ['news'], prod: 'dev' },
    ],
    [
      { target: 'device', device: 'abc', platforms: ['ios'] },
      { data: { alert: 'Hi' }, where: { objectId: 'abc' }, prod: 'prod' },
    ],
  ])('%j', (changes, body) => {
    expect(requestOf(draft(changes))).toEqual({ body })
  })

  it('has times in UTC', () => {
    const { body } = requestOf(draft({ pushAt: '2030-01-02T03:04', expiresAt: '2030-01-03T03:04' })) as { body: object }
    expect(body).toMatchObject({
      push_time: new Date('2030-01-02T03:04').toISOString(),
      expiration_time: new Date('2030-01-03T03:04').toISOString(),
    })
  })

  it.each<[changes: Partial<Draft>, fault: string]>([
    [{ alert: '' }, 'alert'],
    [{ custom: '[' }, 'custom'],
    [{ form: 'json', json: '[]' }, 'json'],
    [{ target: 'channels' }, 'channels'],
    [{ target: 'conditions' }, 'conditions'],
    [{ target: 'conditions', conditions: [condition({ value: '' })] }, 'conditions'],
    [{ target: 'where', where: 'x' }, 'where'],
    [{ target: 'device' }, 'device'],
    [{ pushAt: '2020-01-01T00:00' }, 'pushAt'],
  ])('is not created for %j', (changes, fault) => {
    expect(requestOf(draft(changes))).toEqual({ fault })
  })
})

describe('conditions', () => {
  const whereOf = (conditions: readonly Condition[], platforms: Draft['platforms'] = []) =>
    audienceOf(draft({ target: 'conditions', conditions, platforms }))

  it.each<[Partial<Condition>, object]>([
    [{}, { level: { $gt: 3 } }],
    [{ operator: 'equals' }, { level: 3 }],
    [{ operator: 'exists', value: '' }, { level: { $exists: true } }],
    [{ type: 'Boolean', operator: 'equals', value: 'false' }, { level: false }],
    [{ type: 'String', operator: 'startsWith', value: 'a.b' }, { level: { $regex: '^a\\.b' } }],
    [{ type: 'Array', operator: 'contains', value: 'x' }, { level: 'x' }],
  ])('%j', (changes, where) => {
    expect(whereOf([condition(changes)])).toEqual({ where })
  })

  it('on one field are combined with and', () => {
    const between = [
      condition({}),
      condition({ operator: 'below', value: '9' }),
      condition({ operator: 'notEquals', value: '5' }),
    ]
    expect(whereOf(between)).toEqual({
      where: { $and: [{ level: { $gt: 3 } }, { level: { $lt: 9 } }], level: { $ne: 5 } },
    })
    expect(
      whereOf([condition({ field: 'deviceType', type: 'String', operator: 'equals', value: 'android' })], ['ios']),
    ).toEqual({
      where: { $and: [{ deviceType: 'ios' }, { deviceType: 'android' }] },
    })
  })
})
