import { createCipheriv, createDecipheriv, hkdfSync, randomBytes, scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import { UnusableBackup } from './unusable-backup.ts'

/**
 * The encryption of backups (docs/backup.md, Encryption): the STREAM construction of Hoang, Reyhanitabar, Rogaway and Vizár, as in
 * Tink and age, with AES-256-GCM. Chunks have a fixed size, a counter in the nonce detects reordered ones, and a mark on the
 * last one detects truncation.
 */

/** Bytes of content in a chunk, and of its authentication tag. */
const CHUNK_BYTES = 64 * 1024
const TAG_BYTES = 16
/** The first bytes of an encrypted file: they name the format. */
const MAGIC = Buffer.from('HPBK\x01\0\0\0', 'latin1')
const SALT_BYTES = 16
const PREFIX_BYTES = 7
const HEADER_BYTES = MAGIC.length + SALT_BYTES + PREFIX_BYTES
/** scrypt with 32 MB of memory: small machines must be able to restore. */
const COST = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 }

/** The keys of one backup. */
export interface BackupKeys {
  /** From which the keys of parts are derived. */
  readonly parts: Buffer
  /** Of the manifest's authentication code. */
  readonly manifest: Buffer
}

export function newSalt(): string {
  return randomBytes(SALT_BYTES).toString('hex')
}

/** Derives the keys of a backup from its passphrase and its salt, in hexadecimal. */
export async function deriveKeys(passphrase: string, salt: string): Promise<BackupKeys> {
  const derive = promisify<string, Buffer, number, typeof COST, Buffer>(scrypt)
  const key = await derive(passphrase.normalize('NFC'), Buffer.from(salt, 'hex'), 32, COST)
  return { parts: expand(key, '', 'homeport backup: parts'), manifest: expand(key, '', 'homeport backup: manifest') }
}

/**
 * Encrypts the file `name` of a backup. The name is part of the key, so files of a backup cannot replace each other.
 * @returns chunks of the encrypted file
 */
export async function* encrypt(
  content: AsyncIterable<Buffer>,
  keys: BackupKeys,
  name: string,
): AsyncGenerator<Buffer, void, undefined> {
  const [salt, prefix] = [randomBytes(SALT_BYTES), randomBytes(PREFIX_BYTES)]
  const key = fileKey(keys, salt, name)
  yield Buffer.concat([MAGIC, salt, prefix])
  let number = 0
  for await (const [chunk, isLast] of inChunks(content, CHUNK_BYTES)) {
    const cipher = createCipheriv('aes-256-gcm', key, nonce(prefix, number++, isLast))
    yield Buffer.concat([cipher.update(chunk), cipher.final(), cipher.getAuthTag()])
  }
}

/**
 * Decrypts the file `name` of a backup. Content is passed on only after its chunk was authenticated.
 * @throws UnusableBackup when the passphrase is wrong, or the file was changed or truncated
 */
export async function* decrypt(
  stored: AsyncIterable<Buffer>,
  keys: BackupKeys,
  name: string,
): AsyncGenerator<Buffer, void, undefined> {
  let number = 0
  let opened: { readonly key: Buffer; readonly prefix: Buffer } | undefined
  const body = skipHeader(stored, (header) => {
    if (!header.subarray(0, MAGIC.length).equals(MAGIC)) throw damaged(name)
    const salt = header.subarray(MAGIC.length, MAGIC.length + SALT_BYTES)
    opened = { key: fileKey(keys, salt, name), prefix: header.subarray(MAGIC.length + SALT_BYTES) }
  })
  for await (const [chunk, isLast] of inChunks(body, CHUNK_BYTES + TAG_BYTES)) {
    if (!opened || chunk.length < TAG_BYTES) throw damaged(name)
    const decipher = createDecipheriv('aes-256-gcm', opened.key, nonce(opened.prefix, number++, isLast))
    decipher.setAuthTag(chunk.subarray(-TAG_BYTES))
    let content: Buffer
    try {
      content = Buffer.concat([decipher.update(chunk.subarray(0, -TAG_BYTES)), decipher.final()])
    } catch {
      throw damaged(name)
    }
    yield content
  }
}

function damaged(name: string): UnusableBackup {
  return new UnusableBackup(
    `'${name}' cannot be decrypted: the passphrase is wrong, or the file was changed or truncated.`,
  )
}

/** Passes the header to `read`, and yields the rest. */
async function* skipHeader(
  stored: AsyncIterable<Buffer>,
  read: (header: Buffer) => void,
): AsyncGenerator<Buffer, void, undefined> {
  let header = Buffer.alloc(0)
  for await (const chunk of stored) {
    if (header.length === HEADER_BYTES) {
      yield chunk
      continue
    }
    const missing = HEADER_BYTES - header.length
    header = Buffer.concat([header, chunk.subarray(0, missing)])
    if (header.length < HEADER_BYTES) continue
    read(header)
    if (chunk.length > missing) yield chunk.subarray(missing)
  }
}

/** Yields chunks of exactly `size` bytes and a last one of 0 to `size` bytes, each with whether it is the last. */
async function* inChunks(
  source: AsyncIterable<Buffer>,
  size: number,
): AsyncGenerator<readonly [chunk: Buffer, isLast: boolean], void, undefined> {
  let waiting: Buffer[] = []
  let bytes = 0
  for await (const chunk of source) {
    waiting.push(chunk)
    bytes += chunk.length
    // A full chunk is only known to be not the last one when another byte has arrived.
    if (bytes <= size) continue
    let all = Buffer.concat(waiting, bytes)
    for (; all.length > size; all = all.subarray(size)) yield [all.subarray(0, size), false]
    waiting = [all]
    bytes = all.length
  }
  yield [Buffer.concat(waiting, bytes), true]
}

function nonce(prefix: Buffer, number: number, isLast: boolean): Buffer {
  if (number > 0xffff_ffff) throw new Error('A file of a backup must be smaller than 256 TB.')
  const bytes = Buffer.alloc(PREFIX_BYTES + 5)
  prefix.copy(bytes)
  bytes.writeUInt32BE(number, PREFIX_BYTES)
  bytes[PREFIX_BYTES + 4] = isLast ? 1 : 0
  return bytes
}

function fileKey(keys: BackupKeys, salt: Buffer, name: string): Buffer {
  return expand(keys.parts, salt, `homeport backup file: ${name}`)
}

function expand(key: Buffer, salt: Buffer | string, info: string): Buffer {
  return Buffer.from(hkdfSync('sha256', key, salt, info, 32))
}
