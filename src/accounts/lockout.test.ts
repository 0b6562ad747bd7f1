import { expect, it } from 'vitest'
import { scratchDatabase } from '../../test/support/scratch-database.ts'
import { Apps, schemaOf } from '../apps/apps.ts'
import { LOGIN_LIMIT } from './attempts.ts'
import { Lockout } from './lockout.ts'

const database = await scratchDatabase()
const { id } = await new Apps(database).create('test', null)
const lockout = new Lockout(database, schemaOf(id))

it('counts wrong guesses, and no guess whose check failed', async () => {
  for (let guess = 0; guess < 3; guess++) {
    const failed = lockout.guess('secret', LOGIN_LIMIT, () => Promise.reject(new Error('the database is away')))
    await expect(failed).rejects.toThrow('the database is away')
  }
  expect(await lockout.stateOf('secret')).toEqual({ failures: 0, lockedUntil: null })
  expect(await lockout.guess('secret', LOGIN_LIMIT, async () => null)).toBeNull()
  expect((await lockout.stateOf('secret')).failures).toBe(1)
})
