import { setTimeout as sleep } from 'node:timers/promises'
import { isFileKey, pathOfKey } from '../../files/file-key.ts'
import { exchange } from '../../http-client/exchange.ts'
import { HttpFailure } from '../../http-client/http-failure.ts'
import { isLastingFailure } from '../../http-client/lasting-failure.ts'
import { steady } from '../../http-client/steady.ts'
import { type Notice, notice } from '../../notices/notice.ts'
import { NoticedError, noticeOf } from '../../notices/noticed-error.ts'
import { isJsonObject, type JsonObject } from '../../values/json.ts'
import { FailedRequest, type Management } from '../management.ts'
import { isStartedByServer } from '../parent-server.ts'

/** A file whose bytes are to be fetched. */
export interface WantedFile {
  readonly key: string
  /** Its URL at the source. */
  readonly url: string
  readonly name: string
  readonly mimeType: string | null
  readonly size: number | null
  readonly md5: string | null
}

export interface FileSource {
  /** Hosts, with ports, that the administrator specified. Only these may have private addresses. */
  readonly trusted: ReadonlySet<string>
  /** Base URL to which the keys are appended, instead of the URLs in the records; without a trailing slash. */
  readonly filesFrom: string | null
}

const ATTEMPTS = 4
const FIRST_PAUSE = 1000
const MAX_REDIRECTS = 3
/** Timeout of a file in milliseconds, extended by its size at the minimum rate in bytes per millisecond. */
const TIMEOUT_MS = 5 * 60_000
const MIN_RATE = 32
const UNKNOWN_SIZE = 1024 ** 3
const LONGEST = 24 * 60 * 60_000

/** Consecutive failed files of a host after which each further file is tried only once, until one succeeds. */
const MAX_FAILED_FILES = 3
/** Maximum hosts whose failures are counted. */
const MAX_HOSTS = 10_000

/** Numbers of consecutive failed files by host, for each source of files. */
const failedHosts = new WeakMap<FileSource, Map<string, number>>()

function failedHostsOf(source: FileSource): Map<string, number> {
  const known = failedHosts.get(source) ?? new Map<string, number>()
  failedHosts.set(source, known)
  return known
}

/** Returns the file of a record; null when the record has no valid URL. @param record the record of an internal file */
export function wantedFile(record: JsonObject, { filesFrom }: FileSource): WantedFile | null {
  const { key, name, mime_type: mimeType, metaData = null } = record
  if (typeof key !== 'string') return null
  // An invalid key could lead outside of the base URL that the administrator specified.
  if (filesFrom !== null && !isFileKey(key)) return null
  const url = filesFrom === null ? record.url : `${filesFrom}/${pathOfKey(key)}`
  if (typeof url !== 'string' || !/^https?:\/\//i.test(url) || !URL.canParse(url)) return null
  const { size = null, _checksum: md5 = null } = isJsonObject(metaData) ? metaData : {}
  return {
    key,
    url,
    name: typeof name === 'string' && name !== '' ? name : 'file',
    mimeType: typeof mimeType === 'string' ? mimeType : null,
    size: typeof size === 'number' && Number.isSafeInteger(size) && size >= 0 ? size : null,
    md5: typeof md5 === 'string' && /^[0-9a-f]{32}$/i.test(md5) ? md5 : null,
  }
}

/** The bytes are not available; the notice has the reason. */
class Unavailable extends NoticedError {
  override readonly name = 'Unavailable'
  readonly mayPass: boolean

  constructor(reason: Notice, mayPass: boolean) {
    super(reason)
    this.mayPass = mayPass
  }
}

/**
 * Streams the bytes of a file to this server. Temporary failures are retried.
 * @param path the path of the bytes of files in the management API
 * @returns why the bytes could not be fetched; null on success
 * @throws Error with one line for the user when this server cannot be reached
 */
export async function fetchBytes(
  file: WantedFile,
  source: FileSource,
  management: Management,
  path: string,
): Promise<Notice | null> {
  const hosts = failedHostsOf(source)
  const { host } = new URL(file.url)
  for (let attempt = 1; ; attempt++) {
    try {
      await transfer(file, file.url, source.trusted, management, path, MAX_REDIRECTS)
      hosts.delete(host)
      return null
    } catch (error) {
      const failure = unavailable(error)
      const failed = hosts.get(host) ?? 0
      if (!failure.mayPass || attempt === ATTEMPTS || failed >= MAX_FAILED_FILES) {
        if (failure.mayPass && (hosts.has(host) || hosts.size < MAX_HOSTS)) hosts.set(host, failed + 1)
        return failure.notice
      }
      await sleep(FIRST_PAUSE * 2 ** (attempt - 1))
    }
  }
}

async function transfer(
  file: WantedFile,
  url: string,
  trusted: ReadonlySet<string>,
  management: Management,
  path: string,
  redirects: number,
): Promise<void> {
  const timeoutMs = Math.min(TIMEOUT_MS + Math.ceil((file.size ?? UNKNOWN_SIZE) / MIN_RATE), LONGEST)
  const reach = isStartedByServer() || !trusted.has(new URL(url).host) ? 'app' : 'any'
  const redirect = await exchange({ method: 'GET', url, timeout: timeoutMs, reach }, async (answer) => {
    const location = answer.header('location')
    if (answer.status >= 300 && answer.status <= 399 && location !== null && URL.canParse(location, url))
      return new URL(location, url)
    if (answer.status !== 200)
      throw new Unavailable(
        notice('downloadStatus', { status: answer.status }),
        answer.status >= 500 || answer.status === 429,
      )
    let fault: unknown
    const bytes = withFault(steady(answer.bytes()), (error) => {
      fault = error
    })
    await management.sendBytes(`${path}?${searchOf(file)}`, bytes, timeoutMs).catch((error: unknown) => {
      throw fault ?? error
    })
    return null
  })
  if (!redirect) return
  if (redirects === 0 || !/^https?:$/.test(redirect.protocol)) throw new Unavailable(notice('tooManyRedirects'), false)
  await transfer(file, redirect.href, trusted, management, path, redirects - 1)
}

/** Reports the error of a stream before it is thrown, because the request that sends the bytes only reports a generic failure. */
async function* withFault(bytes: AsyncIterable<Buffer>, onError: (error: unknown) => void): AsyncGenerator<Buffer> {
  try {
    yield* bytes
  } catch (error) {
    onError(error)
    throw error
  }
}

function searchOf({ key, name, mimeType, size, md5 }: WantedFile): URLSearchParams {
  return new URLSearchParams({
    key,
    name: name.slice(0, 1000),
    ...(mimeType !== null && { mime_type: mimeType.slice(0, 300) }),
    ...(size !== null && { size: String(size) }),
    ...(md5 !== null && { md5 }),
  })
}

function unavailable(error: unknown): Unavailable {
  if (error instanceof Unavailable) return error
  if (error instanceof FailedRequest) {
    const { status, message } = error
    return new Unavailable(
      noticeOf(error),
      status === null || status >= 500 || status === 429 || /^The MD5 of|bytes have arrived/.test(message),
    )
  }
  if (!(error instanceof HttpFailure)) throw error
  if (error.kind === 'private') return new Unavailable(notice('fileUrlPrivate'), false)
  return new Unavailable(
    notice('answerCutOff', { reason: error.notice }),
    error.kind !== 'too-long' && !isLastingFailure(error),
  )
}
