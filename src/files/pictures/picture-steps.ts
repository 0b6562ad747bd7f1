/** A step of a picture request. Lengths are pixels of the picture as the previous steps left it. */
export type PictureStep =
  | { readonly step: 'orient' }
  | ViewStep
  | ScaleStep
  | CropStep
  | { readonly step: 'rotate'; readonly degrees: number }
  | { readonly step: 'blur'; readonly radius: number; readonly sigma: number }
  | { readonly step: 'sharpen' }

/** The scaling of `imageView2`: to fit into the box or to cover it, optionally followed by a centered crop to the box. */
export interface ViewStep {
  readonly step: 'view'
  /** `inside`: no side is longer than the box; `outside`: no side is shorter. */
  readonly rule: 'inside' | 'outside'
  /** Whether the box follows the orientation of the picture, so that its width applies to the longer side. */
  readonly rotatesWithPicture: boolean
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
  /** Position of the box before it is moved: 0 at the left or top, 1/2 in the middle, 1 at the right or bottom. */
  readonly anchor: { readonly x: 0 | 0.5 | 1; readonly y: 0 | 0.5 | 1 }
  readonly width: number | null
  readonly height: number | null
  /** Offset away from the anchor. */
  readonly dx: number
  readonly dy: number
}

/** Formats that can be written. */
export type OutputFormat = 'jpeg' | 'png' | 'webp' | 'gif' | 'avif'

export interface PictureOutput {
  /** null: the format of the source. */
  readonly format: OutputFormat | null
  /** 1 to 100; for JPEG, WebP and AVIF. */
  readonly quality: number | null
  /** For JPEG: progressive encoding. */
  readonly progressive: boolean
  /** Whether to drop the EXIF orientation too. */
  readonly strip: boolean
}

export type PictureRequest =
  | { readonly kind: 'info'; readonly cacheKey: string; readonly ignoreError: false }
  | {
      readonly kind: 'picture'
      readonly steps: readonly PictureStep[]
      readonly output: PictureOutput
      /** Whether to send the original when the picture cannot be processed. */
      readonly ignoreError: boolean
      /** The same for all requests that have the same result. */
      readonly cacheKey: string
    }

/** One operation of a chain, with only the output options that it sets. */
export interface PictureOperation {
  readonly steps: readonly PictureStep[]
  readonly output: Partial<PictureOutput>
  readonly ignoreError: boolean
}
