import { json, jsonParseLinter } from '@codemirror/lang-json'
import { linter, lintGutter } from '@codemirror/lint'
import CodeMirror, { EditorView } from '@uiw/react-codemirror'
import { useMemo } from 'react'
import { useAppearance } from './appearance-context.ts'
import type { JsonEditorProps } from './json-editor.tsx'

/** A darker background than the theme's own, so that all its colors have a contrast of 4.5 (WCAG AA). */
const DARKER = EditorView.theme(
  {
    '&.cm-editor': { backgroundColor: '#151b23' },
    '&.cm-editor .cm-gutters': { backgroundColor: '#151b23', color: '#9aa5b1' },
  },
  { dark: true },
)

/** `JsonEditor`, loaded. */
export default function CodeMirrorEditor({
  value,
  onChange,
  readOnly = false,
  language = 'json',
  height = '240px',
  label,
}: JsonEditorProps) {
  const { isDark } = useAppearance()
  const extensions = useMemo(() => {
    const named = EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' })
    const checked = readOnly ? [] : [linter(jsonParseLinter()), lintGutter()]
    return [
      named,
      EditorView.lineWrapping,
      ...(isDark ? [DARKER] : []),
      ...(language === 'json' ? [json(), ...checked] : []),
    ]
  }, [language, label, readOnly, isDark])
  return (
    <CodeMirror
      value={value}
      height={height}
      theme={isDark ? 'dark' : 'light'}
      readOnly={readOnly}
      extensions={extensions}
      basicSetup={{ foldGutter: language === 'json', highlightActiveLine: !readOnly }}
      {...(onChange ? { onChange } : {})}
    />
  )
}
