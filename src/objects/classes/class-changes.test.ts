import { afterEach, describe, expect, it, vi } from 'vitest'
import { scratchDatabase } from '../../../test/support/scratch-database.ts'
import { Apps, schemaOf } from '../../apps/apps.ts'
import type { FieldType } from '../../values/typed.ts'
import { ClassRegistry } from './classes.ts'

const database = await scratchDatabase()
const classes = new ClassRegistry(database, schemaOf((await new Apps(database).create('changes', null)).id))
await classes.open()

let running = 0
let maxAtOnce = 0
const transaction = database.transaction.bind(database)
const transactions = vi.spyOn(database, 'transaction').mockImplementation(async (...given) => {
  maxAtOnce = Math.max(maxAtOnce, ++running)
  try {
    return await transaction(...given)
  } finally {
    running--
  }
})
afterEach(() => {
  transactions.mockClear()
  maxAtOnce = 0
})

const atOnce = <Result>(count: number, work: (n: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: count }, (_, n) => work(n)))

const principal = (n: number) => ({ app: 'changes', address: `10.0.0.${n % 50}`, user: '' })
const TYPES = new Map<string, FieldType>([['n', { type: 'Number' }]])

describe('many clients that save the first object of a class', () => {
  it('create the class once, and its fields once', async () => {
    const made = await atOnce(1000, (n) => classes.ensureClass('First', undefined, principal(n)))
    expect(new Set(made.map(({ name }) => name))).toEqual(new Set(['First']))
    expect(transactions).toHaveBeenCalledTimes(1)
    const extended = await atOnce(1000, (n) => classes.ensureFields('First', TYPES, undefined, principal(n)))
    expect(extended.every(({ fields }) => fields.has('n'))).toBe(true)
    expect(transactions).toHaveBeenCalledTimes(2)
  })

  it('are admitted individually when the first of them may not create it', async () => {
    const refused = new Error('not you')
    const outcomes = await Promise.allSettled(
      Array.from({ length: 10 }, (_, n) => {
        const admit = () => {
          if (n < 3) throw refused
        }
        return classes.ensureClass('Refused', admit, principal(n))
      }),
    )
    expect(outcomes.map(({ status }) => status)).toEqual([
      ...Array<string>(3).fill('rejected'),
      ...Array<string>(7).fill('fulfilled'),
    ])
    expect(transactions).toHaveBeenCalledTimes(4)
  })
})

it('uses one connection at a time for the changes of one app', async () => {
  await atOnce(20, (n) => classes.ensureClass(`Other${n}`, undefined, principal(n)))
  expect(transactions).toHaveBeenCalledTimes(20)
  expect(maxAtOnce).toBe(1)
  expect(classes.all().filter(({ name }) => name.startsWith('Other'))).toHaveLength(20)
})
