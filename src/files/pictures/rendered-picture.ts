/** The result of a picture request. */
export interface RenderedPicture {
  readonly bytes: Buffer
  readonly contentType: string
}
