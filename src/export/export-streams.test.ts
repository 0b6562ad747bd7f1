import { describe, expect, it } from 'vitest'
import { ExportStreams, MAX_STREAMS, MAX_STREAMS_OF_APP } from './export-streams.ts'

describe('ExportStreams', () => {
  it('rejects an app above its share with 429, and leaves slots to other apps', () => {
    const streams = new ExportStreams()
    const ends = Array.from({ length: MAX_STREAMS_OF_APP }, () => streams.begin('a'))
    expect(() => streams.begin('a')).toThrow(expect.objectContaining({ status: 429 }))
    streams.begin('b')()
    ends[0]!()
    ends[0]!()
    streams.begin('a')
    expect(() => streams.begin('a')).toThrow(expect.objectContaining({ status: 429 }))
  })

  it('rejects all apps together above the maximum of the node with 503', () => {
    const streams = new ExportStreams()
    const ends = Array.from({ length: MAX_STREAMS }, (_, n) => streams.begin(`app ${n}`))
    expect(() => streams.begin('another')).toThrow(expect.objectContaining({ status: 503 }))
    ends[0]!()
    streams.begin('another')
  })
})
