import { readFile } from 'node:fs/promises'
import type { Log } from '../log.ts'
import { type CertificateStatus, type Certificates, datesOf } from './certificates.ts'
import { covers, type KeyPair, readKeyPair } from './key-pair.ts'

/** Milliseconds between two checks of the files. */
const CHECK_INTERVAL_MS = 10_000

export interface CertificateFilesOptions {
  /** Path of the chain in PEM, the server's certificate first. */
  readonly certFile: string
  /** Path of the private key in PEM. */
  readonly keyFile: string
  /** Host names that the certificate must cover; others are reported. */
  readonly names: readonly string[]
  readonly log: Log
  readonly checkIntervalMs?: number
}

/**
 * A certificate and its key in files that another program renews. The content is compared at an interval instead of watching the
 * paths: tools replace the files, or a symbolic link to their folder, and network file systems report no changes.
 */
export class CertificateFiles implements Certificates {
  readonly #options: CertificateFilesOptions
  #pair: KeyPair
  /** The last content that was read, valid or not. */
  #read: string
  /** Content that was invalid in the last check: of a pair that is being replaced, the second file follows within moments. */
  #suspect: string | null = null
  #lastError: CertificateStatus['lastError'] = null
  #timer: NodeJS.Timeout | undefined
  readonly #listeners: (() => void)[] = []

  private constructor(options: CertificateFilesOptions, pair: KeyPair) {
    this.#options = options
    this.#pair = pair
    this.#read = pair.cert + pair.key
  }

  /** Reads the files, and follows their changes. @throws Error with one line when they hold no valid pair */
  static async open(options: CertificateFilesOptions): Promise<CertificateFiles> {
    const { certFile, keyFile, checkIntervalMs = CHECK_INTERVAL_MS } = options
    const [cert, key] = await readBoth(certFile, keyFile)
    const files = new CertificateFiles(options, pairOf(options, cert, key))
    files.#report()
    files.#timer = setInterval(() => void files.check(), checkIntervalMs).unref()
    return files
  }

  pairFor(): KeyPair {
    return this.#pair
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener)
  }

  status(): readonly CertificateStatus[] {
    const { names } = this.#options
    return [
      { names, source: 'files', ...datesOf(this.#pair, Date.now()), nextAttempt: null, lastError: this.#lastError },
    ]
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  /** Reads the files again. An invalid pair is logged once it is unchanged in two checks, and the previous one stays in use. */
  async check(): Promise<void> {
    const { certFile, keyFile, log } = this.#options
    let found = ''
    try {
      const [cert, key] = await readBoth(certFile, keyFile)
      found = cert + key
      if (found === this.#read && this.#suspect === null) return
      this.#pair = pairOf(this.#options, cert, key)
    } catch (error) {
      const reason = (error as Error).message
      const known = `${found}${reason}`
      if (this.#suspect === known && this.#lastError?.reason !== reason) {
        this.#lastError = { at: new Date(), reason }
        log.error({ reason }, 'reading changed certificate files failed, previous certificate stays in use')
      }
      this.#suspect = known
      return
    }
    const isChanged = found !== this.#read
    this.#read = found
    this.#suspect = null
    this.#lastError = null
    if (!isChanged) return
    log.info({ validUntil: this.#pair.validUntil }, 'certificate files reloaded')
    this.#report()
    for (const listener of this.#listeners) listener()
  }

  #report(): void {
    const { names, log } = this.#options
    const { validFrom, validUntil } = this.#pair
    const missing = names.filter((name) => !covers(this.#pair, name))
    if (missing.length > 0) log.warn({ names: missing }, 'the certificate does not cover these host names')
    const now = Date.now()
    if (validUntil.getTime() < now) log.error({ validUntil }, 'the certificate has expired')
    else if (validFrom.getTime() > now) log.error({ validFrom }, 'the certificate is not valid yet')
  }
}

function pairOf({ certFile, keyFile }: CertificateFilesOptions, cert: string, key: string): KeyPair {
  try {
    return readKeyPair(cert, key)
  } catch (error) {
    throw new Error(`The TLS certificate ${certFile} with the key ${keyFile} is invalid: ${(error as Error).message}`)
  }
}

async function readBoth(certFile: string, keyFile: string): Promise<[cert: string, key: string]> {
  return Promise.all([read('--tls-cert', certFile), read('--tls-key', keyFile)])
}

async function read(flag: string, path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    throw new Error(`${flag}: the file ${path} cannot be read: ${(error as NodeJS.ErrnoException).code}.`)
  }
}
