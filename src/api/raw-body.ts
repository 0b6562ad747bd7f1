/** A body that is no JSON but the content of a file. */
export class RawBody {
  readonly bytes: Buffer
  /** null: none was given */
  readonly contentType: string | null

  constructor(bytes: Buffer, contentType: string | null) {
    this.bytes = bytes
    this.contentType = contentType
  }
}
