import { createHash } from 'node:crypto'
import { mkdir, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { reserveOfCommand } from '../../disk-reserve.ts'
import { exchange, type HttpAnswer } from '../../http-client/exchange.ts'
import { HttpFailure } from '../../http-client/http-failure.ts'
import { isLastingFailure } from '../../http-client/lasting-failure.ts'
import { steady } from '../../http-client/steady.ts'
import { notice } from '../../notices/notice.ts'
import { NoticedError, noticeOf } from '../../notices/noticed-error.ts'
import { isStartedByServer } from '../parent-server.ts'

export interface DownloadOptions {
  /** The folder in which the file is stored, in a subfolder that only its owner can read. */
  readonly directory: string
  /** Hosts, with ports, that may have private addresses; other hosts must have public ones. */
  readonly trusted: ReadonlySet<string>
  /** Called while bytes arrive. @param total null when the server does not send it */
  readonly onBytes: (received: number, total: number | null) => void
}

/** Maximum milliseconds of an attempt; maximum attempts without progress, and the first pause between two attempts. */
const TIMEOUT_MS = 24 * 3600 * 1000
const ATTEMPTS = 8
const FIRST_PAUSE = 500
/** Minimum bytes that count as progress, because a server could send a single byte per attempt. */
const MIN_PROGRESS = 1024 ** 2
const MAX_REDIRECTS = 5
/** Maximum bytes; no export of an app is larger. */
const MAX_SIZE = 1024 ** 4

/** Identifies the version of a partially downloaded file; null: the download always restarts. */
interface Beginning {
  readonly validator: string | null
}

/** An error that retrying cannot fix. Its text contains no URL, which may be a secret. */
class Undownloadable extends NoticedError {}

/**
 * Downloads a file. An interrupted download resumes, even after the program was ended, as long as the server confirms that the
 * file is unchanged.
 * @param url http or https
 * @returns the path of the file, which is named like the last part of the URL
 * @throws Error with one line for the user
 */
export async function download(url: string, options: DownloadOptions): Promise<string> {
  const path = pathOf(url, options.directory)
  if (await isThere(path)) return path
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  let last = await sizeOf(`${path}.part`)
  for (let attempt = 1; ; attempt++) {
    try {
      await fetchRest(url, url, `${path}.part`, options, MAX_REDIRECTS)
      await rename(`${path}.part`, path)
      await rm(`${path}.part.json`, { force: true })
      return path
    } catch (error) {
      if (!(error instanceof HttpFailure)) throw named(url, error as Error)
      if (error.kind === 'private' || error.kind === 'unusable')
        throw named(url, new Undownloadable(notice('downloadByHand', { reason: error.notice })))
      const size = await sizeOf(`${path}.part`)
      const isProgress = size >= last + MIN_PROGRESS
      if (isProgress) attempt = 1
      // The file is smaller when the download restarted.
      if (isProgress || size < last) last = size
      if (attempt === ATTEMPTS || (size === 0 && isLastingFailure(error)))
        throw named(url, new Undownloadable(error.notice))
      await sleep(FIRST_PAUSE * 2 ** (attempt - 1))
    }
  }
}

/** Removes a downloaded file. @param path as returned by `download` */
export async function removeDownload(path: string): Promise<void> {
  await rm(dirname(path), { recursive: true, force: true })
}

/** Returns whether an argument is a URL and not a path. */
export function isWebAddress(text: string): boolean {
  return /^https?:\/\//i.test(text)
}

function pathOf(url: string, directory: string): string {
  if (!URL.canParse(url)) throw new NoticedError(notice('urlInvalid'))
  const { pathname, username, password } = new URL(url)
  if (username !== '' || password !== '') throw new NoticedError(notice('urlWithUser'))
  const name = pathname
    .split('/')
    .at(-1)!
    .replaceAll(/[^\w.-]/g, '_')
    .slice(-100)
  const id = createHash('sha256').update(url).digest('hex').slice(0, 16)
  return join(directory, id, /[^._]/.test(name) ? name : 'download')
}

async function fetchRest(
  first: string,
  url: string,
  path: string,
  options: DownloadOptions,
  redirects: number,
): Promise<void> {
  const known = await beginningOf(path)
  const begin = known?.validator ? await sizeOf(path) : 0
  const going = begin > 0 ? { range: `bytes=${begin}-`, 'if-range': known!.validator! } : {}
  const request = {
    method: 'GET',
    url,
    headers: { 'accept-encoding': 'identity', ...going },
    timeout: TIMEOUT_MS,
    reach: isStartedByServer() || !options.trusted.has(new URL(url).host) ? 'app' : 'any',
  } as const
  const redirect = await exchange(request, async (answer) => {
    const location = answer.header('location')
    if (answer.status >= 300 && answer.status <= 399 && location !== null && URL.canParse(location, url))
      return new URL(location, url)
    if (answer.status === 206 && begin > 0) await append(answer, path, begin, options)
    else if (answer.status === 200) {
      await noteBeginning(path, { validator: validatorOf(answer) })
      await append(answer, path, 0, options)
    } else if (answer.status === 416) await rm(path, { force: true })
    else if (answer.status < 500 && answer.status !== 429 && answer.status !== 408)
      throw new Undownloadable(notice('downloadStatus', { status: answer.status }))
    if (answer.status !== 200 && answer.status !== 206)
      throw new HttpFailure('unreachable', notice('downloadStatus', { status: answer.status }))
    return null
  })
  if (!redirect) return
  const isLess = redirect.protocol !== 'https:' && new URL(first).protocol === 'https:'
  if (redirects === 0 || isLess || !/^https?:$/.test(redirect.protocol))
    throw new Undownloadable(redirects === 0 ? notice('tooManyRedirects') : notice('redirectNotHttps'))
  await fetchRest(first, redirect.href, path, options, redirects - 1)
}

async function append(answer: HttpAnswer, path: string, begin: number, { onBytes }: DownloadOptions): Promise<void> {
  const [, from, fullSize] = /^bytes (\d+)-\d+\/(\d+)$/.exec(answer.header('content-range') ?? '') ?? []
  if (begin > 0 && Number(from) !== begin) throw new Undownloadable(notice('downloadOffsetWrong'))
  const length = answer.header('content-length')
  const total = begin > 0 ? Number(fullSize) : length === null ? null : Number(length)
  const file = await open(path, begin > 0 ? 'a' : 'w', 0o600)
  let size = begin
  try {
    for await (const bytes of steady(answer.bytes())) {
      size += bytes.length
      if (size > MAX_SIZE) throw new Undownloadable(notice('downloadTooLarge'))
      await reserveOfCommand().take(dirname(path), bytes.length)
      await file.writeFile(bytes)
      onBytes(size, total)
    }
    await file.sync()
  } finally {
    await file.close()
  }
  if (total !== null && size !== total)
    throw new HttpFailure('unreachable', notice('downloadCutOff', { bytes: size, total }))
}

/**
 * Returns what identifies the version of a file. A weak ETag does not guarantee identical bytes; a modification time is good
 * enough.
 */
function validatorOf(answer: HttpAnswer): string | null {
  const tag = answer.header('etag')
  return tag !== null && !tag.startsWith('W/') ? tag : answer.header('last-modified')
}

async function noteBeginning(path: string, beginning: Beginning): Promise<void> {
  // Removed first, so that the download does not resume a part of another version.
  await rm(path, { force: true })
  await writeFile(`${path}.json`, JSON.stringify(beginning), { mode: 0o600 })
}

async function beginningOf(path: string): Promise<Beginning | null> {
  try {
    return JSON.parse(await readFile(`${path}.json`, 'utf8')) as Beginning
  } catch {
    return null
  }
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}

async function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  )
}

function named(url: string, error: Error): Error {
  // The path between host and name may be a secret that grants access.
  const { origin, pathname } = new URL(url)
  return new NoticedError(
    notice('cannotDownload', { origin, name: pathname.split('/').at(-1)!, reason: noticeOf(error) }),
  )
}
