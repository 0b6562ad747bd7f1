/** A source is cut off or damaged from here on; what came before it is good. Its message is for people. */
export class SourceFault extends Error {
  override readonly name = 'SourceFault'
}
