import { describe, expect, it } from 'vitest'
import { endpoints } from './endpoints.ts'
import { Router } from './router.ts'

const router = new Router(endpoints)
const errorOf = (path: string, method = 'GET') => {
  try {
    router.find(method, path)
    return null
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

describe('an unknown path is answered with what was likely meant', () => {
  it.each([
    ['//1.1/classes/Post', '/1.1/classes/Post'],
    ['/1.1//classes/Post', '/1.1/classes/Post'],
    ['/classes/Post', '/1.1/classes/Post'],
    ['/rtm/conversations', '/1.2/rtm/conversations'],
    ['/1.1/1.1/classes/Post', '/1.1/classes/Post'],
  ])('%s: %s', (path, meant) => {
    expect(errorOf(path)).toBe(`There is nothing at ${path}. Did you mean ${meant}?`)
  })

  it.each(['/', '/nothing', '/1.1/nothing', '/1.1/'])('%s: nothing', (path) => {
    expect(errorOf(path)).toBe(`There is nothing at ${path}.`)
  })

  it('the method of a known path is named as before', () => {
    expect(errorOf('/1.1/classes/Post', 'PATCH')).toBe(
      'PATCH is not possible on /1.1/classes/Post; it takes GET, POST.',
    )
  })
})
