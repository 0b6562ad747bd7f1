import { expect } from 'vitest'
import type { TestApp } from '../support/app.ts'

interface ShownRank {
  readonly rank: number
  readonly entity: string
  readonly statisticValue: number
}

const BOARDS = '/1.1/leaderboard/leaderboards'
let made = 0

/** Returns helpers that create entity leaderboards in an app and write to them with the master key. */
export function makeBoards(app: Pick<TestApp, 'request' | 'sql'>) {
  return {
    async makeBoard(options: object): Promise<{ board: number; name: string }> {
      const name = `board_${++made}`
      const body = { statisticName: name, memberType: '_Entity', versionChangeInterval: 'never', ...options }
      const answer = await app.request('POST', BOARDS, { master: true, body })
      expect(answer.status, JSON.stringify(answer.body)).toBe(200)
      const { rows } = await app.sql('SELECT board FROM "$leaderboards" WHERE name = $1', [name])
      return { board: rows[0].board, name }
    },

    /**
     * Sends a value, or null to remove it.
     * @returns the response
     */
    async write(name: string, entity: string, value: number | null): Promise<{ value: number; version: number }> {
      const path = `/1.1/leaderboard/entities/${entity}/statistics`
      const answer =
        value === null
          ? await app.request('DELETE', path, { master: true, query: { statistics: name } })
          : await app.request('POST', path, { master: true, body: [{ statisticName: name, statisticValue: value }] })
      expect(answer.status, JSON.stringify(answer.body)).toBe(200)
      const [stored] = answer.body.results ?? []
      return { value: stored?.statisticValue, version: stored?.version }
    },

    async ranks(name: string, query: Record<string, string>, around?: string): Promise<ShownRank[]> {
      const path = `${BOARDS}/entity/${name}/ranks${around === undefined ? '' : `/${around}`}`
      const { status, body } = await app.request('GET', path, { query })
      expect(status, JSON.stringify(body)).toBe(200)
      return body.results
    },
  }
}
