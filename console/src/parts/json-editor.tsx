import { Skeleton } from 'antd'
import { lazy, Suspense } from 'react'

export interface JsonEditorProps {
  readonly value: string
  onChange?(value: string): void
  readonly readOnly?: boolean
  /** Lines of code in another language are shown without colours. */
  readonly language?: 'json' | 'text'
  /** CSS length */
  readonly height?: string
  /** What it is for, as screen readers say it. */
  readonly label: string
}

const CodeMirrorEditor = lazy(() => import('./code-mirror-editor.tsx'))

/** Where JSON is read and written. The editor is large and is loaded when it is first shown. */
export function JsonEditor(props: JsonEditorProps) {
  return (
    <Suspense fallback={<Skeleton active paragraph={{ rows: 3 }} title={false} />}>
      <CodeMirrorEditor {...props} />
    </Suspense>
  )
}
