import { Readable } from 'node:stream'
import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandOutput,
  ListObjectsV2Command,
  type S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'
import { clientFor } from '../../files/blobs/s3-client.ts'
import type { S3Location } from '../../files-url.ts'
import { type BackupTarget, FileMissing } from './backup-target.ts'

/** Bytes of a part; S3 allows 10,000 of them, so a file of a backup has at most 160 GB. Two are sent at a time. */
const PART_BYTES = 16 * 1024 * 1024
const PARTS_AT_ONCE = 2

/** Stores backups in a bucket of Amazon S3 or a compatible store: `<prefix>/<backup>/<file>`. */
export class S3Target implements BackupTarget {
  readonly description: string
  readonly #client: S3Client
  readonly #bucket: string
  /** Empty, or ends with a slash. */
  readonly #prefix: string

  private constructor(client: S3Client, { bucket, prefix, endpoint }: S3Location, region: string) {
    this.#client = client
    this.#bucket = bucket
    this.#prefix = prefix === '' ? '' : `${prefix}/`
    this.description = `s3 bucket ${bucket}${prefix && `, prefix ${prefix}`} (${endpoint === null ? '' : `${endpoint}, `}${region})`
  }

  /** Sends no request. @throws Error with one line for the administrator when no region is configured */
  static async open(location: S3Location): Promise<S3Target> {
    const client = clientFor(location)
    try {
      return new S3Target(client, location, await client.config.region())
    } catch {
      client.destroy()
      throw new Error('The URL of the backups names no region: add ?region=…, or set AWS_REGION.')
    }
  }

  async write(path: string, content: AsyncIterable<Buffer>): Promise<void> {
    const body = Readable.from(content, { objectMode: false, highWaterMark: 256 * 1024 })
    const params = { ...this.#target(path), Body: body, ContentType: 'application/octet-stream' }
    const upload = new Upload({ client: this.#client, params, partSize: PART_BYTES, queueSize: PARTS_AT_ONCE })
    try {
      await upload.done()
    } catch (error) {
      // The content's own error tells the cause.
      throw body.errored ?? failure(error)
    } finally {
      body.destroy()
    }
  }

  async read(path: string): Promise<AsyncIterable<Buffer>> {
    try {
      const { Body } = await this.#client.send(new GetObjectCommand(this.#target(path)))
      return Body as Readable
    } catch (error) {
      if (isMissing(error)) throw new FileMissing(path, this.description)
      throw failure(error)
    }
  }

  async folders(): Promise<string[]> {
    const found: string[] = []
    for await (const { CommonPrefixes = [] } of this.#pages('', '/'))
      for (const { Prefix = '' } of CommonPrefixes) found.push(Prefix.slice(this.#prefix.length, -1))
    return found
  }

  async files(folder: string): Promise<string[]> {
    const found: string[] = []
    const start = `${this.#prefix}${folder}/`
    for await (const { Contents = [] } of this.#pages(`${folder}/`))
      for (const { Key = '' } of Contents) found.push(Key.slice(start.length))
    return found.sort()
  }

  async removeFolder(folder: string, first?: string): Promise<void> {
    if (first !== undefined) await this.remove(`${folder}/${first}`)
    for (const name of await this.files(folder)) await this.remove(`${folder}/${name}`)
    await this.#abortUploads(`${this.#prefix}${folder}/`)
  }

  async remove(path: string): Promise<void> {
    await this.#unlessMissing(this.#client.send(new DeleteObjectCommand(this.#target(path))))
  }

  close(): void {
    this.#client.destroy()
  }

  #target(path: string): { Bucket: string; Key: string } {
    return { Bucket: this.#bucket, Key: this.#prefix + path }
  }

  async *#pages(below: string, delimiter?: string) {
    let ContinuationToken: string | undefined
    do {
      const query = { Bucket: this.#bucket, Prefix: this.#prefix + below, ContinuationToken, Delimiter: delimiter }
      const page = await this.#client.send(new ListObjectsV2Command(query)).catch((error) => {
        throw failure(error)
      })
      yield page
      ContinuationToken = page.NextContinuationToken
    } while (ContinuationToken !== undefined)
  }

  /** Aborts the uploads of a process that was killed: the store would keep and charge their parts. */
  async #abortUploads(prefix: string): Promise<void> {
    let page: Partial<ListMultipartUploadsCommandOutput> = {}
    try {
      page = await this.#client.send(new ListMultipartUploadsCommand({ Bucket: this.#bucket, Prefix: prefix }))
    } catch (error) {
      // Stores without this request abort stale uploads themselves, or need a lifecycle rule.
      if (error instanceof S3ServiceException && [405, 501].includes(error.$metadata.httpStatusCode ?? 0)) return
      throw failure(error)
    }
    for (const { Key, UploadId } of page.Uploads ?? [])
      if (Key?.startsWith(prefix))
        await this.#unlessMissing(
          this.#client.send(new AbortMultipartUploadCommand({ Bucket: this.#bucket, Key, UploadId })),
        )
  }

  async #unlessMissing(pending: Promise<unknown>): Promise<void> {
    try {
      await pending
    } catch (error) {
      if (!isMissing(error)) throw failure(error)
    }
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof S3ServiceException && ['NoSuchKey', 'NotFound', 'NoSuchUpload'].includes(error.name)
}

/** Returns an error that names the store's reason. The client's own errors may quote requests. */
function failure(error: unknown): Error {
  const { name, message, code } = error as Error & { code?: string }
  return new Error(
    `The S3 store failed: ${code ?? name}${message ? ` (${message.split('\n')[0]!.slice(0, 200)})` : ''}.`,
  )
}
