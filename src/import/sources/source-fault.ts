import { NoticedError } from '../../notices/noticed-error.ts'

/** A source is cut off or damaged from here on; what came before it is good. */
export class SourceFault extends NoticedError {
  override readonly name = 'SourceFault'
}
