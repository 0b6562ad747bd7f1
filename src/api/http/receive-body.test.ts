import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { describe, expect, it } from 'vitest'
import type { ApiError } from '../../errors.ts'
import { parseJson } from '../../values/json.ts'
import type { Extent } from '../../values/json-extent.ts'
import { RawBody } from '../call.ts'
import { endpoints } from '../endpoints.ts'
import { MAX_BODY_BYTES } from '../route.ts'
import { MAX_TRUSTED } from './read-body.ts'
import { receiveBody } from './receive-body.ts'

function requestWith(headers: Record<string, string>, path = '/1.1/classes/:className'): FastifyRequest {
  const endpoint = endpoints.find((one) => one.method === 'POST' && one.path === path)!
  return { headers, method: 'POST', endpoint, extent: null } as unknown as FastifyRequest
}

function receive(payload: Readable, headers: Record<string, string>, path?: string): Promise<string> {
  return receiveFor(requestWith(headers, path), payload)
}

function receiveFor(request: FastifyRequest, payload: Readable): Promise<string> {
  return new Promise((resolve, reject) => {
    receiveBody(request, payload as IncomingMessage, (error, body) => (error ? reject(error) : resolve(body as string)))
  })
}

function inChunks(bytes: Buffer, size: number): Readable {
  const chunks: Buffer[] = []
  for (let start = 0; start < bytes.length; start += size) chunks.push(bytes.subarray(start, start + size))
  return Readable.from(chunks)
}

describe('a body', () => {
  // Characters of one to four bytes, split at every position.
  const text = JSON.stringify({ text: 'aé文😀'.repeat(50) })
  const bytes = Buffer.from(text)

  it.each([1, 2, 3, 5, 7, 1000])(
    'in chunks of %i bytes becomes the same text, with and without a declared length',
    async (size) => {
      expect(await receive(inChunks(bytes, size), { 'content-length': String(bytes.length) })).toBe(text)
      expect(await receive(inChunks(bytes, size), { 'transfer-encoding': 'chunked' })).toBe(text)
    },
  )

  it('becomes the same text when it is large', async () => {
    const large = JSON.stringify({ text: '文字😀'.repeat(100_000) })
    const whole = Buffer.from(large)
    expect(await receive(inChunks(whole, 65_537), { 'content-length': String(whole.length) })).toBe(large)
  })

  it('is measured once while it arrives when it is large', async () => {
    const values = Buffer.from(`[${'1,'.repeat(200_000)}1]`)
    const request = requestWith({ 'content-length': String(values.length) })
    const text = await receiveFor(request, inChunks(values, 65_536))
    expect(request.extent).toMatchObject({ tooDeep: false, tooMany: false, values: 200_002 })
    const parse = (max: number, extent: Extent) => parseJson(text, 'The body', max, extent)
    expect(parse(200_002, request.extent!)).toHaveLength(200_001)
    expect(() => parse(200_001, request.extent!)).toThrow('more than 200001 values')
    const deep = requestWith({ 'transfer-encoding': 'chunked' })
    const nested = await receiveFor(deep, Readable.from([Buffer.from('['.repeat(10_000))]))
    expect(() => parseJson(nested, 'The body', MAX_TRUSTED, deep.extent!)).toThrow('nested deeper than')
  })

  it('with more values than any client may send is received to its end, but not kept', async () => {
    const many = Buffer.from(`[${'[],'.repeat(2_000_000)}0]`)
    const headers = { 'content-length': String(many.length) }
    const kept = await receive(inChunks(many, 65_536), headers)
    expect(kept.length).toBeLessThan(1_000_000)
    expect(() => parseJson(kept, 'The body', MAX_TRUSTED)).toThrow('more than 300000 values')
    const lines = { ...headers, 'content-type': 'application/x-ndjson' }
    const path = '/admin/apps/:appId/imports/:importId/batches'
    const batch: unknown = await receive(inChunks(many, 65_536), lines, path)
    expect(batch instanceof RawBody && batch.bytes.equals(many)).toBe(true)
  })

  it('has replacement characters for invalid UTF-8, also when truncated', async () => {
    for (const headers of [{ 'content-length': '3' }, { 'transfer-encoding': 'chunked' }] as Record<string, string>[])
      expect(await receive(inChunks(Buffer.from([0xff, 0x61, 0xe6]), 2), headers)).toBe('\ufffda\ufffd')
  })

  it('of undeclared length is rejected when it becomes too large', async () => {
    const chunk = Buffer.alloc(1024 * 1024, 'x')
    const endless = Readable.from(Array.from({ length: MAX_BODY_BYTES / chunk.length + 2 }, () => chunk))
    const error = (await receive(endless, { 'transfer-encoding': 'chunked' }).catch((error) => error)) as ApiError
    expect(error).toMatchObject({ status: 413 })
  })

  it('is an error, reported once, when its connection breaks', async () => {
    const broken = new Readable({
      read() {
        this.push('{"a":')
        this.destroy(new Error('aborted'))
      },
    })
    await expect(receive(broken, { 'content-length': '100' })).rejects.toThrow('aborted')
  })
})
