/** How much work one picture may be. */
export interface PictureLimits {
  /** Bytes of the file. */
  readonly sourceBytes: number
  /** Pixels of the file, those of all frames that are processed together. */
  readonly sourcePixels: number
  /** Frames of an animation; of one with more, the first is shown. */
  readonly frames: number
  /** Pixels of a side of the result, and of what it is made of on the way. */
  readonly side: number
  /** Pixels of the result. */
  readonly pixels: number
  /** Pixels of a result that is AVIF, which takes long to write. */
  readonly avifPixels: number
  /** Seconds that it may take. It ends a little later: parts of the work cannot be interrupted. */
  readonly seconds: number
}

/** (protocol/files, Pictures) */
export const PICTURE_LIMITS: PictureLimits = {
  sourceBytes: 20_000_000,
  sourcePixels: 50_000_000,
  frames: 200,
  side: 9999,
  pixels: 24_999_999,
  avifPixels: 7_680_000,
  seconds: 15,
}
