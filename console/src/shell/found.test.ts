import { describe, expect, it } from 'vitest'
import { type Findable, found } from './found.ts'

const groups = (...entries: Findable[][]) => entries.map((each, index) => ({ heading: `${index}`, entries: each }))
const labels = (text: string, ...entries: Findable[][]) =>
  found(text, groups(...entries)).map((group) => group.entries.map(({ label }) => label))

describe('palette search', () => {
  it('lists everything before input, without empty groups', () => {
    expect(labels(' ', [{ label: 'Shop' }], [], [{ label: 'Audit log' }])).toEqual([['Shop'], ['Audit log']])
  })

  it('does not match apps by single letters of their ID', () => {
    const app = { label: 'test', also: ['1PtP61nLZohoAoEduCcTIyrY'] }
    expect(labels('Audit', [app], [{ label: 'Audit log', also: ['audit'] }])).toEqual([['Audit log']])
    expect(labels('AoEd', [app])).toEqual([])
    expect(labels('1ptp6', [app])).toEqual([['test']])
  })

  it('lists the best match first, and its group before others', () => {
    expect(
      labels('log', [{ label: 'Catalog' }, { label: 'Logs' }], [{ label: 'Audit log' }], [{ label: 'log' }]),
    ).toEqual([['log'], ['Logs', 'Catalog'], ['Audit log']])
  })

  it('keeps the order of equal matches', () => {
    expect(labels('a', [{ label: 'Ab' }, { label: 'Aa' }], [{ label: 'Ac' }])).toEqual([['Ab', 'Aa'], ['Ac']])
  })

  it('matches in Chinese by name and by path', () => {
    const place = { label: '审计日志', also: ['audit'] }
    expect(labels('审计', [place])).toEqual([['审计日志']])
    expect(labels('日志', [place])).toEqual([['审计日志']])
    expect(labels('aud', [place])).toEqual([['审计日志']])
  })
})
