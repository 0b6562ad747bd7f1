import { describe, expect, it } from 'vitest'
import { ExportStreams, MAX_STREAMS, MAX_STREAMS_OF_APP } from './export-streams.ts'

describe('ExportStreams', () => {
  it('refuses an app more than its share with 429, and leaves slots to others', () => {
    const streams = new ExportStreams()
    const ends = Array.from({ length: MAX_STREAMS_OF_APP }, () => streams.begin('a'))
    expect(() => streams.begin('a')).toThrow(expect.objectContaining({ status: 429 }))
    streams.begin('b')()
    ends[0]!()
    ends[0]!()
    streams.begin('a')
    expect(() => streams.begin('a')).toThrow(expect.objectContaining({ status: 429 }))
  })

  it('refuses all apps together more than the node has with 503', () => {
    const streams = new ExportStreams()
    const ends = Array.from({ length: MAX_STREAMS }, (_, n) => streams.begin(`app ${n}`))
    expect(() => streams.begin('another')).toThrow(expect.objectContaining({ status: 503 }))
    ends[0]!()
    streams.begin('another')
  })
})
