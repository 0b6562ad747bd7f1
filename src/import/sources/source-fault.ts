import { NoticedError } from '../../notices/noticed-error.ts'

/** The source is cut off or damaged from this position on; the data before it is valid. */
export class SourceFault extends NoticedError {
  override readonly name = 'SourceFault'
}
