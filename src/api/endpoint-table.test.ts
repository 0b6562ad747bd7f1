import { describe, expect, it } from 'vitest'
import { EndpointTable } from './endpoint-table.ts'
import { endpoints } from './endpoints.ts'

const table = new EndpointTable(endpoints)
const errorOf = (path: string, method = 'GET') => {
  try {
    table.find(method, path)
    return null
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

describe('an unknown path in an error', () => {
  it.each([
    ['//1.1/classes/Post', '/1.1/classes/Post'],
    ['/1.1//classes/Post', '/1.1/classes/Post'],
    ['/classes/Post', '/1.1/classes/Post'],
    ['/rtm/conversations', '/1.2/rtm/conversations'],
    ['/1.1/1.1/classes/Post', '/1.1/classes/Post'],
  ])('%s: suggests %s', (path, meant) => {
    expect(errorOf(path)).toBe(`Path ${path} not found. Did you mean ${meant}?`)
  })

  it.each(['/', '/nothing', '/1.1/nothing', '/1.1/'])('%s: suggests nothing', (path) => {
    expect(errorOf(path)).toBe(`Path ${path} not found.`)
  })

  it('names the allowed methods of a known path', () => {
    expect(errorOf('/1.1/classes/Post', 'PATCH')).toBe(
      'PATCH is not allowed for /1.1/classes/Post; allowed: GET, POST.',
    )
  })
})
