/** What came of a request. */
export interface RenderedPicture {
  readonly bytes: Buffer
  readonly contentType: string
}
