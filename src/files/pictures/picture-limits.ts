/** Limits on the work for one picture. */
export interface PictureLimits {
  /** Maximum bytes of the file. */
  readonly sourceBytes: number
  /** Maximum pixels of the source, over all frames that are processed together. */
  readonly sourcePixels: number
  /** Maximum frames of an animation. Only the first frame of a longer one is used. */
  readonly frames: number
  /** Maximum pixels of a side, of the result and of intermediate pictures. */
  readonly side: number
  /** Maximum pixels of the result. */
  readonly pixels: number
  /** Maximum pixels of an AVIF result, which is slow to encode. */
  readonly avifPixels: number
  /** Maximum seconds of processing. It can take slightly longer, because some steps cannot be interrupted. */
  readonly seconds: number
}

/** Default limits (protocol/files, Pictures). */
export const PICTURE_LIMITS: PictureLimits = {
  sourceBytes: 20_000_000,
  sourcePixels: 50_000_000,
  frames: 200,
  side: 9999,
  pixels: 24_999_999,
  avifPixels: 7_680_000,
  seconds: 15,
}
