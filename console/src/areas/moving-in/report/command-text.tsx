import { Fragment } from 'react'
import { useSentences } from '../sentences/use-sentences.ts'
import { PhraseText } from './lines.tsx'

/** What a command has printed, line by line. */
export function CommandText({ text }: { readonly text: string }) {
  const sentence = useSentences()
  return (
    <pre style={{ margin: 0, fontSize: 12, whiteSpace: 'pre-wrap' }}>
      {text.split('\n').map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other name and never move
        <Fragment key={index}>
          <PhraseText phrase={sentence(line)} />
          {'\n'}
        </Fragment>
      ))}
    </pre>
  )
}
