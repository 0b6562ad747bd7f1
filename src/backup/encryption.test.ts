import { beforeAll, describe, expect, it } from 'vitest'
import { type BackupKeys, decrypt, deriveKeys, encrypt, newSalt } from './encryption.ts'

const HEADER = 31
const CHUNK = 65_536 + 16

let keys: BackupKeys
beforeAll(async () => {
  keys = await deriveKeys('correct horse battery', newSalt())
})

describe('encryption', () => {
  it.each([0, 1, 65_535, 65_536, 65_537, 200_000])('returns %i bytes unchanged', async (size) => {
    const content = Buffer.alloc(size, 'content ')
    const stored = await collect(encrypt(pieces(content, 1000), keys, 'a'))
    expect(stored.length).toBe(HEADER + size + 16 * Math.max(1, Math.ceil(size / 65_536)))
    expect((await collect(decrypt(pieces(stored, 777), keys, 'a'))).equals(content)).toBe(true)
  })

  it('detects each truncation, also between chunks', async () => {
    const stored = await encrypted(200_000)
    for (const length of [0, 10, HEADER, HEADER + 15, HEADER + CHUNK, HEADER + 2 * CHUNK, stored.length - 1])
      await expect(opened(stored.subarray(0, length))).rejects.toThrow('cannot be decrypted')
  })

  it('detects a changed, repeated, removed, reordered or appended chunk', async () => {
    const stored = await encrypted(200_000)
    const header = stored.subarray(0, HEADER)
    const [one, two, rest] = [0, 1, 2].map((n) =>
      stored.subarray(HEADER + n * CHUNK, n < 2 ? HEADER + (n + 1) * CHUNK : undefined),
    )
    const changed = Buffer.from(stored)
    changed[HEADER + 5]! ^= 1
    const wrong = [changed, [header, one, one, two, rest], [header, one, rest], [header, two, one, rest], [stored, one]]
    for (const parts of wrong)
      await expect(opened(Buffer.concat([parts].flat() as Buffer[]))).rejects.toThrow('cannot be decrypted')
  })

  it('yields nothing of a chunk that was changed', async () => {
    const stored = await encrypted(100)
    stored[stored.length - 20]! ^= 1
    const yielded: Buffer[] = []
    const read = async () => {
      for await (const chunk of decrypt(pieces(stored, 10), keys, 'a')) yielded.push(chunk)
    }
    await expect(read()).rejects.toThrow('cannot be decrypted')
    expect(yielded).toEqual([])
  })

  it('refuses a file under another name, and another passphrase', async () => {
    const stored = await encrypted(10)
    await expect(collect(decrypt(pieces(stored, 10), keys, 'b'))).rejects.toThrow("'b' cannot be decrypted")
    const others = await deriveKeys('another passphrase', newSalt())
    await expect(collect(decrypt(pieces(stored, 10), others, 'a'))).rejects.toThrow('the passphrase is wrong')
  })

  it('encrypts equal contents differently', async () => {
    expect((await encrypted(10)).equals(await encrypted(10))).toBe(false)
  })
})

function encrypted(size: number): Promise<Buffer> {
  return collect(encrypt(pieces(Buffer.alloc(size, 'x'), 5000), keys, 'a'))
}

function opened(stored: Buffer): Promise<Buffer> {
  return collect(decrypt(pieces(stored, 4096), keys, 'a'))
}

async function* pieces(bytes: Buffer, size: number): AsyncGenerator<Buffer, void, undefined> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function collect(chunks: AsyncIterable<Buffer>): Promise<Buffer> {
  const all: Buffer[] = []
  for await (const chunk of chunks) all.push(chunk)
  return Buffer.concat(all)
}
