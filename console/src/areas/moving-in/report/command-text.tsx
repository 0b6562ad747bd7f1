import { Fragment } from 'react'
import { PhraseText } from './lines.tsx'
import { asGiven } from './use-notices.ts'

/** The output of a command, in English, line by line. */
export function CommandText({ text }: { readonly text: string }) {
  return (
    <pre style={{ margin: 0, fontSize: 12, whiteSpace: 'pre-wrap' }}>
      {text.split('\n').map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other name and never move
        <Fragment key={index}>
          <PhraseText phrase={[asGiven(line)]} />
          {'\n'}
        </Fragment>
      ))}
    </pre>
  )
}
