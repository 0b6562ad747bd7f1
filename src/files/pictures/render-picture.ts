import type { CreateRaw, Metadata, OutputInfo, Sharp, SharpOptions } from 'sharp'
import { ApiError, errors } from '../../errors.ts'
import { sharp } from './image-library.ts'
import { type PictureCost, pictureCost } from './picture-cost.ts'
import { pictureInfo } from './picture-info.ts'
import type { PictureLimits } from './picture-limits.ts'
import { type PicturePass, type PictureState, type Planned, planPass } from './picture-pass.ts'
import type { OutputFormat, PictureOutput, PictureRequest } from './picture-steps.ts'
import { type PictureSource, readSource } from './read-source.ts'
import type { RenderedPicture } from './rendered-picture.ts'
import type { Size } from './scaled-size.ts'
import { sourceFormat } from './source-format.ts'
import { atLowPriority } from './worker-priority.ts'

interface Work {
  readonly bytes: Buffer
  readonly metadata: Metadata
  readonly request: EditRequest
  /** Format of the result. */
  readonly format: OutputFormat
  readonly limits: PictureLimits
  readonly signal: AbortSignal | undefined
}

type EditRequest = Extract<PictureRequest, { kind: 'picture' }>

const DEFAULT_QUALITY = 75
/** Of 9. Higher values make files slightly smaller and take several times as long. */
const AVIF_EFFORT = 2

/**
 * Renders a picture as a request specifies (protocol/files, Pictures). No metadata of the source is copied to the result except
 * the EXIF orientation, if the request does not auto-orient.
 * @param signal ends the work before its next pass; its reason is thrown
 * @param admit called with the estimated cost before pixels are decoded; returns a function that is called at the end
 * @throws ApiError 400 when the picture is broken or too large, or the request impossible; 415 when the file is not a picture;
 *   400 (code 124) on timeout
 */
export async function renderPicture(
  source: PictureSource,
  request: PictureRequest,
  limits: PictureLimits,
  signal?: AbortSignal,
  admit: (cost: PictureCost) => Promise<() => void> = async () => () => {},
): Promise<RenderedPicture> {
  const bytes = await readSource(source, limits.sourceBytes)
  const format = sourceFormat(bytes)
  if (!format) {
    throw errors.unsupportedMediaType('The file must be a picture in JPEG, PNG, WebP, GIF, AVIF or TIFF.')
  }
  try {
    const metadata = await sharp(bytes, { limitInputPixels: false }).metadata()
    if (request.kind === 'info') return pictureInfo(format, metadata, bytes.length)
    const kept = format === 'tiff' ? (metadata.hasAlpha ? 'png' : 'jpeg') : format
    const written = request.output.format ?? kept
    checkSource(metadata, limits)
    const rendering = new Rendering({ bytes, metadata, request, format: written, limits, signal })
    rendering.check()
    const release = await admit(costOf(metadata, request, written, limits))
    try {
      return await atLowPriority(() => rendering.run())
    } finally {
      release()
    }
  } catch (error) {
    if (error instanceof ApiError || signal?.aborted) throw error
    if (error instanceof Error && error.message.startsWith('timeout')) throw errors.timedOut()
    throw errors.badArgument('The picture is damaged or too large to decode.')
  }
}

/** Checks the size of the source. @throws ApiError 400 */
function checkSource({ width, height }: Metadata, { sourcePixels }: PictureLimits): void {
  if (width * height > sourcePixels)
    throw errors.badArgument(`The picture must have at most ${sourcePixels} pixels to be processed.`)
}

/** Estimates the cost. An intermediate size that will be rejected counts as the largest allowed size. */
function costOf(
  { width, height, orientation = 1, pages = 1 }: Metadata,
  { steps }: EditRequest,
  format: OutputFormat,
  { frames, sourcePixels, pixels }: PictureLimits,
): PictureCost {
  const isAnimation = (format === 'gif' || format === 'webp') && pages <= frames
  const together = isAnimation && pages * width * height <= sourcePixels ? pages : 1
  const cost = pictureCost(steps, { size: { width, height }, orientation }, together)
  const max = 4 * (sourcePixels + pixels)
  return { pixels: Math.min(cost.pixels, steps.length * max + max), bytes: Math.min(cost.bytes, max) }
}

/** The passes over one picture. Between two passes the raw pixels are held in memory. */
class Rendering {
  readonly #work: Work
  /** Deadline in milliseconds of `performance.now()`. */
  #deadline = 0

  constructor(work: Work) {
    this.#work = work
  }

  /** Rejects in advance what a later pass would reject. @throws ApiError 400 */
  check(): void {
    let planned = this.#plan(this.#work.request.steps, this.#start, true)
    while (planned.rest.length > 0) planned = this.#plan(planned.rest, planned.state, false)
  }

  async run(): Promise<RenderedPicture> {
    this.#deadline = performance.now() + this.#work.limits.seconds * 1000
    const first = this.#plan(this.#work.request.steps, this.#start, true)
    const animation = this.#asAnimation(first)
    if (animation) return this.#encoded(this.#begun(this.#work.bytes, { pages: -1 }, animation), 1)

    let pipeline = this.#begun(this.#work.bytes, {}, first.pass)
    let { rest, state } = first
    while (rest.length > 0) {
      const { data, info } = await this.#pixels(pipeline)
      const planned = this.#plan(rest, { ...state, size: { width: info.width, height: info.height } }, false)
      pipeline = this.#begun(data, { raw: rawPixels(info) }, planned.pass)
      rest = planned.rest
      state = planned.state
    }
    if (state.orientation > 1 && !this.#work.request.output.strip) {
      // Only the pixels are passed on: with the orientation set, the library would also copy all other metadata.
      const { data, info } = await this.#pixels(pipeline)
      return this.#encoded(this.#begun(data, { raw: rawPixels(info) }, {}), state.orientation)
    }
    return this.#encoded(pipeline, 1)
  }

  get #start(): PictureState {
    const { width, height, orientation = 1 } = this.#work.metadata
    return { size: { width, height }, orientation }
  }

  /** Plans a pass. @throws ApiError 400 when an intermediate size is too large */
  #plan(steps: EditRequest['steps'], state: PictureState, isFirst: boolean): Planned {
    const planned = planPass(steps, state, isFirst)
    if (planned.pass.scale) this.#checkSize(planned.pass.scale)
    if (planned.pass.rotation) this.#checkSize(planned.state.size)
    if (planned.rest.length === 0) this.#checkSize(planned.state.size)
    return planned
  }

  #checkSize({ width, height }: Size): void {
    const { side, pixels, avifPixels } = this.#work.limits
    const max = this.#work.format === 'avif' ? avifPixels : pixels
    if (width > side || height > side || width * height > max) {
      throw errors.badArgument(
        `The result of a picture request must have at most ${side} pixels a side and ${max} in total; it would have ${width} × ${height}.`,
      )
    }
  }

  /**
   * Returns the pass over all frames of an animation; null when only the first frame is used, because several passes are needed
   * or the frames together exceed the limits.
   */
  #asAnimation({ pass, rest }: Planned): PicturePass | null {
    const { width, height, pages = 1 } = this.#work.metadata
    if (pages === 1 || (this.#work.format !== 'gif' && this.#work.format !== 'webp')) return null
    if (this.#work.metadata.format !== 'gif' && this.#work.metadata.format !== 'webp') return null
    if (rest.length > 0 || pass.rotation || pass.orient) return null
    const { frames, sourcePixels } = this.#work.limits
    const { width: toWidth, height: toHeight } = pass.scale ?? { width, height }
    if (pages > frames || pages * Math.max(width * height, toWidth * toHeight) > sourcePixels) return null
    // The library stacks frames vertically: blurring or sharpening would mix neighboring frames.
    const { blur: _, sharpen: __, ...alone } = pass
    return alone
  }

  #begun(bytes: Buffer, options: SharpOptions, pass: PicturePass): Sharp {
    const pipeline = sharp(bytes, { limitInputPixels: this.#work.limits.sourcePixels, failOn: 'error', ...options })
    if (pass.orient) pipeline.autoOrient()
    if (pass.rotation) pipeline.flop(pass.rotation.mirror).rotate(pass.rotation.degrees, { background: 'white' })
    if (pass.scale) pipeline.resize({ ...pass.scale, fit: 'fill' })
    if (pass.cut) pipeline.extract(pass.cut)
    if (pass.blur !== undefined) pipeline.blur(pass.blur)
    if (pass.sharpen) pipeline.sharpen()
    return pipeline
  }

  #pixels(pipeline: Sharp) {
    return this.#bounded(pipeline).raw().toBuffer({ resolveWithObject: true })
  }

  async #encoded(pipeline: Sharp, orientation: number): Promise<RenderedPicture> {
    if (orientation > 1) pipeline.withMetadata({ orientation })
    return {
      bytes: await this.#bounded(written(pipeline, this.#work.format, this.#work.request.output)).toBuffer(),
      contentType: `image/${this.#work.format}`,
    }
  }

  /** Applies the remaining time as timeout. @throws the reason of the signal; ApiError 400 after the deadline */
  #bounded(pipeline: Sharp): Sharp {
    this.#work.signal?.throwIfAborted()
    const left = Math.ceil((this.#deadline - performance.now()) / 1000)
    if (left < 1) throw errors.timedOut()
    return pipeline.timeout({ seconds: left })
  }
}

/** The library reports raw pixels as premultiplied, which they are not. */
function rawPixels({ width, height, channels }: OutputInfo): CreateRaw {
  return { width, height, channels, premultiplied: false }
}

/** Encodes the result. Transparent pixels become white in formats without transparency. */
function written(pipeline: Sharp, format: OutputFormat, { quality, progressive }: PictureOutput): Sharp {
  const options = { quality: quality ?? DEFAULT_QUALITY }
  switch (format) {
    case 'jpeg':
      return pipeline.flatten({ background: 'white' }).jpeg({ ...options, progressive })
    case 'png':
      return pipeline.png()
    case 'webp':
      return pipeline.webp(options)
    case 'gif':
      return pipeline.gif()
    case 'avif':
      return pipeline.avif({ ...options, effort: AVIF_EFFORT })
  }
}
