import { Skeleton } from 'antd'
import { lazy, Suspense } from 'react'

export interface JsonEditorProps {
  readonly value: string
  onChange?(value: string): void
  readonly readOnly?: boolean
  /** Code in other languages is not highlighted. */
  readonly language?: 'json' | 'text'
  /** CSS length */
  readonly height?: string
  /** The label for screen readers. */
  readonly label: string
}

const CodeMirrorEditor = lazy(() => import('./code-mirror-editor.tsx'))

/** Displays and edits JSON. The editor is large, and is loaded when first shown. */
export function JsonEditor(props: JsonEditorProps) {
  return (
    <Suspense fallback={<Skeleton active paragraph={{ rows: 3 }} title={false} />}>
      <CodeMirrorEditor {...props} />
    </Suspense>
  )
}
