/**
 * What a picture request asks for, as data. Lengths are pixels of the picture as it is when the step's turn comes.
 */
export type PictureStep =
  | { readonly step: 'orient' }
  | ViewStep
  | ScaleStep
  | CropStep
  | { readonly step: 'rotate'; readonly degrees: number }
  | { readonly step: 'blur'; readonly radius: number; readonly sigma: number }
  | { readonly step: 'sharpen' }

/** The scaling of `imageView2`: into a box or over it, then perhaps cut to the box in the middle. */
export interface ViewStep {
  readonly step: 'view'
  /** `inside`: no side is longer than the box; `outside`: none is shorter. */
  readonly rule: 'inside' | 'outside'
  /** Whether the box lies as the picture does: its width then counts for the longer side. */
  readonly turnsWithPicture: boolean
  readonly cut: boolean
  readonly mayEnlarge: boolean
  readonly width: number | null
  readonly height: number | null
}

/** The scaling of `imageMogr2/thumbnail`. */
export type ScaleStep =
  | { readonly step: 'scale'; readonly by: 'percent'; readonly x: number; readonly y: number }
  | { readonly step: 'scale'; readonly by: 'area'; readonly pixels: number }
  | {
      readonly step: 'scale'
      readonly by: 'box'
      readonly rule: 'inside' | 'outside' | 'exact' | 'only-smaller' | 'only-larger'
      readonly width: number | null
      readonly height: number | null
    }

export interface CropStep {
  readonly step: 'crop'
  /** Where the box lies before it is moved: 0 at the left or top, 1/2 in the middle, 1 at the right or bottom. */
  readonly anchor: { readonly x: 0 | 0.5 | 1; readonly y: 0 | 0.5 | 1 }
  readonly width: number | null
  readonly height: number | null
  /** How far it is moved away from the anchor. */
  readonly dx: number
  readonly dy: number
}

/** Formats that are written. */
export type OutputFormat = 'jpeg' | 'png' | 'webp' | 'gif' | 'avif'

export interface PictureOutput {
  /** null: that of the source. */
  readonly format: OutputFormat | null
  /** 1 to 100; for JPEG, WebP and AVIF. */
  readonly quality: number | null
  /** For JPEG: coarse at once, and finer as it arrives. */
  readonly progressive: boolean
  /** Drops the note of how a camera was held, too. */
  readonly strip: boolean
}

export type PictureRequest =
  | { readonly kind: 'info'; readonly cacheKey: string; readonly ignoreError: false }
  | {
      readonly kind: 'picture'
      readonly steps: readonly PictureStep[]
      readonly output: PictureOutput
      /** Where the picture cannot be made, the original is the answer. */
      readonly ignoreError: boolean
      /** The same for all requests that have the same result. */
      readonly cacheKey: string
    }

/** What one operation of a chain asks for; of its output only what it names. */
export interface PictureOperation {
  readonly steps: readonly PictureStep[]
  readonly output: Partial<PictureOutput>
  readonly ignoreError: boolean
}
