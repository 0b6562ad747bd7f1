import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/** A file to import. */
export interface Source {
  readonly path: string
  readonly records: number
  /** Bytes of the file as stored, and uncompressed. */
  readonly bytes: number
  readonly unpacked: number
}

const WORDS =
  'the course opens at nine and everybody who has a ticket may bring a friend to the second hall near the river'.split(
    ' ',
  )
/** Characters per write. */
const PIECE = 1024 * 1024

/** Writes objects of 500 bytes in the JSON export format: texts, numbers, a list, a pointer and a date. */
export function objectSource(folder: string, className: string, amount: number, seed: number): Promise<Source> {
  const numbers = new Numbers(seed)
  const line = (n: number) => {
    const created = 1_600_000_000_000 + n * 1000
    return {
      objectId: idOf(n, numbers),
      createdAt: new Date(created).toISOString(),
      updatedAt: new Date(created + numbers.below(1_000_000)).toISOString(),
      title: `Title number ${n}`,
      text: textOf(130, numbers),
      score: numbers.below(1000),
      group: `group-${numbers.below(1000)}`,
      published: numbers.below(2) === 0,
      tags: [`a${numbers.below(9)}`, `b${numbers.below(9)}`],
      owner: { __type: 'Pointer', className: '_User', objectId: idOf(numbers.below(10_000), numbers) },
      startsAt: { __type: 'Date', iso: new Date(created + numbers.below(1_000_000_000)).toISOString() },
    }
  }
  return write(join(folder, `${className}.0.jsonl`), { type: 'Class', class: className }, amount, line)
}

const MESSAGES_IN_CONVERSATION = 100

/** Writes messages of 200 bytes in the history format, a hundred per conversation, in chronological order. */
export function messageSource(folder: string, amount: number, seed: number): Promise<Source> {
  const numbers = new Numbers(seed)
  const conversations = Math.ceil(amount / MESSAGES_IN_CONVERSATION)
  const line = (n: number) => {
    const conversation = numbers.below(conversations)
    return {
      'msg-id': idOf(n, numbers),
      'conv-id': conversation.toString(16).padStart(24, '5'),
      from: `client-${conversation % 5000}-${numbers.below(2)}`,
      timestamp: 1_600_000_000_000 + n * 10,
      data: JSON.stringify({ _lctype: -1, _lctext: textOf(40, numbers) }),
    }
  }
  return write(join(folder, 'messaging-messages.0.jsonl'), { type: 'Messaging', of: 'messages' }, amount, line)
}

/** Compresses a file as the hosted service does, and removes the original. */
export async function packed(source: Source): Promise<Source> {
  const path = source.path.replace(/\.0\.jsonl$/, '-export.tar.gz')
  const child = spawn('tar', ['-czf', path, '-C', dirname(source.path), basename(source.path)], {
    env: { ...process.env, GZIP: '-1' },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const [code] = (await once(child, 'exit')) as [number | null]
  if (code !== 0) throw new Error(`tar ended with ${code}`)
  await rm(source.path)
  return { ...source, path, bytes: (await stat(path)).size }
}

async function write(path: string, comment: object, records: number, line: (n: number) => object): Promise<Source> {
  process.stderr.write(`writing ${records} records to ${path}\n`)
  const out = createWriteStream(path)
  let piece = `#filetype:JSON-streaming ${JSON.stringify(comment)}\n`
  for (let n = 0; n < records; n++) {
    piece += `${JSON.stringify(line(n))}\n`
    if (piece.length < PIECE) continue
    if (!out.write(piece)) await once(out, 'drain')
    piece = ''
  }
  out.end(piece)
  await once(out, 'finish')
  const { size } = await stat(path)
  return { path, records, bytes: size, unpacked: size }
}

/** Returns an increasing id of 24 hexadecimal digits with random ones in the middle, like those of the hosted service. */
function idOf(n: number, numbers: Numbers): string {
  const middle = numbers
    .below(2 ** 32)
    .toString(16)
    .padStart(8, '0')
  return `${(0x5f000000 + Math.floor(n / 1000)).toString(16)}${middle}${n.toString(16).padStart(8, '0')}`
}

function textOf(length: number, numbers: Numbers): string {
  let text = ''
  while (text.length < length) text += `${WORDS[numbers.below(WORDS.length)]} `
  return text
}

/** A seeded random number generator (mulberry32). */
class Numbers {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  below(end: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = this.#state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * end)
  }
}
