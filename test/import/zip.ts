import { crc32, deflateRawSync } from 'node:zlib'

/** A file of a zip archive, possibly malformed. */
export interface ZipPart {
  readonly name: string
  readonly content: string | Buffer
  /** The declared compression method; defaults to Deflate. Only Deflate (8) and stored (0) are applied. */
  readonly method?: number
  /** Flags in addition to those implied by other members. */
  readonly flags?: number
  readonly isStored?: boolean
  readonly crc?: number
  /** Sizes and checksum follow the content. */
  readonly hasDescriptor?: boolean
  /** Sizes and offset are in a 64-bit extra field. */
  readonly isLong?: boolean
  /** The directory omits it. */
  readonly isUnlisted?: boolean
}

/** Returns a zip archive of some files. */
export function zipOf(files: Readonly<Record<string, string | Buffer>>): Buffer {
  return zipOfParts(Object.entries(files).map(([name, content]) => ({ name, content })))
}

/**
 * Returns a zip archive (APPNOTE 4.3).
 * @param isLong whether its end record has 64 bits
 */
export function zipOfParts(parts: readonly ZipPart[], isLong = false): Buffer {
  const locals: Buffer[] = []
  const entries: Buffer[] = []
  let offset = 0
  for (const part of parts) {
    const { local, entry } = partsOf(part, offset)
    if (!part.isUnlisted) entries.push(entry)
    locals.push(local)
    offset += local.length
  }
  const list = Buffer.concat(entries)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(isLong ? 0xffff : entries.length, 4)
  end.writeUInt16LE(isLong ? 0xffff : entries.length, 6)
  end.writeUInt32LE(isLong ? 0xffffffff : list.length, 8)
  end.writeUInt32LE(isLong ? 0xffffffff : offset, 12)
  const longEnd = isLong ? [endOf64(entries.length, list.length, offset)] : []
  return Buffer.concat([...locals, list, ...longEnd, signature(0x06054b50), end])
}

function partsOf(part: ZipPart, offset: number): { local: Buffer; entry: Buffer } {
  const content = Buffer.from(part.content as string)
  const packed = part.isStored ? content : deflateRawSync(content)
  const crc = part.crc ?? crc32(content)
  const name = Buffer.from(part.name)
  const common = Buffer.alloc(26)
  common.writeUInt16LE(part.isLong ? 45 : 20, 0)
  common.writeUInt16LE((part.flags ?? 0) | (part.hasDescriptor ? 8 : 0), 2)
  common.writeUInt16LE(part.method ?? (part.isStored ? 0 : 8), 4)
  common.writeUInt32LE(crc, 10)
  common.writeUInt32LE(part.isLong ? 0xffffffff : packed.length, 14)
  common.writeUInt32LE(part.isLong ? 0xffffffff : content.length, 18)
  common.writeUInt16LE(name.length, 22)
  const localCommon = Buffer.from(common)
  if (part.hasDescriptor) localCommon.fill(0, 10, 22)
  const sizes = extraOf([content.length, packed.length])
  const sizesAndOffset = extraOf([content.length, packed.length, offset])
  if (part.isLong) {
    localCommon.writeUInt16LE(sizes.length, 24)
    common.writeUInt16LE(sizesAndOffset.length, 24)
  }
  const descriptor = Buffer.alloc(12)
  descriptor.writeUInt32LE(crc, 0)
  descriptor.writeUInt32LE(packed.length, 4)
  descriptor.writeUInt32LE(content.length, 8)
  const local = Buffer.concat([
    signature(0x04034b50),
    localCommon,
    name,
    ...(part.isLong ? [sizes] : []),
    packed,
    ...(part.hasDescriptor ? [signature(0x08074b50), descriptor] : []),
  ])
  const place = Buffer.alloc(14)
  place.writeUInt32LE(part.isLong ? 0xffffffff : offset, 10)
  const extra = part.isLong ? [sizesAndOffset] : []
  return { local, entry: Buffer.concat([signature(0x02014b50), Buffer.from([20, 0]), common, place, name, ...extra]) }
}

function extraOf(numbers: readonly number[]): Buffer {
  const extra = Buffer.alloc(4 + 8 * numbers.length)
  extra.writeUInt16LE(1, 0)
  extra.writeUInt16LE(8 * numbers.length, 2)
  numbers.forEach((number, index) => void extra.writeBigUInt64LE(BigInt(number), 4 + 8 * index))
  return extra
}

function endOf64(count: number, size: number, offset: number): Buffer {
  const end = Buffer.alloc(52)
  end.writeBigUInt64LE(44n, 0)
  end.writeBigUInt64LE(BigInt(count), 20)
  end.writeBigUInt64LE(BigInt(count), 28)
  end.writeBigUInt64LE(BigInt(size), 36)
  end.writeBigUInt64LE(BigInt(offset), 44)
  const locator = Buffer.alloc(16)
  locator.writeBigUInt64LE(BigInt(offset + size), 4)
  locator.writeUInt32LE(1, 12)
  return Buffer.concat([signature(0x06064b50), end, signature(0x07064b50), locator])
}

function signature(number: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(number)
  return bytes
}
